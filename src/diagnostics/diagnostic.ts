import type { Span } from '../base/span.ts';
import type { Fix, HeaderChange } from './fix.ts';
import { type Code, catalog, type Parameters } from './catalog.ts';
import type { CatalogEntry } from './codes/entry.ts';
import type { Severity } from './severity.ts';

/**
 * One finding about a program. Offsets are counted in UTF-16 units from the start of the text in which the finding
 * occurs.
 */
export interface Diagnostic {
  readonly code: Code;
  readonly severity: Severity;
  readonly message: string;
  readonly span: Span;
  /** How to fix the problem, or what is allowed instead. */
  readonly help: string | null;
  /** Fixes that can be derived from the position of the error alone, most likely first. */
  readonly fixes: readonly Fix[];
  /**
   * Alternative changes to the module's header. Any one of these changes would make the missing feature available; the
   * smallest change comes first.
   */
  readonly accepted: readonly HeaderChange[];
  /** The number of the section of the PTX ISA 9.1 document that contains the rule. */
  readonly section: string | null;
  /** The wording that ptxas uses for the same problem, without severity and line. */
  readonly ptxas: string;
}

/** Fields of a diagnostic that do not come from the catalog entry; callers may add them. */
export interface Extras {
  readonly help?: string | null;
  readonly fixes?: readonly Fix[];
  readonly accepted?: readonly HeaderChange[];
  readonly section?: string | null;
}

/**
 * Creates a diagnostic from the catalog entry `code`. In the templates of the entry, parameter names are enclosed in
 * braces. Leaving out a parameter is a type error.
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

/**
 * Creates a diagnostic from parameters that were stored earlier. The names of the parameters were checked against the
 * catalog entry when the parameters were stored.
 */
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

/**
 * A cache of the pieces of each template: alternately text and parameter names. The diagnostics of a module often use
 * the same few templates.
 */
const pieces = new Map<string, readonly string[]>();

/** A template of the catalog with the parameters filled in. */
export function fill(template: string, parameters: Readonly<Record<string, string>>): string {
  let known = pieces.get(template);
  if (known === undefined) {
    known = template.split(/\{(\w+)\}/);
    pieces.set(template, known);
  }
  return known.map((piece, i) => (i % 2 === 0 ? piece : (parameters[piece] ?? `{${piece}}`))).join('');
}
