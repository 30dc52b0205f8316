/** Parses the directives between the header of a function and its body. Source: PTX ISA 11.4. */
import { rewrite } from '../diagnostics/fix.ts';
import { nearestWord } from '../base/nearest-word.ts';
import type { TuningOwner } from '../isa/directives.ts';
import { startsItem, tuningRules } from './directives.ts';
import type { ParameterOwner } from './parameters.ts';
import type { Reader } from './reader.ts';
import { Token } from './tokens.ts';
import type { TuningDirective } from './tree.ts';
import { parseStrings, readCount, readString } from './values.ts';

/** Parses `.maxntid 128, 1, 1 .maxnreg 32 …`; null after an error. */
export function parseTuning(r: Reader, owner: ParameterOwner): readonly TuningDirective[] | null {
  const tuning: TuningDirective[] = [];
  const mayEnd = owner === 'func';
  while (r.kind === Token.Dotted) {
    if ((mayEnd && startsItem(r.text())) || startsStatement(r)) break;
    const directive =
      r.text() === '.pragma' && owner !== 'prototype' ? parsePragma(r, owner) : parseOneTuning(r, owner);
    if (directive === null) return null;
    tuning.push(directive);
  }
  return tuning;
}

const bodyDirectives: ReadonlySet<string> = new Set(['.reg', '.local', '.param', '.loc']);

/** Whether the current token begins a line that can only be in a body, so that the `{` of the body is missing. */
export function startsStatement(r: Reader): boolean {
  if (!r.startsLine()) return false;
  return r.kind === Token.Dotted ? bodyDirectives.has(r.text()) : r.kind === Token.Name || r.kind === Token.At;
}

function parseOneTuning(r: Reader, owner: ParameterOwner): TuningDirective | null {
  const start = r.start;
  const name = r.text();
  const rule = tuningRules.get(name);
  const on = owner === 'entry' ? 'entry' : 'func';
  if (rule === undefined || !rule.on.includes(on)) return unexpectedTuning(r, name, on);
  r.next();
  const values: number[] = [];
  const strings: string[] = [];
  const [, most] = rule.values;
  for (let read = 0; read < most; ) {
    const isString = rule.named && r.kind === Token.String;
    if (isString) strings.push(readString(r));
    else {
      const value = readCount(r, `a value of ${name}`);
      if (value === null) return null;
      values.push(value);
    }
    if (++read === most || !r.accept(Token.Comma)) break;
  }
  return { start, end: r.previousEnd, name, values, strings };
}

function unexpectedTuning(r: Reader, name: string, on: TuningOwner): null {
  const known = [...tuningRules.values()].filter((rule) => rule.on.includes(on)).map((rule) => rule.name);
  const near = nearestWord(name, known);
  const expected = on === 'entry' ? "a kernel directive or '{'" : "a function directive, ';' or '{'";
  if (near !== null) return r.unexpected(expected, { help: `did you mean ${near}?`, fixes: [rewrite(r.span(), near)] });
  const owner = on === 'entry' ? '.func' : '.entry';
  return r.unexpected(expected, tuningRules.has(name) ? { help: `${name} is allowed only on ${owner} functions` } : {});
}

/**
 * Parses a `.pragma` in a header. In the header of a kernel, the directive ends with a `;`. In the header of a `.func`,
 * a `;` ends the whole prototype.
 */
function parsePragma(r: Reader, owner: ParameterOwner): TuningDirective | null {
  const start = r.start;
  const strings = parseStrings(r);
  if (strings === null) return null;
  const end = owner === 'entry' ? r.expectSemicolon("','") : r.previousEnd;
  return end < 0 ? null : { start, end, name: '.pragma', values: [], strings };
}
