/** The layout of a diff report. */
import type { Style } from '../../diagnostics/renderers/style.ts';

export interface DiffLayout {
  readonly style: Style;
  /** The width of the screen in columns. */
  readonly width: number;
  readonly isAscii: boolean;
  /** Number of tensors shown in detail. */
  readonly details: number;
}
