/** Finds `asm` statements in CUDA C++ with a small scanner that skips all other code. */
import { elementAt } from '../base/element-at.ts';
import type { Span } from '../base/span.ts';
import { type AsmOperand, type AsmStatement, integerLiteral } from './asm-statement.ts';
import { addUnescaped, insideQuotes, literalEnd, MappedText } from './literal-text.ts';

interface CudaToken extends Span {
  readonly kind: 'word' | 'string' | 'mark';
  /**
   * For a string, the span of its text between the quotes; null for other tokens. Raw strings have no escape sequences.
   */
  readonly content: (Span & { readonly raw: boolean }) | null;
  readonly isConditional: boolean;
}

const gapPattern = /\s+|\\\r?\n/y;
const rawPattern = /(?:u8|[LuU])?R"([^()\\\s]{0,16})\(/y;
const stringPattern = /(?:u8|[LuU])?"/y;
const wordPattern = /[A-Za-z_$][\w$]*|\.?\d(?:[\w.']|[eEpP][+-])*/y;

function matchAt(pattern: RegExp, source: string, start: number): RegExpExecArray | null {
  pattern.lastIndex = start;
  return pattern.exec(source);
}

/** The end of the white space or comment that begins at `start`; `start` itself if there is none. */
function gapEnd(source: string, start: number): number {
  if (source.startsWith('//', start)) return logicalLineEnd(source, start) - 1;
  if (source.startsWith('/*', start)) {
    const end = source.indexOf('*/', start + 2);
    return end < 0 ? source.length : end + 2;
  }
  return start + (matchAt(gapPattern, source, start)?.[0].length ?? 0);
}

/** The offset after the end of a logical line, which may extend over several lines that end with backslashes. */
function logicalLineEnd(source: string, start: number): number {
  for (let at = start; ; ) {
    const end = source.indexOf('\n', at);
    if (end < 0) return source.length + 1;
    if (!/\\\r?$/.test(source.slice(Math.max(at, end - 2), end))) return end + 1;
    at = end + 1;
  }
}

/** Preprocessor conditions that do not depend on the target, such as include guards. */
const harmless = /^\s*(?:ifndef|if\s*!\s*defined)\b.*(?:_H_*|_HPP_*|_CUH_*|_INCLUDED_*|_GUARD_*)\)?\s*$|__cplusplus\b/i;

/** The words, strings and punctuation marks of a file, without comments and directives. */
function cudaTokens(source: string): readonly CudaToken[] {
  const tokens: CudaToken[] = [];
  const conditions: boolean[] = [];
  let isLineStart = true;
  for (let at = 0; at < source.length; ) {
    const gap = Math.min(gapEnd(source, at), source.length);
    if (gap > at) {
      isLineStart ||= source[at] !== '\\' && source.slice(at, gap).includes('\n');
      at = gap;
    } else if (isLineStart && source[at] === '#') {
      at = Math.min(afterDirective(source, at + 1, conditions), source.length);
      isLineStart = source[at - 1] === '\n';
    } else {
      const token = { ...tokenAt(source, at), isConditional: conditions.includes(true) };
      isLineStart = false;
      at = token.end;
      if (token.kind !== 'character') tokens.push({ ...token, kind: token.kind });
    }
  }
  return tokens;
}

type PlainToken = Omit<CudaToken, 'isConditional' | 'kind'> & { readonly kind: CudaToken['kind'] | 'character' };

function tokenAt(source: string, start: number): PlainToken {
  const raw = matchAt(rawPattern, source, start);
  if (raw !== null) {
    const closing = `)${raw[1] ?? ''}"`;
    const found = source.indexOf(closing, rawPattern.lastIndex);
    const inner = { start: rawPattern.lastIndex, end: found < 0 ? source.length : found, raw: true };
    return { kind: 'string', start, end: found < 0 ? source.length : found + closing.length, content: inner };
  }
  if (matchAt(stringPattern, source, start) !== null) {
    const inner = stringPattern.lastIndex;
    const end = literalEnd(source, inner, '"', true);
    return { kind: 'string', start, end, content: { ...insideQuotes(source, inner, end, '"'), raw: false } };
  }
  if (source[start] === "'") {
    return { kind: 'character', start, end: literalEnd(source, start + 1, "'", true), content: null };
  }
  const word = matchAt(wordPattern, source, start)?.[0];
  if (word === undefined) return { kind: 'mark', start, end: start + 1, content: null };
  return { kind: /^[.\d]/.test(word) ? 'mark' : 'word', start, end: start + word.length, content: null };
}

/**
 * The offset at which to continue after the `#` of a directive. For `#define`, this is the start of the macro's body;
 * otherwise, it is the end of the line. Keeps track of conditions.
 */
function afterDirective(source: string, start: number, conditions: boolean[]): number {
  const end = logicalLineEnd(source, start);
  const text = source.slice(start, Math.min(end, start + longestCondition));
  const name = /^\s*(\w+)/.exec(text)?.[1] ?? '';
  if (name === 'define') return start + (/^\s*define\s+\w+(?:\([^)]*\))?/.exec(text)?.[0].length ?? text.length);
  if (name.startsWith('if')) conditions.push(!harmless.test(text));
  else if (name === 'endif') conditions.pop();
  else if (name.startsWith('el') && conditions.length > 0) conditions[conditions.length - 1] = true;
  return end;
}

