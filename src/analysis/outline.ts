/**
 * The structure of a document: its functions and variables, the ranges that can be folded, and the ranges that enclose
 * an offset.
 */
import { demangle } from '../base/demangle/demangle.ts';
import type { Span } from '../base/span.ts';
import type { Instruction, Operand, Statement } from '../syntax/tree.ts';
import type { Chunk } from './chunk.ts';
import type { ChunkList } from './chunk-list.ts';
import { partsOf } from './hover.ts';
import type { Names } from './names.ts';
import type { References } from './references.ts';

export interface OutlineSymbol extends Span {
  readonly kind: 'kernel' | 'function' | 'variable' | 'label';
  readonly name: string;
  /** A detail such as the type of a variable, or the C++ name of a function; may be empty. */
  readonly detail: string;
  /** The position of the name. */
  readonly selection: Span;
  readonly children: readonly OutlineSymbol[];
}

/**
 * The functions of a module, each with its labels and variables, and the variables that are declared at module scope.
 */
export function outlineSymbols(list: ChunkList, names: Names): readonly OutlineSymbol[] {
  const found: OutlineSymbol[] = [];
  let children: OutlineSymbol[] = [];
  let begun: Omit<OutlineSymbol, 'end' | 'children'> | null = null;
  for (const { outline, checked, start: by } of list.chunks) {
    for (const part of outline) {
      if (part.kind === 'function') {
        const { name, entry, start, nameStart, nameEnd } = part.header;
        const selection = { start: by + nameStart, end: by + nameEnd };
        begun = {
          kind: entry ? 'kernel' : 'function',
          name,
          detail: demangle(name) ?? (entry ? '.entry' : '.func'),
          start: by + start,
          selection,
        };
        children = [];
      } else if (part.kind === 'label') {
        const { name, declared } = part.symbol;
        const selection = { start: by + declared.start, end: by + declared.start + name.length };
        children.push({ kind: 'label', name, detail: '', ...selection, selection, children: [] });
      } else if (part.kind === 'close' && part.ends === 'function' && begun !== null) {
        found.push({
          ...begun,
          end: by + part.end,
          children: [...variablesIn(begun.selection.start, names), ...children].toSorted(byStart),
        });
        begun = null;
      }
    }
    for (const one of checked?.module ?? []) {
      if (one.kind !== 'symbol' || one.symbol.kind !== 'variable') continue;
      found.push(
        variable({ symbol: one.symbol, start: by + one.symbol.declared.start, end: by + one.symbol.declared.end }),
      );
    }
  }
  return found.toSorted(byStart);
}

function byStart(a: Span, b: Span): number {
  return a.start - b.start;
}

type PlacedVariable = Span & {
  readonly symbol: Extract<ReturnType<Names['ofModule']>[number]['symbol'], { kind: 'variable' }>;
};

function variable({ symbol, start, end }: PlacedVariable): OutlineSymbol {
  const detail = `${symbol.space} ${symbol.type.name}`;
  return { kind: 'variable', name: symbol.name, detail, start, end, selection: { start, end }, children: [] };
}

/** The variables that are declared in the body of a function. Its parameters are not included. */
function variablesIn(offset: number, names: Names): readonly OutlineSymbol[] {
  const scope = names.scopeAt(offset);
  return [...(scope?.names.values() ?? [])].flatMap(({ symbol, start, end }) => {
    const isOwn = symbol.kind === 'variable' && !symbol.space.endsWith('parameter');
    return isOwn ? [variable({ symbol, start, end })] : [];
  });
}

export interface Fold extends Span {
  readonly kind: 'region' | 'comment';
}

/**
 * The ranges of functions, blocks, the code after each label, and comments. Ranges within one line are included,
 * although they cannot be folded.
 */
export function foldsIn(list: ChunkList, references: References): readonly Fold[] {
  const found: Fold[] = [];
  const open: number[] = [];
  let label: number | null = null;
  const endLabel = (end: number): void => {
    if (label !== null) found.push({ kind: 'region', start: label, end });
    label = null;
  };
  for (const { outline, start: by } of list.chunks) {
    for (const part of outline) {
      switch (part.kind) {
        case 'function':
          open.push(by + part.header.nameStart);
          break;
        case 'open':
          open.push(by + part.start);
          break;
        case 'label':
          endLabel(by + part.symbol.declared.start - 1);
          label = by + part.symbol.declared.start;
          break;
        case 'close': {
          if (part.ends === 'function') endLabel(by + part.end - 2);
          const start = open.pop();
          if (start !== undefined) found.push({ kind: 'region', start, end: by + part.end });
        }
      }
    }
  }
  return [...found, ...commentFolds(list.chunks, references)].toSorted((a, b) => a.start - b.start || b.end - a.end);
}

/** Comments that are separated only by white space can be folded together. */
function commentFolds(chunks: readonly Chunk[], references: References): readonly Fold[] {
  const found: Fold[] = [];
  for (const chunk of chunks) {
    // The start of the run of comments before this word; null if the previous word is not a comment.
    let begun: number | null = null;
    for (const { kind, start, end } of references.wordsOf(chunk)) {
      if (kind !== 'comment') begun = null;
      else {
        if (begun !== null) found.pop();
        begun ??= chunk.start + start;
        found.push({ kind: 'comment', start: begun, end: chunk.start + end });
      }
    }
  }
  return found;
}

/** The ranges that enclose an offset, from the word at the offset to the whole text. */
export function selectionsAt(offset: number, list: ChunkList, names: Names, references: References): readonly Span[] {
  const found: Span[] = [];
  const add = ({ start, end }: Span): void => {
    const inner = found.at(-1);
    const isLarger =
      inner === undefined || (start <= inner.start && end >= inner.end && end - start > inner.end - inner.start);
    if (isLarger) found.push({ start, end });
  };
  const word = references.wordAt(offset);
  if (word !== null) add(word);
  for (const span of statementSpans(offset, list)) add(span);
  for (let scope = names.scopeAt(offset); scope !== null; scope = scope.parent) add(scope);
  add({ start: 0, end: list.length });
  return found;
}

/** The ranges of the operands and the statement that contain an offset, innermost first. */
function statementSpans(offset: number, list: ChunkList): readonly Span[] {
  const chunk = list.at(offset);
  const within = offset - chunk.start;
  const contains = ({ start, end }: Span): boolean => start <= within && within <= end;
  const nodes = list.reread(chunk, true).parsed.parts.flatMap((part): readonly (Statement | Span)[] => {
    if (part.kind === 'statement') return [part.statement];
    return part.kind === 'item' && !part.opensBody ? [part.item] : [];
  });
  const node = nodes.find(contains);
  if (node === undefined) return [];
  const inner = 'kind' in node && node.kind === 'instruction' ? instructionSpans(node, contains) : [];
  return [...inner, node].map(({ start, end }) => ({ start: start + chunk.start, end: end + chunk.start }));
}

function instructionSpans(node: Instruction, contains: (span: Span) => boolean): readonly Span[] {
  const mnemonic = { start: node.mnemonicStart, end: node.mnemonicEnd };
  const spans: Span[] = contains(mnemonic) ? [mnemonic] : [];
  let operands: readonly Operand[] = node.operands;
  const around: Span[] = [];
  for (let next = operands.find(contains); next !== undefined; next = operands.find(contains)) {
    around.unshift(next);
    operands = partsOf(next);
  }
  return [...spans, ...around];
}
