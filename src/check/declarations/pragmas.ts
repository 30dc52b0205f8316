/** Checks the strings of `.pragma`. */
import type { Span } from '../../base/span.ts';
import { diagnose } from '../../diagnostics/diagnostic.ts';
import { findPragma } from '../../isa/find-directive.ts';
import type { Report } from '../report.ts';

/** The place of a pragma: outside functions, between the header and the body of a function, or in a body. */
export type PragmaPlace = 'module' | 'header' | 'body';

/** Reports pragmas that are unknown, are not allowed where they appear, or have an invalid argument. */
export function checkPragmas(strings: readonly string[], span: Span, place: PragmaPlace, report: Report): void {
  for (const text of strings) {
    const row = findPragma(text);
    if (row === undefined) reportUnknown(text, span, place, report);
    else if (row.open && place !== 'body') reportPlace(text, row.name, span, report);
    else if (row.argument !== undefined) checkArgument(text, row.name, row.argument, span, report);
  }
}

function reportUnknown(text: string, span: Span, place: PragmaPlace, report: Report): void {
  if (place !== 'module') {
    report(diagnose('PTX5037', span, { found: text }));
    return;
  }
  const what = `'${text}' is not a pragma that is allowed outside functions`;
  report(diagnose('PTX5007', span, { what, ptxas: `Pragma '${text}' not supported` }));
}

function reportPlace(text: string, name: string, span: Span, report: Report): void {
  const what = `the pragma '${name}' is allowed only in the body of a function`;
  report(diagnose('PTX5007', span, { what, ptxas: `Pragma '${text}' is allowed only within function scope` }));
}

/**
 * Checks the argument of a pragma. ptxas reads it with C's `strtoll` and does not specify a base, so decimal, octal and
 * hexadecimal numbers are accepted.
 */
function checkArgument(
  text: string,
  name: string,
  argument: 'integer' | 'positive integer',
  span: Span,
  report: Report,
): void {
  const [, separated = '', found = ''] = /^(.?\s*)(.*)$/s.exec(text.slice(name.length)) ?? [];
  const what = `the pragma '${name}' needs ${argument === 'integer' ? 'an' : 'a'} ${argument} after its name`;
  if (separated === '' || found === '') {
    report(diagnose('PTX5007', span, { what, ptxas: `Argument(s) to pragma '${text}' cannot be empty` }));
    return;
  }
  const isInteger = /^[+-]?(0[0-7]*|[1-9]\d*|0x[\da-f]+)$/i.test(found);
  const isZero = /^[+-]?0+(x0+)?$/i.test(found);
  if (isInteger && (argument === 'integer' || !(isZero || found.startsWith('-')))) return;
  const ptxas = `Invalid value '${found}' specified for .pragma '${text}'`;
  report(diagnose('PTX5007', span, { what: `${what}; found '${found}'`, ptxas }));
}
