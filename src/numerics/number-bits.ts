/**
 * Converts between JavaScript numbers and the bits of a float format. This is needed for arguments and for displaying
 * results.
 */
import { plainConversion } from './conversion.ts';
import { conversion } from './convert.ts';

const f64ToF16 = conversion(plainConversion('f64', 'f16'));
const f64ToF32 = conversion(plainConversion('f64', 'f32'));
const f16ToF64 = conversion(plainConversion('f16', 'f64'));

const basicFloats = ['f16', 'f32', 'f64'] as const;

export type BasicFloat = (typeof basicFloats)[number];

export function isBasicFloat(word: string): word is BasicFloat {
  return basicFloats.some((format) => format === word);
}

/**
 * The bits of a JavaScript number in f16, f32 or f64, rounded to nearest even; every NaN becomes the format's canonical
 * NaN.
 */
export function numberBits(format: BasicFloat, value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const wide = view.getBigUint64(0);
  if (format === 'f64') return wide;
  if (Number.isNaN(value)) return format === 'f16' ? 0x7fffn : 0x7fffffffn;
  return BigInt((format === 'f16' ? f64ToF16 : f64ToF32)(wide, 0, 0x7f));
}

/** The exact value of an f16. */
export function f16Value(bits: number): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(f16ToF64(bits, 0, 0x7f)));
  return view.getFloat64(0);
}
