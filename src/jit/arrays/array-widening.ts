/**
 * Converts sixteen floats of at most 8 bits to f32, bf16 or f16, which can represent all of them. At most two bytes of
 * a result are nonzero; in an f32, these are the upper two. Each of the two bytes is computed for all sixteen elements
 * at once, and the bytes are joined at the end.
 */
import { elementAt } from '../../base/element-at.ts';
import { type Conversion, isPlainRounding } from '../../numerics/conversion.ts';
import { type FloatFormat, formats } from '../../numerics/formats.ts';
import type { Code, Label } from '../../wasm/code.ts';
import type { Words } from '../../wasm/vector-constants.ts';
import { patternsOf } from '../arithmetic/target.ts';
import {
  type GroupLocals,
  groupOf,
  type GroupAccess,
  loadBytes,
  type StoredElements,
  storeGroup,
} from './array-storage.ts';
import { interleaved } from './interleaving.ts';
import { splat } from '../simd/vector-words.ts';

/** A pair of source and target formats that this file can convert. */
export interface WideningForm {
  readonly from: FloatFormat;
  /** f16 or bf16. An f32 result consists of a bf16 and sixteen zero bits below it. */
  readonly half: FloatFormat;
  readonly toSingle: boolean;
}

/** The fast form of a conversion; null if the conversion has none. */
export function wideningForm(c: Conversion): WideningForm | null {
  const [from, half] = [formats[c.from], formats[c.to === 'f32' ? 'bf16' : c.to]];
  if (from.kind !== 'float' || from.width > 8 || !from.signed) return null;
  if (half.kind !== 'float' || (half.name !== 'bf16' && half.name !== 'f16')) return null;
  if (!isPlainRounding(c)) return null;
  return { from, half, toSingle: c.to === 'f32' };
}

/** Converts a group; branches to `otherwise` if it contains a NaN or an infinity. */
export function writeWidening(code: Code, form: WideningForm, { source, target, otherwise }: GroupAccess): void {
  const bytes = makeBytes(code, form, source, otherwise);
  if (form.toSingle) storeGroup(code, target.storage, target.local, singlesOf(code, bytes));
  else storeHalves(code, target.local, bytes);
}

/** Returns locals that hold a group as f32; branches to `otherwise` if it contains a NaN or an infinity. */
export function loadAsSingles(code: Code, form: WideningForm, source: StoredElements, otherwise: Label): GroupLocals {
  return singlesOf(code, makeBytes(code, form, source, otherwise));
}

/** Locals that hold the two bytes of sixteen results. */
interface ResultBytes {
  readonly low: number;
  readonly high: number;
}

function makeBytes(code: Code, form: WideningForm, source: StoredElements, otherwise: Label): ResultBytes {
  const { from } = form;
  const bytes = loadBytes(code, source.storage, source.local);
  const magnitudes = code.local('v128');
  splatByte(code.get(bytes), 2 ** (from.width - 1) - 1)
    .vector('v128.and')
    .set(magnitudes);
  if (from.nan !== 'none') {
    splatByte(code.get(magnitudes), Number(patternsOf(from).limit[0]));
    code.vector('i8x16.gt_s', 'i8x16.bitmask').brIf(otherwise);
  }
  const result = { low: code.local('v128'), high: code.local('v128') };
  const half = halvesOf(form);
  pushBytes(code, half, 'low', magnitudes);
  code.set(result.low);
  pushBytes(code, half, 'high', magnitudes);
  code.get(bytes);
  if (from.width < 8) code.i32(8 - from.width).vector('i16x8.shl');
  splatByte(code, 0x80).vector('v128.and', 'v128.or').set(result.high);
  return result;
}

/** The computation of one byte of the result: the magnitude is shifted if necessary, and a table entry is added. */
interface HalfBytes {
  /**
   * Number of places by which the magnitude is shifted to the left; null if the byte of the result is taken entirely
   * from the table.
   */
  readonly places: number | null;
  readonly offset: number;
  /** The byte to add for each magnitude below 16; nothing is added for larger magnitudes. */
  readonly table: Readonly<Record<ByteName, readonly number[]>>;
}

type ByteName = 'low' | 'high';

