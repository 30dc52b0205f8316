/**
 * Converts arrays in plain JavaScript where WebAssembly is not available: one value at a time with the exact engine or,
 * if the source format has few values, by table lookup.
 */
import { viewOf } from '../../base/byte-view.ts';
import type { Bits } from '../../base/bits.ts';
import { byteAt } from '../../base/typed-reads.ts';
import { randomWord, seedKeys } from '../../jit/arrays/array-random.ts';
import type { ArrayPlan } from '../../jit/arrays/array-plan.ts';
import type { Storage } from '../../jit/arrays/array-storage.ts';
import { formats } from '../../numerics/formats.ts';
import type { RandomSource } from '../../jit/arrays/array-converter.ts';
import { planConverter } from '../semantics/semantics.ts';

type ConvertOne = (source: Bits, random: number) => Bits;

export class PlainConverter {
  private readonly plan: ArrayPlan;
  private readonly convertOne: ConvertOne;

  constructor(plan: ArrayPlan) {
    this.plan = plan;
    const [first] = plan.stages;
    const convert = planConverter(plan.stages);
    const few = first !== undefined && formats[first.conversion.from].width <= 16 && plan.random === null;
    this.convertOne = few ? tabled(convert, formats[first.conversion.from].width) : convert;
  }

  /** As `ArrayConverter.run`. */
  run(source: Uint8Array, target: Uint8Array, count: number, random: RandomSource | null): void {
    const { plan, convertOne } = this;
    const read = reader(source, plan.source);
    const write = writer(target, plan.target);
    const draw = random === null ? (): number => 0 : drawer(plan, random);
    for (let i = 0; i < count; i++) write(i, convertOne(read(i), draw(i)));
  }
}

function tabled(convert: ConvertOne, width: number): ConvertOne {
  const table: Bits[] = [];
  return (source) => (table[Number(source)] ??= convert(Number(source) & (2 ** width - 1), 0));
}

function drawer({ random }: ArrayPlan, source: RandomSource): (i: number) => number {
  if (random === null) throw new Error('no random bits are drawn');
  const { low, bits } = random;
  const before = source.kind === 'seed' ? source.first / low.length : 0;
  const wordOf = (index: number): number =>
    source.kind === 'words'
      ? (source.words[index] ?? 0)
      : randomWord(index >>> 0, seedKeys(source.seed, Math.floor(index / 2 ** 32)));
  return (i) => (wordOf(before + Math.floor(i / low.length)) >>> (low[i % low.length] ?? 0)) & (2 ** bits - 1);
}

function reader(bytes: Uint8Array, storage: Storage): (i: number) => Bits {
  const view = viewOf(bytes);
  const { width } = storage;
  switch (width) {
    case 64:
      return (i) => view.getBigUint64(8 * i, true);
    case 32:
      return (i) => view.getUint32(4 * i, true);
    case 16:
      return (i) => view.getUint16(2 * i, true);
    default: {
      const mask = 2 ** width - 1;
      if (!storage.dense) return (i) => byteAt(bytes, i) & mask;
      return (i) => {
        const { byte, low } = placeOf(storage, i);
        return ((byteAt(bytes, byte) | ((bytes[byte + 1] ?? 0) << 8)) >> low) & mask;
      };
    }
  }
}

function writer(bytes: Uint8Array, storage: Storage): (i: number, value: Bits) => void {
  const view = viewOf(bytes);
  const { width } = storage;
  switch (width) {
    case 64:
      return (i, value) => view.setBigUint64(8 * i, BigInt(value), true);
    case 32:
      return (i, value) => view.setUint32(4 * i, Number(value), true);
    case 16:
      return (i, value) => view.setUint16(2 * i, Number(value), true);
    default:
      if (!storage.dense) {
        return (i, value) => {
          bytes[i] = Number(value);
        };
      }
      return (i, value) => writeDense(bytes, storage, i, Number(value));
  }
}

/**
 * Writes one densely packed element. Elements are written in order, so any bits that belong to later elements may be
 * overwritten.
 */
function writeDense(bytes: Uint8Array, storage: Storage, i: number, value: number): void {
  const { byte, low } = placeOf(storage, i);
  const fresh = storage.highFirst ? low + storage.width === 8 : low === 0;
  const placed = value << low;
  bytes[byte] = (fresh ? 0 : byteAt(bytes, byte)) | (placed & 0xff);
  if (low + storage.width > 8) bytes[byte + 1] = placed >> 8;
}

/** The byte in which a dense element begins, and the position of its lowest bit in that byte. */
function placeOf({ width, highFirst }: Storage, i: number): { readonly byte: number; readonly low: number } {
  const bit = i * width;
  const low = bit % 8;
  return { byte: Math.floor(bit / 8), low: highFirst ? 8 - width - low : low };
}
