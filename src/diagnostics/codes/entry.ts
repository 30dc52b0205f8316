/** The properties of a diagnostic that do not depend on its position or its parameters. */
import type { Severity } from '../severity.ts';

export interface CatalogEntry {
  readonly severity: Severity;
  readonly title: string;
  /** A template for a description of what was found and what is allowed. Parameter names are enclosed in braces. */
  readonly message: string;
  /** The wording that ptxas uses for the same error, as a template with the same parameters. */
  readonly ptxas: string;
  /** The section of the PTX ISA that contains the rule; null if there is no such section. */
  readonly section: string | null;
  /** The text that `ptxlab explain CODE` prints. */
  readonly explain: string;
}
