/** The differences between two functions. */
import { elementAt } from '../../base/element-at.ts';
import type { Span } from '../../base/span.ts';
import { signedAt } from '../../base/typed-reads.ts';
import type { BlockOutline } from '../block-outline.ts';
import { Correspondence } from './correspondence.ts';
import { matchBlocks, Numbering } from './match-blocks.ts';
import { matchSequences } from './match-sequences.ts';
import { linesOf, type NormalBody, type NormalLine } from './normal-body.ts';
import { type MnemonicCount, mnemonicCounts } from './mnemonic-counts.ts';

/**
 * The result of comparing an instruction with its counterpart. Two `changed` instructions have the same mnemonic but
 * differ in at least one pair of operands: these are either different constants or registers that do not correspond to
 * each other.
 */
export type LineDiff =
  | { readonly kind: 'same' | 'changed'; readonly a: Span; readonly b: Span }
  | { readonly kind: 'removed'; readonly a: Span; readonly b: null }
  | { readonly kind: 'added'; readonly a: null; readonly b: Span };

/** Two blocks that correspond, or a block that only one function has. */
export interface BlockDiff {
  readonly a: BlockOutline | null;
  readonly b: BlockOutline | null;
  readonly lines: readonly LineDiff[];
}

export interface BodyDiff {
  /**
   * The blocks of both functions, in the order in which they occur in `a`. A block that occurs only in `b` is listed
   * after the block that precedes it in `b`.
   */
  readonly blocks: readonly BlockDiff[];
  /** The mnemonics that one function uses more often than the other. */
  readonly mnemonics: readonly MnemonicCount[];
}

type Step =
  | { readonly kind: 'same' | 'changed'; readonly a: NormalLine; readonly b: NormalLine }
  | { readonly kind: 'removed'; readonly a: NormalLine; readonly b: null }
  | { readonly kind: 'added'; readonly a: null; readonly b: NormalLine };

/** @param sameSymbol whether two names of variables or functions stand for the same thing */
export function diffBodies(a: NormalBody, b: NormalBody, sameSymbol: (a: string, b: string) => boolean): BodyDiff {
  const matches = matchBlocks(a, b);
  const known = new Correspondence(sameSymbol, sameLabels(a, b, matches));
  const blocks = blockPairs(matches, b.blocks.length).map(([i, j]): BlockDiff => {
    const blockA = i < 0 ? null : elementAt(a.blocks, i);
    const blockB = j < 0 ? null : elementAt(b.blocks, j);
    const steps = stepsBetween(blockA === null ? [] : linesOf(a, blockA), blockB === null ? [] : linesOf(b, blockB));
    return { a: blockA, b: blockB, lines: steps.map((step) => lineDiff(step, known)) };
  });
  return { blocks, mnemonics: mnemonicCounts(a.lines, b.lines) };
}

function sameLabels(a: NormalBody, b: NormalBody, matches: Int32Array): (a: string, b: string) => boolean {
  const blocksOf = ({ blocks }: NormalBody): ReadonlyMap<string, number> =>
    new Map(blocks.flatMap(({ labels }, i) => labels.map((label) => [label, i] as const)));
  const inA = blocksOf(a);
  const inB = blocksOf(b);
  return (one, other) => {
    const i = inA.get(one);
    const j = inB.get(other);
    // A label at the end of a function belongs to no block, and corresponds only to a label at the end of the other
    // function.
    if (i === undefined || j === undefined) return i === j;
    return signedAt(matches, i) === j;
  };
}

/**
 * The pairs of blocks, in the order in which they occur in `a`. A block that occurs only in `b` is listed after the
 * pair that contains its predecessor in `b`.
 */
function blockPairs(matches: Int32Array, countInB: number): readonly (readonly [a: number, b: number])[] {
  const taken = new Set(matches);
  const pairs: (readonly [number, number])[] = [];
  const addLone = (from: number): void => {
    for (let j = from; j < countInB && !taken.has(j); j++) pairs.push([-1, j]);
  };
  addLone(0);
  for (const [i, j] of matches.entries()) {
    pairs.push([i, j]);
    if (j >= 0) addLone(j + 1);
  }
  return pairs;
}

/** Lines of the same shape are matched first. The lines between these matches are then matched by their mnemonics. */
function stepsBetween(a: readonly NormalLine[], b: readonly NormalLine[]): readonly Step[] {
  const shapes = new Numbering();
  const matches = matchSequences(
    a.map(({ shape }) => shapes.of(shape)),
    b.map(({ shape }) => shapes.of(shape)),
  );
  const steps: Step[] = [];
  let [i, j] = [0, 0];
  for (const [line, other] of matches.entries()) {
    if (other < 0) continue;
    steps.push(...stepsInGap(a.slice(i, line), b.slice(j, other)));
    steps.push({ kind: 'same', a: elementAt(a, line), b: elementAt(b, other) });
    [i, j] = [line + 1, other + 1];
  }
  steps.push(...stepsInGap(a.slice(i), b.slice(j)));
  return steps;
}

function stepsInGap(a: readonly NormalLine[], b: readonly NormalLine[]): readonly Step[] {
  const mnemonics = new Numbering();
  const matches = matchSequences(
    a.map(({ mnemonic }) => mnemonics.of(mnemonic)),
    b.map(({ mnemonic }) => mnemonics.of(mnemonic)),
  );
  const steps: Step[] = [];
  let j = 0;
  const addUntil = (end: number): void => {
    for (; j < end; j++) steps.push({ kind: 'added', a: null, b: elementAt(b, j) });
  };
  for (const [i, other] of matches.entries()) {
    const one = elementAt(a, i);
    if (other < 0) steps.push({ kind: 'removed', a: one, b: null });
    else {
      addUntil(other);
      steps.push({ kind: 'changed', a: one, b: elementAt(b, other) });
      j = other + 1;
    }
  }
  addUntil(b.length);
  return steps;
}

function lineDiff(step: Step, known: Correspondence): LineDiff {
  switch (step.kind) {
    case 'removed':
      known.forgetA(step.a);
      return { ...step, a: spanOf(step.a) };
    case 'added':
      known.forgetB(step.b);
      return { ...step, b: spanOf(step.b) };
    case 'same':
    case 'changed': {
      const agrees = known.follow(step.a, step.b);
      const kind = agrees && step.kind === 'same' ? 'same' : 'changed';
      return { kind, a: spanOf(step.a), b: spanOf(step.b) };
    }
  }
}

function spanOf({ start, end }: Span): Span {
  return { start, end };
}
