/** Finds the blocks of two functions that correspond to each other. */
import { append } from '../../base/append.ts';
import { signedAt } from '../../base/typed-reads.ts';
import { matchSequences } from './match-sequences.ts';
import { blockNumbers, linesOf, type NormalBody } from './normal-body.ts';

/** Assigns numbers to strings, so that equal strings get the same number. */
export class Numbering {
  private readonly numbers = new Map<string, number>();

  of(text: string): number {
    const known = this.numbers.get(text);
    if (known !== undefined) return known;
    const number = this.numbers.size;
    this.numbers.set(text, number);
    return number;
  }
}

/** Returns, for each block of `a`, the index of its counterpart in `b`, or -1 if it has none. */
export function matchBlocks(a: NormalBody, b: NormalBody): Int32Array {
  const matches = new Int32Array(a.blocks.length).fill(-1);
  const taken = new Set<number>();
  const match = (i: number, j: number): void => {
    if (signedAt(matches, i) >= 0 || taken.has(j)) return;
    matches[i] = j;
    taken.add(j);
  };
  const isOpen = {
    a: (i: number): boolean => signedAt(matches, i) < 0,
    b: (j: number): boolean => !taken.has(j),
  };
  for (const [i, j] of pairsOfEqualBlocks(a, b, isOpen, true)) match(i, j);
  for (const [i, j] of pairsWithCommonLines(a, b)) match(i, j);
  for (const [i, j] of pairsOfEqualBlocks(a, b, isOpen, false)) match(i, j);
  for (let i = 1; i < matches.length; i++) {
    // Two blocks that have no line in common are still matched if the blocks just before them are matched with each
    // other, and so are the blocks just after them.
    const before = signedAt(matches, i - 1);
    const after = i + 1 < matches.length ? signedAt(matches, i + 1) : b.blocks.length;
    if (before >= 0 && after === before + 2) match(i, before + 1);
  }
  if (a.blocks.length === 1 && b.blocks.length === 1) match(0, 0);
  return matches;
}

type Pair = readonly [a: number, b: number];

/**
 * Matches lines without regard to the boundaries of blocks, and returns the pairs of blocks that have matching lines.
 * The pair with the most matching lines comes first.
 */
function pairsWithCommonLines(a: NormalBody, b: NormalBody): readonly Pair[] {
  const shapes = new Numbering();
  const matches = matchSequences(
    a.lines.map(({ shape }) => shapes.of(shape)),
    b.lines.map(({ shape }) => shapes.of(shape)),
  );
  const inA = blockNumbers(a);
  const inB = blockNumbers(b);
  const votes = new Map<string, { pair: Pair; count: number }>();
  for (const [line, other] of matches.entries()) {
    if (other < 0) continue;
    const pair: Pair = [signedAt(inA, line), signedAt(inB, other)];
    const key = pair.join(' ');
    const known = votes.get(key);
    if (known === undefined) votes.set(key, { pair, count: 1 });
    else known.count++;
  }
  return [...votes.values()].toSorted((x, y) => y.count - x.count).map(({ pair }) => pair);
}

interface Open {
  readonly a: (block: number) => boolean;
  readonly b: (block: number) => boolean;
}

/**
 * Pairs of blocks that consist of the same lines, wherever they are in the functions. If `onlyUnique` is set, a pair is
 * included only if no other block in either function consists of the same lines.
 */
function pairsOfEqualBlocks(a: NormalBody, b: NormalBody, isOpen: Open, onlyUnique: boolean): readonly Pair[] {
  const inA = blocksByText(a, isOpen.a);
  const inB = blocksByText(b, isOpen.b);
  const pairs: Pair[] = [];
  for (const [text, blocks] of inA) {
    const others = inB.get(text) ?? [];
    if (onlyUnique && blocks.length + others.length > 2) continue;
    for (const [n, i] of blocks.entries()) {
      const j = others[n];
      if (j !== undefined) pairs.push([i, j]);
    }
  }
  return pairs;
}

function blocksByText(body: NormalBody, isOpen: (block: number) => boolean): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, number[]>();
  for (const [i, block] of body.blocks.entries()) {
    if (!isOpen(i)) continue;
    const lines = linesOf(body, block);
    const text = lines.map(({ shape }) => shape).join('\n');
    append(found, text, i);
  }
  return found;
}
