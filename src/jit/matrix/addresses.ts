/** Computes the addresses at which each lane accesses a matrix, and transposes a small matrix. */
import { elementAt } from '../../base/element-at.ts';
import type { AddressPlan } from '../../isa/collective.ts';
import { warpSize } from '../../machine/launch.ts';
import type { Code } from '../../wasm/code.ts';
import type { Carriers } from '../groups/stop.ts';
import type { Carrier } from '../regions/frame.ts';

/** Parameters of `exchangeType`: the address of lane 0's words, and the index of the thread in lane 0. */
const [words, first] = [0, 1] as const;

/**
 * Pushes the address of lane 0's element, not including the offset of the array. In an array of double words, the
 * distance of an element from the start is twice as large as in an array of words.
 */
function pushStart(code: Code, wide: number, { type }: Carrier): Code {
  return code.get(type === 'i64' ? wide : words);
}

export function writeAddresses(code: Code, origin: number, plan: AddressPlan, { sends, receives }: Carriers): void {
  const { accesses, strideBits, constants, words: kept } = plan;
  const wide = code.local('i32');
  code.get(words).get(first).i32(2).op('i32.shl', 'i32.add').set(wide);
  const [address, stride] = [elementAt(sends, 0), elementAt(sends, 1)];
  const place = ({ type, array }: Carrier, lane: number): number => origin + array + lane * (type === 'i64' ? 8 : 4);
  const step = code.local('i64');
  for (let lane = 0; lane < warpSize; lane++) {
    code.get(words).memory('i32.load', place(stride, lane)).op('i64.extend_i32_u').set(step);
    accesses.forEach(({ sources, strides, bytes }, i) => {
      const to = elementAt(receives, i);
      pushStart(code, wide, to);
      pushStart(code, wide, address).memory('i64.load', place(address, elementAt(sources, lane)));
      const count = elementAt(strides, lane);
      if (count !== 0) {
        code
          .get(step)
          .i64(BigInt(count * strideBits))
          .op('i64.mul')
          .i64(3n)
          .op('i64.shr_u', 'i64.add');
      }
      if (elementAt(bytes, lane) !== 0) code.i64(BigInt(elementAt(bytes, lane))).op('i64.add');
      code.memory('i64.store', place(to, lane));
    });
    constants.forEach((numbers, i) => {
      code
        .get(words)
        .i32(elementAt(numbers, lane))
        .memory('i32.store', place(elementAt(receives, accesses.length + i), lane));
    });
    kept.forEach((_, i) => {
      const [from, to] = [elementAt(sends, 2 + i), elementAt(receives, accesses.length + constants.length + i)];
      pushStart(code, wide, to);
      pushStart(code, wide, from).memory(`${from.type}.load`, place(from, lane));
      code.memory(`${to.type}.store`, place(to, lane));
    });
  }
}

/**
 * Writes code that transposes a matrix. Each lane receives two adjacent elements of a row, which come from two
 * different lanes.
 */
export function writeTranspose(code: Code, origin: number, { sends, receives }: Carriers): void {
  const [from, to] = [elementAt(sends, 0), elementAt(receives, 0)];
  for (let lane = 0; lane < warpSize; lane++) {
    const [row, column] = [lane >> 2, 2 * (lane & 3)];
    const half = (of: number): void => {
      code.get(words).memory('i32.load16_u', origin + from.array + 4 * (4 * of + (row >> 1)) + 2 * (row & 1));
    };
    code.get(words);
    half(column);
    half(column + 1);
    code
      .i32(16)
      .op('i32.shl', 'i32.or')
      .memory('i32.store', origin + to.array + 4 * lane);
  }
}
