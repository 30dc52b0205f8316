/**
 * Every number format of PTX, one row each. A format is how bits stand for a value, never a register type: `.b32` is
 * none. Adding one is adding a row; `round.ts` does not change.
 */

/** A binary floating-point format. Value of a normal number: (-1)^sign * 2^(exponent - bias) * 1.fraction. */
export interface FloatFormat {
  readonly kind: 'float';
  readonly name: FloatName;
  /** Bits of one element as PTX packs it (an fp6 element is 6 bits; the padding to 8 belongs to the packing). */
  readonly width: number;
  readonly signed: boolean;
  readonly exponentBits: number;
  /** Explicit fraction bits, below the implicit leading one. */
  readonly fractionBits: number;
  readonly bias: number;
  /** Zero bits below the fraction: 13 in tf32, which is a truncated f32. */
  readonly padding: number;
  readonly infinity: boolean;
  /** `ieee`: all-ones exponent, fraction not zero. `all-ones`: only the pattern with every bit below the sign set. */
  readonly nan: 'ieee' | 'all-ones' | 'none';
  /** The NaN that PTX writes when it makes one, as bits; null where the format has none. */
  readonly canonicalNan: bigint | null;
}

/** Two's complement or unsigned; `fractionBits` is 6 for s2f6, 0 for the integers. */
export interface FixedFormat {
  readonly kind: 'integer' | 'fixed';
  readonly name: IntegerName | 's2f6';
  readonly width: number;
  readonly signed: boolean;
  readonly fractionBits: number;
}

export type FloatName =
  | 'f16' | 'bf16' | 'tf32' | 'f32' | 'f64'
  | 'e4m3' | 'e5m2' | 'e2m3' | 'e3m2' | 'e2m1' | 'ue8m0';
export type IntegerName =
  | 'u2' | 'u4' | 'u8' | 'u16' | 'u32' | 'u64'
  | 's2' | 's4' | 's8' | 's16' | 's32' | 's64';
export type FormatName = FloatName | IntegerName | 's2f6';
export type NumberFormat = FloatFormat | FixedFormat;
