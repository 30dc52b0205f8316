/** Lowers prmt for four threads at once. */
import { pairOf, tripleOf } from '../../base/tuples.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import type { PermuteFunction } from '../../numerics/operations.ts';
import type { Code } from '../../wasm/code.ts';
import { selectorOf } from '../arithmetic/bit-selection.ts';
import type { Helpers } from '../helpers.ts';
import { setWord, type VectorLowering, type Writer } from './vector-lowering.ts';
import { shift, splat } from './vector-words.ts';
import { laneCount } from './vectors.ts';

export function vectorPermutation(
  { from, to }: StepOf<'bits'>,
  fn: PermuteFunction,
  lowering: VectorLowering,
): Writer | null {
  const { code, vectors, constantOf, scalar } = lowering;
  const [a, b, c] = tripleOf(from);
  const chosen = constantOf(c);
  if (chosen === null && fn !== 'prmt') return null;
  return () => {
    const sources = [a, b].map((ref) => vectors.get(ref, 'i32').locals[0]);
    if (chosen === null) {
      for (const local of sources) code.get(local);
      code.get(vectors.get(c, 'i32').locals[0]).call(permutation(scalar.helpers));
    } else pushKnown(selectorOf(fn, chosen), pairOf(sources), lowering);
    setWord(to, lowering);
  };
}

/**
 * Pushes the bytes that a constant selector selects. If the top bit of the selector nibble for a byte is set, every bit
 * of the byte is replaced with the byte's sign bit.
 */
function pushKnown(selector: number, [a, b]: readonly [number, number], { code, vectors }: VectorLowering): void {
  const nibbles = [0, 4, 8, 12].map((low) => (selector >>> low) & 15);
  const lanes = Array.from({ length: laneCount }, (_, lane) => 4 * lane);
  code.get(a).get(b);
  code.shuffle(lanes.flatMap((first) => nibbles.map((nibble) => 4 * (nibble & 4) + first + (nibble & 3))));
  const signed = nibbles.reduce((mask, nibble, place) => mask | (nibble >= 8 ? 0xff << (8 * place) : 0), 0);
  if (signed === 0) return;
  const bytes = vectors.temporary();
  code.set(bytes);
  pushSigns(code, bytes).get(bytes);
  splat(code, signed).vector('v128.bitselect');
}

/** Pushes, for each byte of a local, eight copies of its sign bit. */
function pushSigns(code: Code, bytes: number): Code {
  return splat(code, 0).get(bytes).vector('i8x16.gt_s');
}

/**
 * Returns the index of a function with three parameters: the two sources and the selectors. Each parameter is a vector
 * with one word for each of the four threads.
 */
function permutation(helpers: Helpers): number {
  const type = { parameters: ['v128', 'v128', 'v128'], results: ['v128'] } as const;
  return helpers.function('four prmt', type, writePermutation);
}

const [first, second, selectors] = [0, 1, 2];

/** Byte indices for a shuffle that repeats each of the two low bytes of every word. */
const doubledBytes = [0, 4, 8, 12].flatMap((byte) => [byte, byte, byte + 1, byte + 1]);

function writePermutation(code: Code): void {
  const [nibbles, places, bytes] = [code.local('v128'), code.local('v128'), code.local('v128')];
  // Each byte of a selector contains two nibbles. The byte is repeated first; then the low nibble of one copy and the
  // high nibble of the other are kept.
  code.get(selectors).get(selectors).shuffle(doubledBytes).set(nibbles);
  splat(code.get(nibbles), 0x000f000f).vector('v128.and');
  splat(shift(code.get(nibbles), 'i32x4.shr_u', 4), 0x0f000f00)
    .vector('v128.and', 'v128.or')
    .set(nibbles);
  // The index of each byte in its source. Bytes of the other source get an index with the top bit set, for which
  // swizzle returns 0.
  splat(code.get(nibbles), 0x03030303).vector('v128.and').words(0, 0x04040404, 0x08080808, 0x0c0c0c0c);
  code.vector('v128.or').get(nibbles);
  shift(splat(code, 0x04040404).vector('v128.and'), 'i32x4.shl', 5).vector('v128.or').set(places);
  code.get(first).get(places).vector('i8x16.swizzle').get(second).get(places);
  splat(code, 0x80808080).vector('v128.xor', 'i8x16.swizzle', 'v128.or').set(bytes);
  // If the top bit of the selector nibble for a byte is set, every bit of the byte is replaced with the byte's sign
  // bit.
  pushSigns(code, bytes).get(bytes);
  splat(code, 0).get(nibbles);
  shift(code, 'i32x4.shl', 4).vector('i8x16.gt_s', 'v128.bitselect');
}
