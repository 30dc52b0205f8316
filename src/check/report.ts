/** Where findings go. */
import type { Diagnostic } from '../diagnostics/diagnostic.ts';

export type Report = (diagnostic: Diagnostic) => void;
