/** Parses `.entry` and `.func` with their bodies. Source: section 11.2 of the PTX ISA. */
import type { Linkage } from '../isa/directives.ts';
import { emptyHeader, parseHeader, skipHeader } from './function-header.ts';
import type { Reader } from './reader.ts';
import { closeScope, parseStatements } from './statements.ts';
import { Token } from './tokens.ts';
import type { FunctionItem, Statement } from './tree.ts';

/**
 * Parses a function; the current token must be its `.entry` or `.func`. After a mistake in the header, only the parts
 * that could not be parsed are left out of the result, and the body is still parsed. If the function has no name,
 * reports an error and returns null.
 */
export function parseFunction(
  r: Reader,
  linkage: Linkage | null,
  start: number,
  entry: boolean,
  bodies: BodyParser,
): FunctionItem | null {
  const header = emptyHeader(r);
  r.next();
  const outcome = parseHeader(r, header, entry ? 'entry' : 'func');
  if (outcome === 'lacks-brace') r.failed = false;
  else if (outcome === 'mistaken') skipHeader(r);
  const hasBody = outcome === 'lacks-brace' || r.accept(Token.LeftBrace);
  const body = hasBody ? bodies(r) : null;
  if (body === null) r.accept(Token.Semicolon);
  if (header.name === '') return null;
  return {
    kind: 'function',
    start,
    end: r.previousEnd,
    entry,
    linkage,
    ...header,
    body,
    lines: r.lines,
  };
}

/**
 * Parses the body of a function after its `{`. A body parser may also return no statements, so that its caller can read
 * them later.
 */
export type BodyParser = (r: Reader) => readonly Statement[];

/** Parses a whole body. */
export function parseBody(r: Reader): readonly Statement[] {
  const statements = parseStatements(r);
  closeScope(r);
  return statements;
}
