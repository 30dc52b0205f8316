import type { Diagnostic } from '../diagnostics/diagnostic.ts';

/** The result for input that is not recognized, or for an instruction that is not legal. */
export interface Refusal {
  readonly kind: 'refused';
  /** The text that the spans of the diagnostics refer to. */
  readonly source: string;
  readonly diagnostics: readonly Diagnostic[];
}
