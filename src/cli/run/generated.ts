/** Buffer contents that are generated from a few numbers. They are the same on every machine. */
import { number, objectOf, type Rule, text, whole } from '../../base/rules.ts';
import { numberBits } from '../../numerics/number-bits.ts';
import { itemSize, type NpyType } from '../../tensors/npy/npy.ts';
import { UsageError } from '../exit.ts';
import { npyTypeOf } from './values.ts';

interface Elements {
  /** A scalar type. Default `f32`. */
  readonly type?: string;
  /** The number of elements. */
  readonly count?: number;
}

/** An array with the elements `start`, `start + step`, `start + 2 * step` and so on. */
export interface Ramp extends Elements {
  readonly start?: number;
  readonly step?: number;
}

export interface Constant extends Elements {
  readonly value?: number;
}

/** Random numbers between `from` (default 0) and `to` (default 1). If they are integers, both limits are included. */
export interface Uniform extends Elements {
  readonly from?: number;
  readonly to?: number;
  readonly seed?: number;
}

/**
 * Random numbers with this mean (default 0) and standard deviation (default 1). They differ from the mean by at most
 * six standard deviations.
 */
export interface Normal extends Elements {
  readonly mean?: number;
  readonly deviation?: number;
  readonly seed?: number;
}

/** A description of generated contents. Exactly one of these keys is present. */
export interface Generated {
  readonly ramp?: Ramp;
  readonly constant?: Constant;
  readonly uniform?: Uniform;
  readonly normal?: Normal;
}

const count = whole(2 ** 32, '2^32');
const seed = whole(2 ** 32 - 1, '2^32 - 1');

export const generatedRules: { readonly [Name in keyof Generated]-?: Rule<Exclude<Generated[Name], undefined>> } = {
  ramp: objectOf<Ramp>({ type: text, count, start: number, step: number }),
  constant: objectOf<Constant>({ type: text, count, value: number }),
  uniform: objectOf<Uniform>({ type: text, count, from: number, to: number, seed }),
  normal: objectOf<Normal>({ type: text, count, mean: number, deviation: number, seed }),
};

export interface GeneratedArray {
  readonly type: NpyType;
  readonly count: number;
  readonly bytes: Uint8Array;
}

/**
 * Generates the array that is described under one of the keys. Returns null if none of the keys is present. Throws an
 * error if the array has more than `room` bytes.
 */
export function generate({ ramp, constant, uniform, normal }: Generated, room: number): GeneratedArray | null {
  if (ramp !== undefined) {
    const { start = 0, step = 1 } = ramp;
    return filled(ramp, room, (i) => start + i * step);
  }
  if (constant !== undefined) return filled(constant, room, () => constant.value ?? 0);
  if (uniform !== undefined) return filled(uniform, room, uniformValues(uniform));
  return normal === undefined ? null : filled(normal, room, normalValues(normal));
}

function uniformValues({ type = 'f32', from = 0, to = 1, seed: first = 0 }: Uniform): (i: number) => number {
  if (to < from) throw new UsageError(`'to' is ${to}, which is less than 'from', ${from}`);
  const isFloat = type.startsWith('f');
  return (i) => {
    const part = randomPart(first, i);
    return isFloat ? from + part * (to - from) : from + Math.floor(part * (to - from + 1));
  };
}

/**
 * Returns a function that generates approximately normally distributed values. Each of them is computed from the sum of
 * twelve uniform values, because such a sum has a variance of 1. Additions have the same result on every machine,
 * unlike the logarithms and cosines that the usual methods compute.
 */
function normalValues({ mean = 0, deviation = 1, seed: first = 0 }: Normal): (i: number) => number {
  return (i) => {
    let sum = -6;
    for (let j = 0; j < 12; j++) sum += randomPart(first, 12 * i + j);
    return mean + deviation * sum;
  };
}

/**
 * A number that is at least 0 and less than 1, computed from the seed and the counter with the finalizer of
 * MurmurHash3.
 */
function randomPart(first: number, counter: number): number {
  let bits = (Math.imul(counter + 1, 0x9e3779b9) ^ Math.imul(first + 1, 0x85ebca6b)) >>> 0;
  for (const [shift, factor] of [
    [16, 0x85ebca6b],
    [13, 0xc2b2ae35],
  ] as const) {
    bits = Math.imul(bits ^ (bits >>> shift), factor);
  }
  return ((bits ^ (bits >>> 16)) >>> 0) / 2 ** 32;
}

function filled(
  { type = 'f32', count: elements }: Elements,
  room: number,
  value: (i: number) => number,
): GeneratedArray {
  const npy = npyTypeOf(type);
  if (npy === null) throw new UsageError(`values of type '${type}' cannot be generated`);
  if (elements === undefined) throw new UsageError("needs 'count', the number of elements");
  const size = itemSize(npy);
  if (elements * size > room)
    throw new UsageError(`a buffer of ${elements * size} bytes does not fit; the device has only ${room} left`);
  const bytes = new Uint8Array(elements * size);
  const put = writerOf(npy, new DataView(bytes.buffer));
  for (let i = 0; i < elements; i++) put(i * size, value(i));
  return { type: npy, count: elements, bytes };
}

/**
 * Returns a function that stores a number as an element of the given type. If the type is a float, the number is
 * rounded; if it is an integer, the number wraps around.
 */
function writerOf(type: NpyType, view: DataView): (at: number, value: number) => void {
  switch (type) {
    case 'f2':
      return (at, value) => view.setUint16(at, Number(numberBits('f16', value)), true);
    case 'f4':
      return (at, value) => view.setFloat32(at, value, true);
    case 'f8':
      return (at, value) => view.setFloat64(at, value, true);
    case 'i8':
    case 'u8':
      return (at, value) => view.setBigInt64(at, BigInt(Math.trunc(value)), true);
    case 'i4':
    case 'u4':
      return (at, value) => view.setInt32(at, value, true);
    case 'i2':
    case 'u2':
      return (at, value) => view.setInt16(at, value, true);
    case 'i1':
    case 'u1':
    case 'b1':
      return (at, value) => view.setInt8(at, value);
  }
}

/** The element type and shape of a generated array. */
export function elementOf({ type, count: elements }: GeneratedArray): {
  readonly type: NpyType;
  readonly shape: readonly number[];
} {
  return { type, shape: [elements] };
}
