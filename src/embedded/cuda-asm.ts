/** Finds `asm` statements in CUDA C++ with a small scanner that tolerates everything else. */
import { elementAt } from '../base/element-at.ts';
import type { Span } from '../base/span.ts';
import { type AsmOperand, type AsmStatement, integerLiteral } from './asm-statement.ts';
import { addUnescaped, MappedText } from './literal-text.ts';

interface CudaToken extends Span {
  readonly kind: 'word' | 'string' | 'mark';
  /** Of a string, where its text stands between the quotes; raw strings have no escape sequences. */
  readonly content: (Span & { readonly raw: boolean }) | null;
  readonly isConditional: boolean;
}

const tokenPattern =
  /(?<space>\s+|\\\r?\n|\/\/(?:[^\n\\]|\\[^])*|\/\*[^]*?(?:\*\/|$))|(?<raw>(?:u8|[LuU])?R"(?<delimiter>[^()\\\s]{0,16})\([^]*?\)\k<delimiter>")|(?<string>(?:u8|[LuU])?"(?:[^"\\\n]|\\(?:\r\n|[^]))*"?)|(?<char>'(?:[^'\\\n]|\\[^])*'?)|(?<number>\.?\d(?:[\w.']|[eEpP][+-])*)|(?<word>[A-Za-z_$][\w$]*)|(?<mark>[^])/gy;

/** Conditions that guard a header against being read twice, or that do not depend on the target. */
const harmless = /^\s*(?:ifndef|if\s*!\s*defined)\b.*(?:_H_*|_HPP_*|_CUH_*|_INCLUDED_*|_GUARD_*)\)?\s*$|__cplusplus\b/i;

export function cudaTokens(source: string): readonly CudaToken[] {
  const tokens: CudaToken[] = [];
  const conditions: boolean[] = [];
  tokenPattern.lastIndex = 0;
  let isLineStart = true;
  while (tokenPattern.lastIndex < source.length) {
    const start = tokenPattern.lastIndex;
    const found = tokenPattern.exec(source);
    if (found === null) break;
    const end = tokenPattern.lastIndex;
    const { space, raw, string, word, mark, delimiter = '' } = found.groups ?? {};
    if (space !== undefined) {
      isLineStart ||= /\n/.test(space) && !space.startsWith('\\');
      continue;
    }
    const begins = isLineStart;
    isLineStart = false;
    if (mark === '#' && begins) {
      tokenPattern.lastIndex = afterDirective(source, end, conditions);
      isLineStart = source[tokenPattern.lastIndex - 1] === '\n';
      continue;
    }
    const isConditional = conditions.includes(true);
    if (raw !== undefined) {
      const inner = raw.indexOf('(') + 1;
      const content = { start: start + inner, end: end - delimiter.length - 2, raw: true };
      tokens.push({ kind: 'string', start, end, content, isConditional });
    } else if (string !== undefined) {
      const content = { start: start + string.indexOf('"') + 1, end: string.endsWith('"') ? end - 1 : end, raw: false };
      tokens.push({ kind: 'string', start, end, content, isConditional });
    } else {
      tokens.push({ kind: word === undefined ? 'mark' : 'word', start, end, content: null, isConditional });
    }
  }
  return tokens;
}

/**
 * Where to go on after the `#` of a directive: in the body of a macro, otherwise behind the line. Takes note of
 * conditions.
 */
function afterDirective(source: string, start: number, conditions: boolean[]): number {
  const line = /(?:[^\n\\]|\\\r?\n|\\)*\n?/y;
  line.lastIndex = start;
  const text = line.exec(source)?.[0] ?? '';
  const name = /^\s*(\w+)/.exec(text)?.[1] ?? '';
  if (name === 'define') return start + (/^\s*define\s+\w+(?:\([^)]*\))?/.exec(text)?.[0].length ?? text.length);
  if (name.startsWith('if')) conditions.push(!harmless.test(text));
  else if (name === 'endif') conditions.pop();
  else if (name.startsWith('el') && conditions.length > 0) conditions[conditions.length - 1] = true;
  return start + text.length;
}

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

/** The tokens up to the closing parenthesis, in the sections that colons separate. */
function sectionsAt(
  source: string,
  tokens: readonly CudaToken[],
  from: number,
): { readonly sections: readonly (readonly CudaToken[])[]; readonly end: number } | null {
  const sections: CudaToken[][] = [[]];
  let depth = 0;
  for (let i = from; i < tokens.length; i++) {
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
          ? 'macros or expressions make its text'
          : 'macros make its constraints',
      template: template ?? new MappedText(),
      operands: operands.flatMap((one) => (one === null ? [] : [one])),
      isConditional: texts.some((token) => token.isConditional),
    },
  ];
}

/** The text of adjacent literals; null if there is anything else. */
function literalText(source: string, tokens: readonly CudaToken[]): MappedText | null {
  const mapped = new MappedText();
  for (const { content } of tokens) {
    if (content === null) return null;
    if (content.raw) mapped.addPlain(source.slice(content.start, content.end), content.start);
    else addUnescaped(mapped, source, content.start, content.end);
  }
  return tokens.length === 0 ? null : mapped;
}

/** Operands are separated by commas: `[name] "=r"(value)`. One that cannot be read is null. */
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
