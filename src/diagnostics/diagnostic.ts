import type { Span } from '../base/span.ts';
import type { Fix, HeaderChange } from './fix.ts';
import { type CatalogEntry, type Code, catalog, type Parameters } from './catalog.ts';
import type { Severity } from './severity.ts';

/** One finding about a program. Offsets are UTF-16 offsets into the text in which it was found. */
export interface Diagnostic {
  readonly code: Code;
  readonly severity: Severity;
  readonly message: string;
  readonly span: Span;
  /** How to fix it, or what is allowed instead. */
  readonly help: string | null;
  /** Fixes that can be derived from the position of the error alone, most likely first. */
  readonly fixes: readonly Fix[];
  /**
   * Changes to the module's header, each of which would make the missing feature available by itself; the smallest
   * change comes first.
   */
  readonly accepted: readonly HeaderChange[];
  /** The section of the PTX ISA 9.1 that contains the rule. */
  readonly section: string | null;
  /** The wording that ptxas uses for the same problem, without severity and line. */
  readonly ptxas: string;
}

/** Fields that a call site may add to a catalog entry. */
export interface Extras {
  readonly help?: string | null;
  readonly fixes?: readonly Fix[];
  readonly accepted?: readonly HeaderChange[];
  readonly section?: string | null;
}

/**
 * Makes a diagnostic from the catalog entry `code`. The entry's templates name their parameters in braces; leaving
 * one out does not typecheck.
 */
export function diagnose<C extends Code>(
  code: C,
  span: Span,
  parameters: Parameters<C>,
  extras: Extras = {},
): Diagnostic {
  return diagnoseStored(code, span, parameters, extras);
}

const noFixes: readonly Fix[] = [];
const noChanges: readonly HeaderChange[] = [];

/** Makes a diagnostic from parameters that were checked against the entry when they were stored. */
export function diagnoseStored(
  code: Code,
  span: Span,
  parameters: Readonly<Record<string, string>>,
  extras: Extras = {},
): Diagnostic {
  const entry: CatalogEntry = catalog[code];
  return {
    code,
    severity: entry.severity,
    message: fill(entry.message, parameters),
    span: { start: span.start, end: span.end },
    help: extras.help ?? null,
    fixes: extras.fixes ?? noFixes,
    accepted: extras.accepted ?? noChanges,
    section: extras.section ?? entry.section,
    ptxas: fill(entry.ptxas, parameters),
  };
}

function fill(template: string, parameters: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => parameters[name] ?? whole);
}
