/**
 * The public face of ptxlab's core: everything here runs in any JavaScript runtime and depends on nothing.
 *
 * @module
 */
export { PtxlabError } from './base/error.ts';
export { SourceText } from './base/source-text.ts';
export type { Position, Span } from './base/span.ts';
export type { Acceptance } from './check/availability.ts';
export { type CheckOptions, type CheckReport, check, type Requirements } from './check/check.ts';
export { catalogue, type Code } from './diagnostics/catalogue.ts';
export type { Diagnostic, Fix, Severity } from './diagnostics/diagnostic.ts';
export { parseModule as parse } from './syntax/parser.ts';
export { printModule as print } from './syntax/printer.ts';
