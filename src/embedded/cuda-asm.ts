/** Finds `asm` statements in CUDA C++ with a small scanner that skips all other code. */
import { type AsmOperand, type AsmStatement, integerLiteral } from './asm-statement.ts';
import { type CudaToken, CudaTokens } from './cuda-tokens.ts';
import { addUnescaped, MappedText } from './literal-text.ts';

/** A statement with more than this many tokens is ignored. */
const mostTokens = 5000;

const qualifiers = new Set(['volatile', '__volatile__', '__volatile', 'inline', '__inline__', 'goto', 'const']);

/** Every `asm` statement of a file. */
export function cudaStatements(source: string): readonly AsmStatement[] {
  if (!/\basm|__asm/.test(source)) return [];
  const tokens = new CudaTokens(source);
  const found: AsmStatement[] = [];
  for (let i = 0; i < tokens.length; i++) {
    if (!tokens.isAsm(i)) continue;
    let open = i + 1;
    while (open < tokens.length && qualifiers.has(tokens.text(open))) open++;
    const sections = open < tokens.length && tokens.text(open) === '(' ? sectionsAt(source, tokens, open) : null;
    if (sections !== null) found.push(statementOf(source, tokens.at(i).start, sections));
  }
  return found;
}

interface Sections {
  readonly sections: readonly (readonly CudaToken[])[];
  /** The offset after the closing parenthesis. */
  readonly end: number;
}

/** The tokens between the parenthesis at `open` and its closing parenthesis, split into sections at the colons. */
function sectionsAt(source: string, tokens: CudaTokens, open: number): Sections | null {
  const close = tokens.closingOf(open);
  if (close < 0 || close - open > mostTokens || tokens.text(close) !== ')') return null;
  const sections: CudaToken[][] = [[]];
  let depth = 0;
  for (let i = open + 1; i < close; i++) {
    const token = tokens.at(i);
    const mark = token.kind === 'mark' ? source[token.start] : '';
    if (mark === '(' || mark === '{') depth++;
    else if (mark === ')' || mark === '}') depth--;
    else if (mark === ';' && depth === 0) return null;
    if (mark === ':' && depth === 0) sections.push([]);
    else sections.at(-1)?.push(token);
  }
  return { sections, end: tokens.at(close).end };
}

function statementOf(source: string, start: number, { sections, end }: Sections): AsmStatement {
  const [texts = [], outputs = [], inputs = []] = sections;
  const template = literalText(source, texts);
  const operands = [...operandsIn(source, outputs), ...operandsIn(source, inputs)];
  return {
    start,
    end,
    language: 'cuda',
    unknown: whyUnknown(texts, template, operands),
    template: template ?? new MappedText(),
    operands: operands.flatMap((one) => (one === null ? [] : [one])),
    isConditional: texts.some((token) => token.isConditional),
  };
}

function whyUnknown(
  texts: readonly CudaToken[],
  template: MappedText | null,
  operands: readonly (AsmOperand | null)[],
): string | null {
  if (template === null) return 'its text is built from macros or expressions';
  if (texts.some(({ branch }) => branch !== texts[0]?.branch)) return 'its text depends on preprocessor conditions';
  return operands.includes(null) ? 'its constraints are built from macros' : null;
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
