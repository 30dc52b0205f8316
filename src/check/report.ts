/** The functions through which findings are reported. */
import type { Code } from '../diagnostics/catalog.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';

export type Report = (diagnostic: Diagnostic) => void;

/**
 * Reports a finding with the given code. `make` is called to create the finding only if the finding is going to be
 * listed.
 */
export type ReportIfListed = (code: Code, make: () => Diagnostic) => void;
