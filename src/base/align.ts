/** The smallest multiple of `alignment` that is at least `offset`. */
export function alignUp(offset: number, alignment: number): number {
  return Math.ceil(offset / alignment) * alignment;
}
