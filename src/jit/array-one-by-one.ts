/** Sixteen elements of an array by the function that converts one: formats of 64 bits, and what has no form on vectors. */
import type { Code } from '../wasm/code.ts';
import type { MemoryOpcode } from '../wasm/opcodes.ts';
import { groupSize, loadBytes, type Storage, storeBytes } from './array-storage.ts';

/** At address 0: sixteen bytes that were dense, and sixteen that will be. */
const [unpacked, packed] = [0, 128];
export const scratchBytes = 256;

/** Widths of elements as the function takes and gives them. */
const loads: Readonly<Record<number, MemoryOpcode>> = {
  8: 'i32.load8_u',
  16: 'i32.load16_u',
  32: 'i32.load',
  64: 'i64.load',
};
const stores: Readonly<Record<number, MemoryOpcode>> = {
  8: 'i32.store8',
  16: 'i32.store16',
  32: 'i32.store',
  64: 'i64.store',
};

/** An address, in a local and a constant, and what an element takes there. */
interface Place {
  readonly local: number;
  readonly offset: number;
  readonly storage: Storage;
}

/** `convert`: index of the function (source, random, scale). No conversion that draws random bits is done so. */
export function convertOneByOne(code: Code, convert: number, source: Place, target: Place): void {
  const [from, to, left] = [code.local('i32'), code.local('i32'), code.local('i32')];
  const loaded = source.storage.width <= 8;
  const stored = target.storage.dense;
  if (loaded) {
    code.i32(0);
    code.get(loadBytes(code, source.storage, source.local, source.offset)).vectorMemory('v128.store', unpacked);
    code.i32(0).set(from);
  } else code.get(source.local).set(from);
  if (stored) code.i32(0).set(to);
  else code.get(target.local).set(to);
  const [fromBits, toBits] = [Math.max(8, source.storage.width), Math.max(8, target.storage.width)];
  code.i32(groupSize).set(left);
  code.loop((again) => {
    code.get(to).get(from);
    code.memory(loads[fromBits] as MemoryOpcode, loaded ? unpacked : source.offset);
    code.i32(0).i32(unscaled).call(convert);
    code.memory(stores[toBits] as MemoryOpcode, stored ? packed : target.offset);
    code
      .get(from)
      .i32(fromBits / 8)
      .op('i32.add')
      .set(from);
    code
      .get(to)
      .i32(toBits / 8)
      .op('i32.add')
      .set(to);
    code.get(left).i32(1).op('i32.sub').tee(left).brIf(again);
  });
  if (!stored) return;
  code.get(target.local).i32(0).vectorMemory('v128.load', packed);
  storeBytes(code, target.storage, target.offset);
}

/** A factor of one. */
const unscaled = 0x7f;
