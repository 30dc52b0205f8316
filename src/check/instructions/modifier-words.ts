/** Finds the modifier that was probably meant by an unknown word, and formats lists of modifiers for messages. */
import { joinWords } from '../../base/join-words.ts';
import { nearestWord } from '../../base/nearest-word.ts';

/** Words of C++, CUDA, LLVM, OpenCL and numpy, with the modifiers that mean the same, the most common one first. */
const foreign: ReadonlyMap<string, readonly string[]> = new Map([
  ['.i8', ['.s8']],
  ['.i16', ['.s16']],
  ['.i32', ['.s32']],
  ['.i64', ['.s64']],
  ['.int', ['.s32']],
  ['.uint', ['.u32']],
  ['.long', ['.s64']],
  ['.half', ['.f16']],
  ['.float', ['.f32']],
  ['.double', ['.f64']],
  ['.neq', ['.ne']],
  ['.not_equal', ['.ne']],
  ['.equal', ['.eq']],
  ['.less', ['.lt']],
  ['.slt', ['.lt']],
  ['.lte', ['.le']],
  ['.sle', ['.le']],
  ['.greater', ['.gt']],
  ['.sgt', ['.gt']],
  ['.gte', ['.ge']],
  ['.sge', ['.ge']],
  ['.rne', ['.rn', '.rni']],
  ['.rte', ['.rn', '.rni']],
  ['.rtz', ['.rz', '.rzi']],
  ['.rd', ['.rm', '.rmi']],
  ['.rtn', ['.rm', '.rmi']],
  ['.ru', ['.rp', '.rpi']],
  ['.rtp', ['.rp', '.rpi']],
  ['.gmem', ['.global']],
  ['.smem', ['.shared']],
  ['.lmem', ['.local']],
  ['.cmem', ['.const']],
]);

/**
 * Returns the word that the author of the text probably meant: the one that means the same in PTX, the only one that
 * begins with the text, or the one that the text seems to misspell. Returns null if no word is likely.
 */
export function likelyWord(text: string, words: readonly string[]): string | null {
  const meant = foreign.get(text)?.find((word) => words.includes(word));
  if (meant !== undefined) return meant;
  const [begun, ...others] = [...new Set(words)].filter((word) => word.startsWith(text));
  return begun !== undefined && others.length === 0 ? begun : nearestWord(text, words);
}

/**
 * Splits text that consists of two of the words without the dot between them, such as `.v4f32`. Returns null for any
 * other text.
 */
export function splitWord(text: string, words: readonly string[]): readonly [string, string] | null {
  for (const first of words) {
    if (!text.startsWith(first)) continue;
    const second = words.find((word) => word.length === text.length - first.length + 1 && text.endsWith(word.slice(1)));
    if (second !== undefined) return [first, second];
  }
  return null;
}

/** Replaces each number with `#`, so that modifiers such as `.v3` and `.v4` are considered similar. */
export function withoutNumbers(text: string): string {
  return text.replace(/\d+/g, '#');
}

/** Joins words, as in `a, b or c`. */
export function listed(words: readonly string[]): string {
  return joinWords(words, 'or');
}
