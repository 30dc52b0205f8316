/**
 * Creates a linear congruential generator. Each call to the returned function returns the next 32 bits; the high bits
 * are the most random.
 */
export function linearCongruential(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state;
  };
}
