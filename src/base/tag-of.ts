/** The kind of a value, such as `Float32Array`, even if the value comes from another realm. */
export function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1);
}
