/** Where findings go. */
import type { Code } from '../diagnostics/catalog.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';

export type Report = (diagnostic: Diagnostic) => void;

/** Reports a finding with the given code; the finding is created only if it will be listed. */
export type ReportIfListed = (code: Code, make: () => Diagnostic) => void;
