/**
 * Writes code that computes the codes, scales and offsets of blocks of f32 values, four values at a time. In vectors
 * that hold the scale or the offset of a block, every lane contains the same number.
 */
import { elementAt } from '../../base/element-at.ts';
import type { BlockEncoding, PackedBlock } from '../../numerics/packed-blocks.ts';
import type { Code } from '../../wasm/code.ts';
import type { VectorOpcode } from '../../wasm/simd-opcodes.ts';
import { single, splat } from '../simd/vector-words.ts';
import { loop } from './memory-loop.ts';
import { lanes } from './packed-columns.ts';
import { packingMemory } from './packing-memory.ts';

/**
 * Number of elements in a block. `pushFirst` relies on this number, because it uses a 32-bit word with one bit for each
 * element.
 */
const blockSize = 32;

interface Block {
  /** The local that contains the address of the values. */
  readonly from: number;
  /** The values, four in each local. */
  readonly values: readonly number[];
  readonly scale: number;
  readonly inverse: number;
  readonly offset: number;
}

/** Writes a loop over blocks; the first parameter of the function is the number of blocks. */
export function writeBlockEncoding(code: Code, { elements }: PackedBlock, encoding: BlockEncoding): void {
  if (elements !== blockSize) throw new Error(`blocks of ${elements} elements cannot be encoded`);
  const [to, factor] = [code.local('i32'), code.local('i32')];
  const block: Block = {
    from: code.local('i32'),
    values: Array.from({ length: blockSize / 4 }, () => code.local('v128')),
    scale: code.local('v128'),
    inverse: code.local('v128'),
    offset: code.local('v128'),
  };
  const strides = [
    [block.from, 4 * blockSize],
    [to, blockSize],
    [factor, 4],
  ] as const;
  loop(code, 0, strides, () => {
    block.values.forEach((value, i) => {
      code
        .get(block.from)
        .vectorMemory('v128.load', packingMemory.values + 16 * i)
        .set(value);
    });
    pushSpan(code, encoding, block);
    pushSingles(code, encoding.divisor).vector('f32x4.div').set(block.scale);
    pushInverse(code, block.scale).set(block.inverse);
    code.get(factor).get(block.scale).laneMemory('v128.store32_lane', packingMemory.scales);
    if (encoding.from === 'range')
      code.get(factor).get(block.offset).laneMemory('v128.store32_lane', packingMemory.offsets);
    for (let first = 0; first < blockSize; first += lanes) {
      code.get(to);
      pushCodes(code, encoding, block, first);
      code.vectorMemory('v128.store', packingMemory.codes + first);
    }
  });
}

/** Pushes the number that determines the scale. If `from` is `range`, the offset is set as well. */
function pushSpan(code: Code, { from }: BlockEncoding, block: Block): void {
  if (from === 'range') return pushRange(code, block);
  const largest = code.local('v128');
  pushExtreme(code, block.values, { start: 0, of: ['f32x4.abs'], op: 'f32x4.pmax' }).set(largest);
  if (from === 'magnitude') {
    code.get(largest);
    return;
  }
  pushFirst(code, block, largest, ['f32x4.abs']);
  // If the block contains only zeros and NaNs, the result is +0.
  code.get(largest);
  splat(code, 0).vector('f32x4.ne', 'v128.and');
}

function pushRange(code: Code, block: Block): void {
  const [low, high, areNumbers] = [code.local('v128'), code.local('v128'), code.local('v128')];
  pushExtreme(code, block.values, { start: single.infinity, of: [], op: 'f32x4.pmin' }).set(low);
  pushExtreme(code, block.values, { start: single.sign | single.infinity, of: [], op: 'f32x4.pmax' }).set(high);
  code.get(low).get(high).vector('f32x4.le').set(areNumbers);
  pushFirst(code, block, low, []);
  code.get(areNumbers).vector('v128.and').set(block.offset);
  // The difference of two zeros is +0.
  code.get(high).get(areNumbers).vector('v128.and').get(block.offset).vector('f32x4.sub', 'f32x4.abs');
}

interface Extreme {
  /** The initial value, as f32 bits. It is the result if all values are NaNs. */
  readonly start: number;
  /** Instructions that are applied to each value before it is compared. */
  readonly of: readonly VectorOpcode[];
  readonly op: 'f32x4.pmin' | 'f32x4.pmax';
}

/** Pushes the largest or smallest number of a block; NaNs are ignored. */
function pushExtreme(code: Code, values: readonly number[], { start, of, op }: Extreme): Code {
  const found = code.local('v128');
  splat(code, start);
  for (const value of values) code.get(value).vector(...of, op);
  for (const distance of [8, 4]) {
    code.set(found).get(found).get(found).get(found);
    code.shuffle(Array.from({ length: 16 }, (_, i) => (i + distance) % 16)).vector(op);
  }
  return code;
}

