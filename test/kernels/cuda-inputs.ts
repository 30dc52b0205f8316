/** A line of test/kernels/cuda/*.jsonl: how to launch a kernel, and the contents of its buffers afterwards. */
import { mulberry32 } from '../mulberry32.ts';

type Input =
  /** The bytes of a scalar or struct. */
  | { readonly value: string }
  | { readonly zeros: number }
  | { readonly hex: string }
  /** Number of random 32-bit words. */
  | { readonly bits: number; readonly seed: number }
  /** f32 values in the range `[low, high)`, each made from 24 random bits; `high - low` must be a power of two. */
  | { readonly floats: number; readonly seed: number; readonly low: number; readonly high: number }
  /** 32-bit integers in `[0, limit)`. */
  | { readonly ints: number; readonly seed: number; readonly limit: number };

export type Outcome =
  | 'unchanged'
  | { readonly hex: string }
  /** Floats that may differ from the recorded ones by up to `absolute + relative * |recorded|`. */
  | {
      readonly hex: string;
      readonly type: 'f16' | 'bf16' | 'f32' | 'f64';
      readonly relative: number;
      readonly absolute: number;
    };

type Triple = readonly [number, number, number];

export interface CudaCase {
  readonly kernel: string;
  readonly grid: Triple;
  readonly block: Triple;
  readonly sharedBytes: number;
  readonly args: readonly Input[];
  /** One entry per argument, which is null if the argument is not a buffer. */
  readonly after: readonly (Outcome | null)[];
}

export function bytesOf(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, 'hex'));
}

/** The bytes of an argument. Random bytes are generated in the same way as in cuda/host/record.h. */
export function inputBytes(input: Input): Uint8Array {
  if ('value' in input) return bytesOf(input.value);
  if ('zeros' in input) return new Uint8Array(input.zeros);
  if ('hex' in input) return bytesOf(input.hex);
  const random = mulberry32(input.seed);
  if ('bits' in input) return bytes(Uint32Array.from({ length: input.bits }, random));
  if ('ints' in input) return bytes(Uint32Array.from({ length: input.ints }, () => random() % input.limit));
  const { low, high } = input;
  const unit = (high - low) / 2 ** 24;
  return bytes(Float32Array.from({ length: input.floats }, () => low + (random() >>> 8) * unit));
}

function bytes(values: Uint32Array | Float32Array): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

/**
 * Describes the first place where the bytes differ from the recorded ones; null if they agree or are within the
 * tolerance.
 */
export function difference(found: Uint8Array, before: Uint8Array, outcome: Outcome): string | null {
  const recorded = outcome === 'unchanged' ? before : bytesOf(outcome.hex);
  if (outcome === 'unchanged' || !('type' in outcome)) return firstWord(found, recorded);
  const { type, relative, absolute } = outcome;
  const [numbers, wanted] = [numbersOf(found, type), numbersOf(recorded, type)];
  const at = wanted.findIndex(
    (value, i) => !isNear(numbers[i] as number, value, absolute + relative * Math.abs(value)),
  );
  return at < 0 ? null : `${type} ${at} is ${numbers[at]}, not ${wanted[at]}`;
}

function isNear(found: number, wanted: number, distance: number): boolean {
  return Object.is(found, wanted) || Math.abs(found - wanted) <= distance;
}

function firstWord(found: Uint8Array, recorded: Uint8Array): string | null {
  const at = recorded.findIndex((byte, i) => byte !== found[i]);
  if (at < 0) return null;
  const start = at & ~7;
  const word = (from: Uint8Array): string => Buffer.from(from.subarray(start, start + 8)).toString('hex');
  const differing = recorded.filter((byte, i) => byte !== found[i]).length;
  return `at byte ${start}: ${word(found)}, not ${word(recorded)}; ${differing} of ${recorded.length} bytes differ`;
}

function numbersOf(from: Uint8Array, type: 'f16' | 'bf16' | 'f32' | 'f64'): readonly number[] {
  const view = new DataView(from.buffer, from.byteOffset, from.byteLength);
  const list = (width: number, read: (offset: number) => number): readonly number[] =>
    Array.from({ length: from.byteLength / width }, (_, i) => read(i * width));
  switch (type) {
    case 'f64':
      return list(8, (at) => view.getFloat64(at, true));
    case 'f32':
      return list(4, (at) => view.getFloat32(at, true));
    case 'f16':
      return list(2, (at) => half(view.getUint16(at, true)));
    case 'bf16':
      return list(2, (at) => new Float32Array(Uint32Array.of(view.getUint16(at, true) << 16).buffer)[0] as number);
  }
}

function half(bits: number): number {
  const sign = bits >= 0x8000 ? -1 : 1;
  const [exponent, fraction] = [(bits >> 10) & 31, bits & 0x3ff];
  if (exponent === 31) return fraction === 0 ? sign * Infinity : Number.NaN;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25));
}
