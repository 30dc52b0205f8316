/** Compares conversions of four values with conversions of single values, for the sampled and the exhaustive tests. */
import type { Conversion } from '../../src/numerics/conversion.ts';
import { formats } from '../../src/numerics/formats.ts';
import { conversionOf } from '../golden/lanes.ts';
import { families, instructionsOf, rowsOf } from '../golden/vectors.ts';
import { capacity, type Comparison, comparison, fillWords, nameOf } from './vector-conversions.ts';

/**
 * Converts all values of a source format of up to 16 bits, and returns the first difference between the results. The
 * comparison is repeated in several rounds with different random bits and scales.
 */
export function differenceOnAll(c: Conversion, rounds: number): string | null {
  const width = formats[c.from].width;
  return inRounds(c, width > 8 ? rounds : 1, ({ source }) => {
    for (let i = 0; i < capacity; i++) source[i] = i & (2 ** width - 1);
  });
}

/**
 * Converts random words and words near the ends of ranges, and returns the first difference between the results. Each
 * round compares `count` words, at most 2^16.
 */
export function differenceOnWords(c: Conversion, rounds: number, count: number = capacity): string | null {
  const { width } = formats[c.from];
  return inRounds(
    c,
    rounds,
    ({ source }, round) => {
      fillWords(source.subarray(0, count), 3 * round);
      if (width < 32) for (let i = 0; i < count; i++) source[i] = (source[i] as number) >>> (32 - width);
    },
    count,
  );
}

function inRounds(
  c: Conversion,
  rounds: number,
  fill: (made: Comparison, round: number) => void,
  count: number = capacity,
): string | null {
  const made = comparison(c);
  if (made === null) return 'no form of four';
  const random = made.random.subarray(0, count);
  const scale = made.scale.subarray(0, count);
  for (let round = 0; round < rounds; round++) {
    fill(made, round);
    if (c.rounding === 'rs') fillWords(random, 3 * round + 1);
    if (c.scaled !== null) {
      fillWords(scale, 3 * round + 2);
      for (let i = 0; i < count; i++) scale[i] = (scale[i] as number) >>> 24;
    }
    const difference = made.run(count);
    if (difference !== null) return difference;
  }
  return null;
}

/** All source words that occur in the operands of golden rows, by the name of the conversion. */
export function goldenWords(): ReadonlyMap<string, ReadonlySet<number>> {
  const found = new Map<string, Set<number>>();
  for (const instruction of families().flatMap(instructionsOf)) {
    if (!instruction.inst.startsWith('cvt.') || instruction.inst.startsWith('cvt.pack')) continue;
    const c = conversionOf(instruction.inst);
    const { width } = formats[c.from];
    if (width > 32 || formats[c.to].width > 32) continue;
    const words = found.get(nameOf(c)) ?? new Set<number>();
    found.set(nameOf(c), words);
    for (const { operands } of rowsOf(instruction)) {
      for (const bits of operands) {
        for (let low = 0; low < 32; low += width)
          words.add(Number((BigInt(bits) >> BigInt(low)) & (2n ** BigInt(width) - 1n)));
      }
    }
  }
  return found;
}

/** Returns the first difference between the results for the given source words. */
export function differenceOn(c: Conversion, words: ReadonlySet<number>): string | null {
  const list = [...words];
  return inRounds(c, Math.ceil(list.length / capacity), ({ source }, round) => {
    source.fill(0);
    source.set(list.slice(round * capacity, (round + 1) * capacity));
  });
}