/**
 * Finds the first value for which the instructions in `of` produce `wanted`, and pushes that value itself. If there is
 * no such value, pushes an arbitrary one.
 */
function pushFirst(code: Code, { from, values }: Block, wanted: number, of: readonly VectorOpcode[]): void {
  const pushEqual = (i: number): Code =>
    code
      .get(elementAt(values, i))
      .vector(...of)
      .get(wanted)
      .vector('f32x4.eq');
  code.get(from);
  for (let i = 0; i < values.length; i += 4) {
    pushBytes(code, (k) => pushEqual(i + k), 'i8x16.narrow_i16x8_s').vector('i8x16.bitmask');
    if (i > 0) code.i32(4 * i).op('i32.shl', 'i32.or');
  }
  code.op('i32.ctz').i32(2).op('i32.shl', 'i32.add').vectorMemory('v128.load32_splat', packingMemory.values);
}

/** Narrows sixteen words to bytes, and pushes them as one vector. */
function pushBytes(
  code: Code,
  pushWords: (i: number) => void,
  op: 'i8x16.narrow_i16x8_s' | 'i8x16.narrow_i16x8_u',
): Code {
  for (const i of [0, 2]) {
    pushWords(i);
    pushWords(i + 1);
    code.vector('i16x8.narrow_i32x4_s');
  }
  return code.vector(op);
}

/**
 * Pushes 1 / scale, with two exceptions. For a scale of 0, pushes 0. For an infinite scale, pushes the smallest nonzero
 * magnitude of f32 with the sign of the scale. Multiplying by this number leaves an infinite value infinite, and makes
 * the magnitude of a finite value less than 1/2.
 */
function pushInverse(code: Code, scale: number): Code {
  pushSingles(code, 1).get(scale).vector('f32x4.div');
  code.get(scale);
  splat(code, 0).vector('f32x4.ne', 'v128.and');
  code.get(scale).vector('f32x4.abs');
  splat(code, single.infinity).vector('f32x4.eq');
  splat(code, 1).vector('v128.and', 'v128.or');
  return code;
}

/** Pushes the codes of sixteen values. */
function pushCodes(code: Code, encoding: BlockEncoding, block: Block, first: number): void {
  const { least, most } = encoding;
  const isSigned = least < 0;
  pushBytes(
    code,
    (i) => pushCode(code, encoding, block, elementAt(block.values, first / 4 + i)),
    isSigned ? 'i8x16.narrow_i16x8_s' : 'i8x16.narrow_i16x8_u',
  );
  const everyByte = (byte: number): Code => splat(code, (byte & 0xff) * 0x01010101);
  if (most !== (isSigned ? 0x7f : 0xff)) everyByte(most).vector(isSigned ? 'i8x16.min_s' : 'i8x16.min_u');
  if (least !== (isSigned ? -0x80 : 0)) everyByte(least).vector(isSigned ? 'i8x16.max_s' : 'i8x16.max_u');
}

/** Pushes four codes as words that have not been clamped to the range of the codes yet. */
function pushCode(code: Code, { from, zero, ties }: BlockEncoding, block: Block, value: number): void {
  code.get(value);
  // A NaN gets the same code as the value 0. The conversion to an integer turns a NaN into code 0. If the value 0 has a
  // different code, each NaN is replaced with the value 0 first.
  if (zero !== 0) code.get(value).get(value).vector('f32x4.eq', 'v128.and');
  if (from === 'range') code.get(block.offset).vector('f32x4.sub');
  code.get(block.inverse).vector('f32x4.mul');
  if (ties === 'up') pushSingles(code, zero + 0.5).vector('f32x4.add');
  else pushAwayFromZero(code);
  code.vector('i32x4.trunc_sat_f32x4_s');
}

/**
 * Prepares the value on the stack so that truncating it afterward rounds it to the nearest integer, with ties away from
 * zero. To do so, adds the largest f32 below 1/2, with the sign of the value. If the value is halfway between two
 * integers, the exact sum is just below the one that is farther from zero, and the addition rounds it to that integer.
 * If the value is closer to zero than the halfway point, the sum does not reach that integer.
 */
function pushAwayFromZero(code: Code): void {
  const steps = code.local('v128');
  code.tee(steps).get(steps);
  splat(code, single.sign).vector('v128.and');
  splat(code, belowHalf).vector('v128.or', 'f32x4.add');
}

/** The bits of 1/2 - 2^-25. */
const belowHalf = 0x3effffff;

const bitsOfSingle = new Uint32Array(1);
const singleRoom = new Float32Array(bitsOfSingle.buffer);

/** Pushes a vector that contains a number, as f32, in every lane. */
function pushSingles(code: Code, value: number): Code {
  singleRoom[0] = value;
  return splat(code, elementAt(bitsOfSingle, 0));
}
