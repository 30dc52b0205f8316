/** Represents a set of float values as a range of bit patterns, with the sign bit left out. */
import type { Bits } from '../../base/bits.ts';
import { decode, numberOfExact } from '../../numerics/exact.ts';
import { formats, type FormatName, floatFormat } from '../../numerics/formats.ts';
import type { RuleInputs } from '../semantics/semantic-rules.ts';

/** A range of bit patterns that includes `first` and `last`. */
export interface PatternRange {
  readonly first: Bits;
  readonly last: Bits;
}

/**
 * The bit patterns, in the given float format, of all values to which a rule applies. Null if the rule applies to no
 * value of the format.
 */
export function patternsOfInputs(name: FormatName, inputs: RuleInputs): PatternRange | null {
  const all = lastPattern(name);
  const firstNan = firstPattern(name, (value) => Number.isNaN(value));
  switch (inputs.kind) {
    case 'nan':
      return rangeOf(name, firstNan, all);
    case 'zero':
      return rangeOf(name, 0n, firstPattern(name, (value) => value !== 0) - 1n);
    case 'negative':
      return rangeOf(
        name,
        firstPattern(name, (value) => value !== 0),
        firstNan - 1n,
      );
    case 'range': {
      const { above, below } = inputs;
      const isBeyond = (value: number): boolean => !(value < below) && value !== Number.POSITIVE_INFINITY;
      const isEnd = below === Number.POSITIVE_INFINITY ? isBeyond : (value: number): boolean => !(value < below);
      return rangeOf(
        name,
        firstPattern(name, (value) => !(value <= above)),
        firstPattern(name, isEnd) - 1n,
      );
    }
  }
}

function rangeOf(name: FormatName, first: bigint, last: bigint): PatternRange | null {
  if (first > last) return null;
  const { width } = formats[name];
  return width > 32 ? { first, last } : { first: Number(first), last: Number(last) };
}

function lastPattern(name: FormatName): bigint {
  const { width, signed } = formats[name];
  return (1n << BigInt(signed ? width - 1 : width)) - 1n;
}

/**
 * The lowest nonnegative pattern whose value satisfies a condition, or the last pattern plus one if no value does. The
 * condition must be monotonic: if a value satisfies it, all larger values must satisfy it as well.
 */
function firstPattern(name: FormatName, condition: (value: number) => boolean): bigint {
  let [low, high] = [0n, lastPattern(name) + 1n];
  while (low < high) {
    const middle = (low + high) / 2n;
    if (condition(magnitudeOf(name, middle))) high = middle;
    else low = middle + 1n;
  }
  return low;
}

/** The result is exact, because a double can represent every value of each float format. */
function magnitudeOf(name: FormatName, pattern: bigint): number {
  const { width } = floatFormat(name);
  return numberOfExact(decode(name, width > 32 ? pattern : Number(pattern)));
}