/** Maximum number of characters that are read from a directive. */
const longestCondition = 2000;

/** A statement with more than this many tokens is ignored. */
const mostTokens = 5000;

const qualifiers = new Set(['volatile', '__volatile__', '__volatile', 'inline', '__inline__', 'goto', 'const']);

/** Every `asm` statement of a file. */
export function cudaStatements(source: string): readonly AsmStatement[] {
  if (!/\basm|__asm/.test(source)) return [];
  const tokens = cudaTokens(source);
  const text = ({ start, end }: Span): string => source.slice(start, end);
  return tokens.flatMap((token, i) => {
    if (token.kind !== 'word' || !/^(?:asm|__asm__|__asm)$/.test(text(token))) return [];
    let open = i + 1;
    while (open < tokens.length && qualifiers.has(text(elementAt(tokens, open)))) open++;
    const first = tokens[open];
    if (first === undefined || text(first) !== '(') return [];
    return statementAt(source, tokens, token.start, open + 1);
  });
}

/** The tokens up to the closing parenthesis, split into sections at the colons. */
function sectionsAt(
  source: string,
  tokens: readonly CudaToken[],
  from: number,
): { readonly sections: readonly (readonly CudaToken[])[]; readonly end: number } | null {
  const sections: CudaToken[][] = [[]];
  let depth = 0;
  for (let i = from; i < Math.min(tokens.length, from + mostTokens); i++) {
    const token = elementAt(tokens, i);
    const mark = token.kind === 'mark' ? source[token.start] : '';
    if (mark === ')' && depth === 0) return { sections, end: token.end };
    if (mark === '(' || mark === '{') depth++;
    else if (mark === ')' || mark === '}') depth--;
    else if (mark === ';' && depth === 0) return null;
    if (mark === ':' && depth === 0) sections.push([]);
    else sections.at(-1)?.push(token);
  }
  return null;
}

function statementAt(
  source: string,
  tokens: readonly CudaToken[],
  start: number,
  from: number,
): readonly AsmStatement[] {
  const found = sectionsAt(source, tokens, from);
  if (found === null) return [];
  const [texts = [], outputs = [], inputs = []] = found.sections;
  const template = literalText(source, texts);
  const operands = [...operandsIn(source, outputs), ...operandsIn(source, inputs)];
  const isKnown = template !== null && !operands.includes(null);
  return [
    {
      start,
      end: found.end,
      language: 'cuda',
      unknown: isKnown
        ? null
        : template === null
          ? 'its text is built from macros or expressions'
          : 'its constraints are built from macros',
      template: template ?? new MappedText(),
      operands: operands.flatMap((one) => (one === null ? [] : [one])),
      isConditional: texts.some((token) => token.isConditional),
    },
  ];
}

/** The text of adjacent literals; null if there are no tokens or if any token is not a literal. */
function literalText(source: string, tokens: readonly CudaToken[]): MappedText | null {
  const mapped = new MappedText();
  for (const { content } of tokens) {
    if (content === null) return null;
    if (content.raw) mapped.addPlain(source.slice(content.start, content.end), content.start);
    else addUnescaped(mapped, source, content.start, content.end);
  }
  return tokens.length === 0 ? null : mapped;
}

/** The operands, which are separated by commas: `[name] "=r"(value)`. An operand that cannot be read is null. */
function operandsIn(source: string, tokens: readonly CudaToken[]): readonly (AsmOperand | null)[] {
  const groups: CudaToken[][] = [[]];
  let depth = 0;
  for (const token of tokens) {
    const mark = token.kind === 'mark' ? (source[token.start] ?? '') : '';
    if ('([{'.includes(mark) && mark !== '') depth++;
    if (')]}'.includes(mark) && mark !== '') depth--;
    if (mark === ',' && depth === 0) groups.push([]);
    else groups.at(-1)?.push(token);
  }
  return groups.filter((group) => group.length > 0).map((group) => operandOf(source, group));
}

function operandOf(source: string, tokens: readonly CudaToken[]): AsmOperand | null {
  const at = tokens.findIndex(({ kind }) => kind === 'string');
  const literals = tokens.filter(({ kind }, i) => kind === 'string' && i < at + 1);
  const [literal] = literals;
  const open = tokens[at + 1];
  const close = tokens.at(-1);
  if (literal?.content == null || open === undefined || close === undefined || source[open.start] !== '(') return null;
  if (at !== 0 && at !== 3) return null;
  const name = at === 3 ? source.slice(tokens[1]?.start, tokens[1]?.end) : null;
  const constraint = source.slice(literal.content.start, literal.content.end).replaceAll(/[=+&%\s]/g, '');
  const value = integerLiteral(source.slice(open.end, close.start));
  return { constraint, name, value, span: { start: literal.start, end: literal.end } };
}
