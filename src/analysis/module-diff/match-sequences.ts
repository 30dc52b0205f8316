/** Matches equal elements of two sequences without changing their order, in nearly linear time. */
import { signedAt } from '../../base/typed-reads.ts';

/** A range of elements in each of the two sequences. */
interface Range {
  readonly a: number;
  readonly aEnd: number;
  readonly b: number;
  readonly bEnd: number;
}

/**
 * The number of differences after which a search stops. Its matches are kept, and a new search begins where it stopped.
 */
const mostDifferences = 400;

/**
 * Returns, for each element of `a`, the index of its counterpart in `b`, or -1 if it has none. Elements that occur
 * exactly once on each side are matched first. Between them, the shortest list of differences is computed (Myers 1986).
 */
export function matchSequences(a: ArrayLike<number>, b: ArrayLike<number>): Int32Array {
  const matches = new Int32Array(a.length).fill(-1);
  const open: Range[] = [{ a: 0, aEnd: a.length, b: 0, bEnd: b.length }];
  for (let range = open.pop(); range !== undefined; range = open.pop()) {
    const inner = trimmed(a, b, range, matches);
    if (inner.a === inner.aEnd || inner.b === inner.bEnd) continue;
    const anchors = anchorsIn(a, b, inner);
    if (anchors.length === 0) searchRange(a, b, inner, matches);
    else open.push(...between(inner, anchors, matches));
  }
  return matches;
}

/** Matches the equal elements at both ends of a range, and returns the part between them. */
function trimmed(a: ArrayLike<number>, b: ArrayLike<number>, range: Range, matches: Int32Array): Range {
  let { a: from, aEnd: end, b: bFrom, bEnd } = range;
  while (from < end && bFrom < bEnd && a[from] === b[bFrom]) matches[from++] = bFrom++;
  while (from < end && bFrom < bEnd && a[end - 1] === b[bEnd - 1]) matches[--end] = --bEnd;
  return { a: from, aEnd: end, b: bFrom, bEnd };
}

type Pair = readonly [a: number, b: number];

/**
 * Finds the elements that occur exactly once in each of the two ranges, and pairs their positions. Returns the longest
 * list of such pairs in which both positions are in ascending order.
 */
function anchorsIn(a: ArrayLike<number>, b: ArrayLike<number>, range: Range): readonly Pair[] {
  const places = new Map<number, { a: number; b: number; count: number }>();
  for (let i = range.a; i < range.aEnd; i++) {
    const value = a[i] ?? 0;
    const known = places.get(value);
    if (known === undefined) places.set(value, { a: i, b: -1, count: 1 });
    else known.count++;
  }
  for (let j = range.b; j < range.bEnd; j++) {
    const known = places.get(b[j] ?? 0);
    if (known === undefined) continue;
    if (known.b >= 0) known.count++;
    known.b = j;
  }
  const pairs: Pair[] = [];
  for (const place of places.values()) if (place.count === 1 && place.b >= 0) pairs.push([place.a, place.b]);
  return longestAscending(pairs);
}

/**
 * The longest selection of pairs in which both numbers are in ascending order, from a list that is already sorted by
 * the first number.
 */
function longestAscending(pairs: readonly Pair[]): readonly Pair[] {
  /**
   * `ends[n]` is the index of a pair that can be the last one in an ascending selection of n + 1 pairs. Of all such
   * pairs, this one has the smallest second number.
   */
  const ends: number[] = [];
  const before = new Int32Array(pairs.length);
  for (const [i, [, second]] of pairs.entries()) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((pairs[ends[middle] ?? 0]?.[1] ?? 0) < second) low = middle + 1;
      else high = middle;
    }
    before[i] = low === 0 ? -1 : (ends[low - 1] ?? -1);
    ends[low] = i;
  }
  const found: Pair[] = [];
  for (let i = ends.at(-1) ?? -1; i >= 0; i = signedAt(before, i)) {
    const pair = pairs[i];
    if (pair !== undefined) found.push(pair);
  }
  return found.reverse();
}

/** Records the anchors (pairs of elements that belong together) as matches, and returns the ranges between them. */
function between(range: Range, anchors: readonly Pair[], matches: Int32Array): readonly Range[] {
  const ranges: Range[] = [];
  let { a, b } = range;
  for (const [i, j] of anchors) {
    matches[i] = j;
    ranges.push({ a, aEnd: i, b, bEnd: j });
    a = i + 1;
    b = j + 1;
  }
  ranges.push({ a, aEnd: range.aEnd, b, bEnd: range.bEnd });
  return ranges;
}

/** Matches the equal elements of a range. If there are many differences, this takes several searches. */
function searchRange(a: ArrayLike<number>, b: ArrayLike<number>, range: Range, matches: Int32Array): void {
  let [x, y] = [range.a, range.b];
  while (x < range.aEnd && y < range.bEnd) {
    [x, y] = searchStep(a, b, { ...range, a: x, b: y }, matches);
  }
}

/**
 * Matches elements from the start of a range until the end of the range is reached or too many differences have been
 * found. Returns the indices in `a` and `b` at which the search stopped. `reached[offset + k]` is the furthest index in
 * `a` that was reached on diagonal k.
 */
function searchStep(a: ArrayLike<number>, b: ArrayLike<number>, range: Range, matches: Int32Array): Pair {
  const width = range.aEnd - range.a;
  const height = range.bEnd - range.b;
  const most = Math.min(mostDifferences, width + height);
  const offset = most + 1;
  const reached = new Int32Array(2 * offset + 1);
  const steps: Int32Array[] = [];
  for (let count = 0; count <= most; count++) {
    steps.push(reached.slice(offset - count - 1, offset + count + 2));
    for (let k = -count; k <= count; k += 2) {
      const left = signedAt(reached, offset + k - 1);
      const right = signedAt(reached, offset + k + 1);
      let x = k === -count || (k !== count && left < right) ? right : left + 1;
      let y = x - k;
      while (x < width && y < height && a[range.a + x] === b[range.b + y]) [x, y] = [x + 1, y + 1];
      reached[offset + k] = x;
      if (x >= width && y >= height) return tracedBack(range, steps, [x, y], matches);
    }
  }
  return tracedBack(range, steps, furthest(reached, offset, most, width, height), matches);
}

/** Returns the pair of indices with the greatest sum. This pair has the most elements of both sequences before it. */
function furthest(reached: Int32Array, offset: number, count: number, width: number, height: number): Pair {
  let best: Pair = [0, 0];
  for (let k = -count; k <= count; k += 2) {
    const x = signedAt(reached, offset + k);
    const isInside = x <= width && x - k <= height && x - k >= 0;
    if (isInside && 2 * x - k > best[0] + best[1]) best = [x, x - k];
  }
  return best;
}

/** Follows the path that led to `end` backward, and matches the equal elements along it. */
function tracedBack(range: Range, steps: readonly Int32Array[], end: Pair, matches: Int32Array): Pair {
  let [x, y] = end;
  for (let count = steps.length - 1; count >= 0; count--) {
    const before = steps[count] ?? new Int32Array(0);
    const k = x - y;
    const at = k + count + 1;
    const left = signedAt(before, at - 1);
    const right = signedAt(before, at + 1);
    const isDown = k === -count || (k !== count && left < right);
    const previous = isDown ? right : left;
    const start = count === 0 ? 0 : isDown ? previous : previous + 1;
    while (x > start) matches[range.a + --x] = range.b + --y;
    if (count > 0) [x, y] = [previous, previous - (isDown ? k + 1 : k - 1)];
  }
  return [range.a + end[0], range.b + end[1]];
}
