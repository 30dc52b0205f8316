/**
 * Finds places at which a long function can be cut into regions. V8 optimizes each generated function as a whole, in
 * much more than linear time: a function of 40,000 instructions takes many minutes, and the process cannot exit until
 * V8 has finished.
 */
import { elementAt } from '../base/element-at.ts';
import { type BasicBlock, blocksOf, successorsOf } from './flow.ts';
import type { FunctionProgram } from './function-program.ts';

/** Functions with more instructions than this are cut. */
export const longestWhole = 8192;

/** The maximum number of instructions in a part. */
const longestPart = 4096;

/** The length above which functions are cut, and the maximum length of the parts. */
export interface PartLengths {
  readonly whole: number;
  readonly part: number;
}

/**
 * Returns the instructions at which the regions of a function end, so that each region lies within a part. Functions
 * are cut at boundaries across which control can reach the fewest pieces.
 */
export function seamsOf(
  program: FunctionProgram,
  builtins: ReadonlySet<number>,
  { whole, part }: PartLengths = { whole: longestWhole, part: longestPart },
): ReadonlySet<number> {
  if (program.instructions.length <= whole) return new Set();
  const pieces = piecesOf(blocksOf(program, builtins), Math.ceil(part / 4));
  const cuts = cutsOf(pieces, crossings(pieces), part);
  const crosses = ({ from, to }: Piece): boolean => cuts.some((cut) => from < cut && cut <= to);
  return new Set(pieces.filter((piece) => piece.end > piece.start && crosses(piece)).map(({ start }) => start));
}

/**
 * A block or a part of one. Control can reach the piece only from pieces in the range from `from` to `to`, which also
 * contains the piece itself.
 */
interface Piece {
  readonly start: number;
  readonly end: number;
  from: number;
  to: number;
}

/** Splits blocks into pieces of at most `most` instructions. */
function piecesOf(blocks: readonly BasicBlock[], most: number): readonly Piece[] {
  const pieces: Piece[] = [];
  const firsts: number[] = [];
  for (const { start, end } of blocks) {
    firsts.push(pieces.length);
    for (let at = start; at === start || at < end; at += most) {
      const number = pieces.length;
      pieces.push({ start: at, end: Math.min(end, at + most), from: at === start ? number : number - 1, to: number });
    }
  }
  blocks.forEach((block, i) => {
    const last = (firsts[i + 1] ?? pieces.length) - 1;
    for (const next of successorsOf(block)) {
      const piece = elementAt(pieces, elementAt(firsts, next));
      piece.from = Math.min(piece.from, last);
      piece.to = Math.max(piece.to, last);
    }
  });
  return pieces;
}

/** For each piece, the number of pieces that control can reach across the boundary before this piece. */
function crossings(pieces: readonly Piece[]): Int32Array {
  const counts = new Int32Array(pieces.length + 1);
  for (const { from, to } of pieces) {
    counts[from + 1] = (counts[from + 1] ?? 0) + 1;
    counts[to + 1] = (counts[to + 1] ?? 0) - 1;
  }
  for (let i = 1; i < counts.length; i++) counts[i] = (counts[i] ?? 0) + (counts[i - 1] ?? 0);
  return counts;
}

/** The pieces before which a function is cut. All parts but the last have at least half the maximum length. */
function cutsOf(pieces: readonly Piece[], counts: Int32Array, part: number): readonly number[] {
  const cuts: number[] = [];
  let start = 0;
  let best: number | null = null;
  pieces.forEach((piece, i) => {
    if (best !== null && piece.end - start > part) {
      cuts.push(best);
      start = elementAt(pieces, best).start;
      best = null;
    }
    if (piece.start - start < part / 2) return;
    if (best === null || elementAt(counts, i) <= elementAt(counts, best)) best = i;
  });
  return cuts;
}
