/**
 * Parses `.nv_intermediate_source_section`, which contains the intermediate-language code from which a module was
 * compiled. Source: PTX ISA 9.4, section 11.5.6.
 */
import { debugItem } from './debug.ts';
import type { Reader } from './reader.ts';
import { Token } from './tokens.ts';
import type { DebugItem } from './tree.ts';
import { readCount } from './values.ts';

export function parseIntermediateSource(r: Reader): DebugItem | null {
  const start = r.start;
  r.next();
  if (!r.expect(Token.LeftBrace, "'{'")) return null;
  while (r.kind !== Token.RightBrace) {
    if (!parseCodeBlock(r)) return null;
  }
  r.next();
  return debugItem(r, start, { directive: '.nv_intermediate_source_section' });
}

/** Parses `.code_block { .ir_name: "…" .sourceFileName: 2 .source_begin … .source_end }`. */
function parseCodeBlock(r: Reader): boolean {
  if (!expectWord(r, '.code_block') || !r.expect(Token.LeftBrace, "'{'")) return false;
  if (!expectWord(r, '.ir_name') || !r.expect(Token.Colon, "':'")) return false;
  if (!r.expect(Token.String, 'the name of a language in quotes')) return false;
  if (!expectWord(r, '.sourceFileName') || !r.expect(Token.Colon, "':'")) return false;
  if (readCount(r, 'a file number') === null) return false;
  return skipText(r) && r.expect(Token.RightBrace, "'}'");
}

function expectWord(r: Reader, word: string): boolean {
  if (r.kind === Token.Dotted && r.text() === word) {
    r.next();
    return true;
  }
  r.unexpected(word);
  return false;
}

/**
 * The words before and after the text in an intermediate language. LLVM wrote `.source: <<< … >>>` before the ISA
 * described the section.
 */
const texts: ReadonlyMap<string, string> = new Map([
  ['.source_begin', '.source_end'],
  ['.source', '>>>'],
]);

/** Skips the text in an intermediate language, which extends to the word that ends it. */
function skipText(r: Reader): boolean {
  const last = texts.get(r.text());
  if (last === undefined) {
    r.unexpected('.source_begin');
    return false;
  }
  const end = r.source.indexOf(last, r.end);
  if (end < 0) {
    r.unexpected(`${last} after the text`);
    return false;
  }
  r.goOn(end + last.length);
  return true;
}
