import type { Span } from '../base/span.ts';
import { type CatalogueEntry, type Code, catalogue, type Parameters } from './catalogue.ts';
import type { Severity } from './severity.ts';

/** A replacement of one span that makes the program legal, or legal in this respect. */
export interface Fix {
  readonly span: Span;
  readonly text: string;
}

/** One finding about a program. Offsets are UTF-16 offsets into the text it was found in. */
export interface Diagnostic {
  readonly code: Code;
  readonly severity: Severity;
  readonly message: string;
  readonly span: Span;
  /** How to fix it, or what is allowed instead. */
  readonly help: string | null;
  readonly fix: Fix | null;
  /** Section of the PTX ISA 9.1 that the rule comes from. */
  readonly section: string | null;
  /** The words ptxas uses for the same refusal, without severity and line. */
  readonly ptxas: string;
}

/** Fields that a call site may add to a catalogue entry. */
export interface Extras {
  readonly help?: string | null;
  readonly fix?: Fix | null;
  readonly section?: string | null;
}

/**
 * Makes a diagnostic of catalogue entry `code`. The entry's templates name their parameters in braces; leaving one out
 * does not typecheck.
 */
export function diagnose<C extends Code>(
  code: C,
  span: Span,
  parameters: Parameters<C>,
  extras: Extras = {},
): Diagnostic {
  return diagnoseStored(code, span, parameters, extras);
}

/** The same of parameters that were compared with the entry when they were stored. */
export function diagnoseStored(
  code: Code,
  span: Span,
  parameters: Readonly<Record<string, string>>,
  extras: Extras = {},
): Diagnostic {
  const entry: CatalogueEntry = catalogue[code];
  return {
    code,
    severity: entry.severity,
    message: fill(entry.message, parameters),
    span: { start: span.start, end: span.end },
    help: extras.help ?? null,
    fix: extras.fix ?? null,
    section: extras.section ?? entry.section,
    ptxas: fill(entry.ptxas, parameters),
  };
}

function fill(template: string, parameters: Readonly<Record<string, string>>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => parameters[name] ?? whole);
}
