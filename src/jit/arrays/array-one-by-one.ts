/**
 * Converts sixteen elements of an array with the function for one element. Used for 64-bit formats and for conversions
 * with no vector form.
 */
import type { Code } from '../../wasm/code.ts';
import { loads, stores, opcodeFor } from '../memory/access.ts';
import { unscaled } from '../arithmetic/convert.ts';
import { type GroupAccess, groupSize, loadBytes, storeBytes } from './array-storage.ts';
import type { RandomBits } from './random-bits.ts';

/**
 * Offsets of three areas in scratch memory: sixteen bytes for elements that have been unpacked, sixteen words of random
 * bits, and sixteen bytes for results that have not been packed yet.
 */
const [unpacked, randomWords, packed] = [0, 64, 128];
/**
 * `convert` is the index of a function that takes the source, the random bits and the scale, and returns the result.
 * `scratch` is a local that holds the address of `scratchBytes` bytes of scratch memory.
 */
export function convertOneByOne(
  code: Code,
  convert: number,
  random: RandomBits,
  { source, target }: Pick<GroupAccess, 'source' | 'target'>,
  scratch: number,
): void {
  const [from, to, left, bits] = [code.local('i32'), code.local('i32'), code.local('i32'), code.local('i32')];
  const unpacks = source.storage.width <= 8;
  const packs = target.storage.dense;
  if (unpacks) {
    code
      .get(scratch)
      .get(loadBytes(code, source.storage, source.local))
      .vectorMemory('v128.store', unpacked);
  }
  if (random.areDrawn) {
    for (let i = 0; i < groupSize / 4; i++) {
      const lanes = random.of(i);
      code
        .get(scratch)
        .get(lanes)
        .vectorMemory('v128.store', randomWords + 16 * i);
    }
    code.get(scratch).set(bits);
  }
  code.get(unpacks ? scratch : source.local).set(from);
  code.get(packs ? scratch : target.local).set(to);
  const [fromBits, toBits] = [Math.max(8, source.storage.width), Math.max(8, target.storage.width)];
  code.i32(groupSize).set(left);
  code.loop((again) => {
    code.get(to).get(from);
    code.memory(opcodeFor(loads, fromBits), unpacks ? unpacked : 0);
    if (random.areDrawn) code.get(bits).memory('i32.load', randomWords);
    else code.i32(0);
    code.i32(unscaled).call(convert);
    code.memory(opcodeFor(stores, toBits), packs ? packed : 0);
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
    if (random.areDrawn) code.get(bits).i32(4).op('i32.add').set(bits);
    code.get(left).i32(1).op('i32.sub').tee(left).brIf(again);
  });
  if (!packs) return;
  code.get(target.local).get(scratch).vectorMemory('v128.load', packed);
  storeBytes(code, target.storage);
}
