/**
 * Shuffles that choose words from two vectors. Words 0 to 3 are those of the first vector, and words 4 to 7 those of
 * the second.
 */

/** Returns the indices of the bytes that form the given words. */
export function wordsAt(...numbers: readonly number[]): readonly number[] {
  return numbers.flatMap((word) => [0, 1, 2, 3].map((byte) => 4 * word + byte));
}

export const evenWords: readonly number[] = wordsAt(0, 2, 4, 6);
export const oddWords: readonly number[] = wordsAt(1, 3, 5, 7);

/** The first two words of each of two vectors. */
export const lowPairs: readonly number[] = wordsAt(0, 1, 4, 5);

/** The last two words of a vector, moved to the front. */
export const upperPair: readonly number[] = wordsAt(2, 3, 2, 3);

/** The first two or the last two words of a vector, each of them twice. */
export const lowWordsTwice: readonly number[] = wordsAt(0, 0, 1, 1);
export const highWordsTwice: readonly number[] = wordsAt(2, 2, 3, 3);
