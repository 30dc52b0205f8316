/** Returns the position in D of element `i` of a thread's registers, for the sums of wgmma. */
export function placeInD(thread: number, i: number): readonly [row: number, column: number] {
  const [warp, lane] = [thread >> 5, thread & 31];
  return [16 * warp + (lane >> 2) + 8 * ((i >> 1) & 1), 8 * (i >> 2) + 2 * (lane & 3) + (i & 1)];
}
