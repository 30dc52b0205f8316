/** Sixteen codes in four vectors of words, as bytes or densely packed, into memory. */
import { formats, type FormatName } from '../numerics/formats.ts';
import type { Code } from '../wasm/code.ts';
import { shift, splat } from './vector-words.ts';

/** Bytes of so many codes, a multiple of eight where they are dense. */
export function codeBytesOf(format: FormatName, dense: boolean, codes: number): number {
  return dense ? (codes * formats[format].width) / 8 : codes;
}

/** Stores codes behind the pointer, the first lowest. Of six bits each, four bytes more are written, of no meaning. */
export function storeCodes(
  code: Code,
  format: FormatName,
  dense: boolean,
  words: readonly number[],
  pointer: number,
  offset: number,
): void {
  const { width } = formats[format];
  code.get(pointer);
  pushBytes(code, words);
  if (!dense || width === 8) {
    code.vectorMemory('v128.store', offset);
    return;
  }
  const bytes = code.local('v128');
  code.set(bytes);
  joinBytes(code, bytes, width);
  if (width === 6) {
    const joined = code.local('v128');
    code.tee(joined).get(joined).shuffle(threeOfFour).vectorMemory('v128.store', offset);
    return;
  }
  const narrow = code.local('v128');
  code.set(narrow);
  if (width === 4) code.get(narrow).get(narrow).vector('i8x16.narrow_i16x8_u').storeLane('v128.store64_lane', offset);
  else {
    code.get(narrow).get(narrow).vector('i16x8.narrow_i32x4_u').set(narrow);
    code.get(narrow).get(narrow).vector('i8x16.narrow_i16x8_u').storeLane('v128.store32_lane', offset);
  }
}

/** The lower three bytes of every word, then the first four again. */
const threeOfFour = [0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 0, 1, 2, 3];

function pushBytes(code: Code, words: readonly number[]): void {
  const [a, b, c, d] = words as [number, number, number, number];
  code.get(a).get(b).vector('i16x8.narrow_i32x4_u');
  code.get(c).get(d).vector('i16x8.narrow_i32x4_u', 'i8x16.narrow_i16x8_u');
}

/** Pushes the codes of each pair of bytes (four bits) or each four (two and six bits) side by side, above them zeros. */
function joinBytes(code: Code, bytes: number, width: number): void {
  if (width === 4) {
    code.get(bytes).get(bytes).i32(4).vector('i16x8.shr_u', 'v128.or');
    splat(code, 0x00ff00ff).vector('v128.and');
    return;
  }
  const mask = 2 ** width - 1;
  for (let byte = 0; byte < 4; byte++) {
    shift(code.get(bytes), 'i32x4.shr_u', byte * (8 - width));
    splat(code, mask << (byte * width)).vector('v128.and');
    if (byte > 0) code.vector('v128.or');
  }
}
