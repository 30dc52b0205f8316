/** Finds calls to Triton's `inline_asm_elementwise` in Python with a small scanner that skips all other code. */
import { once } from '../base/once.ts';
import { append } from '../base/append.ts';
import { matchAt } from '../base/match-at.ts';
import { elementAt } from '../base/element-at.ts';
import type { Span } from '../base/span.ts';
import type { AsmOperand, AsmStatement } from './asm-statement.ts';
import { addUnescaped, insideQuotes, literalEnd, MappedText } from './literal-text.ts';

interface PythonToken extends Span {
  readonly kind: 'word' | 'string' | 'mark';
  readonly content: (Span & { readonly prefix: string }) | null;
}

const gapPattern = /\s+|\\\r?\n/y;
const quotePattern = /([rRbBuUfFtT]{0,2})("""|'''|"|')/y;
const wordPattern = /[\p{L}_][\p{L}\d_]*/uy;

function pythonTokens(source: string): readonly PythonToken[] {
  const tokens: PythonToken[] = [];
  for (let at = 0; at < source.length; ) {
    const gap = matchAt(gapPattern, source, at);
    if (gap !== null) at += gap[0].length;
    else if (source[at] === '#') {
      const end = source.indexOf('\n', at);
      at = end < 0 ? source.length : end;
    } else {
      const token = tokenAt(source, at);
      tokens.push(token);
      at = token.end;
    }
  }
  return tokens;
}

function tokenAt(source: string, start: number): PythonToken {
  const opening = matchAt(quotePattern, source, start);
  if (opening !== null) {
    const [, prefix = '', quote = '"'] = opening;
    const inner = quotePattern.lastIndex;
    const end = literalEnd(source, inner, quote, quote.length === 1);
    const content = { ...insideQuotes(source, inner, end, quote), prefix: prefix.toLowerCase() };
    return { kind: 'string', start, end, content };
  }
  const word = matchAt(wordPattern, source, start)?.[0];
  return { kind: word === undefined ? 'mark' : 'word', start, end: start + (word?.length ?? 1), content: null };
}

interface PythonFile {
  readonly source: string;
  readonly tokens: readonly PythonToken[];
  /** The assignments are found when they are first needed. */
  readonly assignments: () => Assignments;
}

function pythonFile(source: string): PythonFile {
  const tokens = pythonTokens(source);
  return { source, tokens, assignments: once(() => assignmentsIn(source, tokens)) };
}

/** A call with more than this many tokens is ignored. */
const mostTokens = 5000;

/** Every call to `inline_asm_elementwise` in a file. */
export function tritonStatements(source: string): readonly AsmStatement[] {
  if (!source.includes('inline_asm_elementwise')) return [];
  const file = pythonFile(source);
  const { tokens } = file;
  const text = (token: Span | undefined): string => (token === undefined ? '' : source.slice(token.start, token.end));
  return tokens.flatMap((token, i) => {
    const isCall =
      text(token) === 'inline_asm_elementwise' && text(tokens[i + 1]) === '(' && text(tokens[i - 1]) !== 'def';
    if (!isCall) return [];
    const call = argumentsAt(source, tokens, i + 2);
    return call === null ? [] : [statementOf(file, { start: token.start, end: call.end }, call.named)];
  });
}

type Named = ReadonlyMap<string, readonly PythonToken[]>;

const positions = ['asm', 'constraints', 'args', 'dtype', 'is_pure', 'pack'];

/** The arguments of a call, indexed by the names of the parameters. */
function argumentsAt(
  source: string,
  tokens: readonly PythonToken[],
  from: number,
): { readonly named: Named; readonly end: number } | null {
  const groups: PythonToken[][] = [[]];
  let depth = 0;
  for (let i = from; i < Math.min(tokens.length, from + mostTokens); i++) {
    const token = elementAt(tokens, i);
    const mark = token.kind === 'mark' ? (source[token.start] ?? '') : '';
    if (mark === ')' && depth === 0) return { named: byName(source, groups), end: token.end };
    if (mark === '(' || mark === '[' || mark === '{') depth++;
    if (mark === ')' || mark === ']' || mark === '}') depth--;
    if (mark === ',' && depth === 0) groups.push([]);
    else groups.at(-1)?.push(token);
  }
  return null;
}

function byName(source: string, groups: readonly (readonly PythonToken[])[]): Named {
  const named = new Map<string, readonly PythonToken[]>();
  for (const [i, group] of groups.entries()) {
    const [first, equals] = group;
    const isNamed = first?.kind === 'word' && equals !== undefined && source[equals.start] === '=';
    const name = isNamed ? source.slice(first.start, first.end) : (positions[i] ?? '');
    named.set(name, isNamed ? group.slice(2) : group);
  }
  return named;
}

function statementOf(file: PythonFile, span: Span, named: Named): AsmStatement {
  const template = valueText(file, named.get('asm') ?? []);
  const constraints = valueText(file, named.get('constraints') ?? []);
  const unknown =
    template === null
      ? 'its text is computed by an expression'
      : constraints === null
        ? 'its constraints are computed by an expression'
        : null;
  return {
    ...span,
    language: 'triton',
    unknown,
    template: template ?? new MappedText(),
    operands: constraints === null ? [] : operandsOf(constraints),
    isConditional: false,
  };
}

/**
 * The text of a value that consists of adjacent string literals, with or without parentheses. The value can also be a
 * name that is assigned only once, if the assigned value consists of such literals. Null for any other value.
 */
function valueText(file: PythonFile, value: readonly PythonToken[]): MappedText | null {
  const { source } = file;
  const inner = withoutParentheses(source, value);
  const [only] = inner;
  if (inner.length !== 1 || only?.kind !== 'word') return literalText(source, inner);
  const assigned = assignedTo(file, source.slice(only.start, only.end));
  return assigned === null ? null : literalText(source, withoutParentheses(source, assigned));
}

/** The text of adjacent string literals; null if any token is anything else. */
function literalText(source: string, tokens: readonly PythonToken[]): MappedText | null {
  const mapped = new MappedText();
  for (const { content } of tokens) {
    if (content === null || /[ftb]/.test(content.prefix)) return null;
    if (content.prefix.includes('r')) mapped.addPlain(source.slice(content.start, content.end), content.start);
    else addUnescaped(mapped, source, content.start, content.end);
  }
  return tokens.length === 0 ? null : mapped;
}

function withoutParentheses(source: string, tokens: readonly PythonToken[]): readonly PythonToken[] {
  let inner = tokens;
  while (inner.length > 2 && source[inner[0]?.start ?? 0] === '(' && source[inner.at(-1)?.start ?? 0] === ')') {
    inner = inner.slice(1, -1);
  }
  return inner;
}

/** For each name in a file, the index of the first token of each value that is assigned to the name. */
type Assignments = ReadonlyMap<string, readonly number[]>;

/** Finds the assignments `NAME = …` and `NAME: type = …`. */
function assignmentsIn(source: string, tokens: readonly PythonToken[]): Assignments {
  const mark = (i: number): string => (tokens[i]?.kind === 'mark' ? (source[tokens[i].start] ?? '') : '');
  const found = new Map<string, number[]>();
  // The index of the next `=`; -1 if a comma or a closing parenthesis comes first, because a type annotation ends
  // there.
  let annotated = -1;
  for (let i = tokens.length - 1; i >= 0; i--) {
    const at = mark(i + 1) === ':' ? annotated : i + 1;
    const token = elementAt(tokens, i);
    const isAssigned = at >= 0 && mark(at) === '=' && mark(at + 1) !== '=' && mark(i - 1) !== '.';
    if (isAssigned && token.kind === 'word') {
      const name = source.slice(token.start, token.end);
      append(found, name, at + 1);
    }
    if (mark(i) === '=') annotated = i;
    else if (mark(i) === ',' || mark(i) === ')') annotated = -1;
  }
  return found;
}

/**
 * The literals that are assigned to a name; null if the name is not assigned exactly once, or if the value is not a
 * literal.
 */
function assignedTo({ source, tokens, assignments }: PythonFile, name: string): readonly PythonToken[] | null {
  const [start, another] = assignments().get(name) ?? [];
  if (start === undefined || another !== undefined) return null;
  const text = (i: number): string => source.slice(tokens[i]?.start, tokens[i]?.end);
  let end = start;
  while (tokens[end]?.kind === 'string' || text(end) === '(' || text(end) === ')') end++;
  const value = tokens.slice(start, end);
  return value.some(({ kind }) => kind === 'string') ? value : null;
}

/**
 * Parses constraints such as `=r,=r,r,r`, which list the outputs first and then the inputs. Constraints of the form
 * `~{…}` name registers or memory that the code overwrites.
 */
function operandsOf(constraints: MappedText): readonly AsmOperand[] {
  const operands: AsmOperand[] = [];
  for (const { 0: one, index } of constraints.text.matchAll(/[^,]+/g)) {
    const constraint = one.replaceAll(/[=&\s]/g, '');
    if (constraint === '' || constraint.startsWith('~')) continue;
    const tied = /^\d+$/.test(constraint) ? operands[Number(constraint)]?.constraint : undefined;
    const span = constraints.source({ start: index, end: index + one.length });
    operands.push({ constraint: tied ?? constraint, name: null, value: null, span });
  }
  return operands;
}
