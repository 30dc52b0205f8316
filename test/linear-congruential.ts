/**
 * Creates a linear congruential generator. Each call of the result returns the next 32 bits, of which the high ones are
 * the most random.
 */
export function linearCongruential(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state;
  };
}
