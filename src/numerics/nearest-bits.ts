/** Rounds values, such as numbers that a user writes, to the nearest value of a format. */
import type { Bits } from '../base/bits.ts';
import { err, ok, type Result } from '../base/result.ts';
import { patternsOf } from './encode.ts';
import { type Exact, noTail } from './exact.ts';
import { type FormatName, formats } from './formats.ts';
import { gridOf, round } from './round.ts';

export interface NearestBits {
  /** Bits of the format. */
  readonly bits: Bits;
  /** True if the format cannot represent the value, and the nearest one is used. */
  readonly rounded: boolean;
}

/**
 * Returns the bits of the nearest value of the format, with ties to even. Returns an error if the value is too large,
 * if it is negative and the format is unsigned, or if it is an infinity or a NaN and the format cannot represent it.
 * `word` is the value as the user wrote it; the error message quotes it.
 */
export function nearestBits(value: Exact, format: FormatName, word: string): Result<NearestBits, string> {
  const patterns = patternsOf(format);
  const exactly = (bits: Bits): Result<NearestBits, string> => ok({ bits, rounded: false });
  switch (value.kind) {
    case 'nan':
      return patterns.canonicalNan === null ? err(`${format} has no NaN`) : exactly(patterns.canonicalNan);
    case 'infinity':
      return patterns.infinity === null ? err(`${format} has no infinity`) : exactly(patterns.infinity[value.sign]);
    case 'zero':
      return ok({ bits: patterns.zero[value.sign], rounded: formats[format].name === 'ue8m0' });
    case 'finite': {
      const { significand, exponent, tail, overflow } = round(value, gridOf(format), 'rn');
      const unsigned = !formats[format].signed && value.sign === 1;
      if (overflow || unsigned) return err(`${word} is out of the range of ${format}`);
      const bits = significand === 0 ? patterns.zero[value.sign] : patterns.encode(value.sign, significand, exponent);
      return ok({ bits, rounded: tail !== noTail });
    }
  }
}