/**
 * Describes how the two bytes of a result are computed. The bits of a normal number are shifted to the left, and the
 * difference between the biases is added to its exponent. Zero and subnormals, whose patterns are below 16 in every
 * format, need a correction, which comes from a table.
 */
function halvesOf({ from, half }: WideningForm): HalfBytes {
  const all = from.width <= 4;
  const places = half.fractionBits - from.fractionBits;
  const offset = (half.bias - from.bias) << half.fractionBits;
  const byteOf = (bits: number, name: ByteName): number => (name === 'low' ? bits : bits >> 8) & 0xff;
  const tableOf = (name: ByteName): readonly number[] =>
    Array.from({ length: 16 }, (_, magnitude) => {
      const moved = (magnitude << places) + offset;
      const normal = magnitude >= 2 ** from.fractionBits;
      const exact = normal ? moved : subnormalIn(half, from, magnitude);
      if (all) return magnitude < 8 ? byteOf(exact, name) : 0;
      return (byteOf(exact, name) - byteOf(moved, name)) & 0xff;
    });
  const table = { low: tableOf('low'), high: tableOf('high') };
  return all ? { places: null, offset: 0, table } : { places, offset: offset >> 8, table };
}

/**
 * Converts a zero or subnormal of the format `from`, and returns its bit pattern in the format `half`. The value is
 * `magnitude` times the smallest subnormal of `from`. If the biases of the formats are equal, a subnormal remains a
 * subnormal; otherwise, it becomes a normal number.
 */
function subnormalIn(half: FloatFormat, from: FloatFormat, magnitude: number): number {
  if (half.bias === from.bias || magnitude === 0) return magnitude << (half.fractionBits - from.fractionBits);
  const top = 31 - Math.clz32(magnitude);
  const exponent = half.bias + 1 - from.bias - from.fractionBits + top;
  return (exponent << half.fractionBits) + ((magnitude - 2 ** top) << (half.fractionBits - top));
}

/** Pushes one byte of each result, without the sign bit. */
function pushBytes(code: Code, { places, offset, table }: HalfBytes, name: ByteName, magnitudes: number): void {
  const added = table[name].some((byte) => byte !== 0);
  const moved = places !== null && pushMoved(code, name === 'low' ? places : places - 8, magnitudes);
  if (added) {
    code.words(...wordsOf(table[name]));
    code.get(magnitudes).vector('i8x16.swizzle');
    if (moved) code.vector('i8x16.add');
  } else if (!moved) splat(code, 0);
  if (name === 'high' && offset > 0) splatByte(code, offset).vector('i8x16.add');
}

/**
 * Shifts each magnitude to the left by `places` and pushes the bits that remain within the byte. Returns false without
 * pushing anything if no bits remain.
 */
function pushMoved(code: Code, places: number, magnitudes: number): boolean {
  if (places >= 8) return false;
  code.get(magnitudes);
  if (places > 0) splatByte(code.i32(places).vector('i16x8.shl'), (0xff << places) & 0xff).vector('v128.and');
  if (places < 0) splatByte(code.i32(-places).vector('i16x8.shr_u'), 0xff >> -places).vector('v128.and');
  return true;
}

function storeHalves(code: Code, address: number, { low, high }: ResultBytes): void {
  [0, 8].forEach((first, i) => {
    code.get(address).get(low).get(high);
    code.shuffle(interleaved(first, 1)).vectorMemory('v128.store', 16 * i);
  });
}

function singlesOf(code: Code, { low, high }: ResultBytes): GroupLocals {
  const halves = [0, 8].map((first) => {
    const local = code.local('v128');
    code.get(low).get(high).shuffle(interleaved(first, 1)).set(local);
    return local;
  });
  return groupOf(code, (i) => {
    splat(code, 0).get(elementAt(halves, i >> 1));
    code.shuffle(interleaved(8 * (i % 2), 2));
  });
}

function splatByte(code: Code, byte: number): Code {
  return splat(code, byte * 0x01010101);
}

function wordsOf(bytes: readonly number[]): Words {
  const word = (i: number): number => bytes.slice(i, i + 4).reduce((sum, byte, j) => sum | (byte << (8 * j)), 0);
  return [word(0), word(4), word(8), word(12)];
}
