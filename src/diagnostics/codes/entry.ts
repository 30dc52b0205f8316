/** What is known about a diagnostic apart from its place and parameters. */
import type { Severity } from '../severity.ts';

export interface CatalogEntry {
  readonly severity: Severity;
  readonly title: string;
  /** What was found and what is allowed. A template, in which braces enclose the names of parameters. */
  readonly message: string;
  /** The wording that ptxas uses for such errors: a template with the same parameters. */
  readonly ptxas: string;
  /** The section of the PTX ISA; null if the ISA says nothing about it. */
  readonly section: string | null;
  /** The text that `ptxlab explain CODE` prints. */
  readonly explain: string;
}
