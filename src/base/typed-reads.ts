/**
 * Bounds-checked reads of typed arrays, for inner loops. There is one function for each array class, because V8 records
 * for each function which classes its arguments had. If all calls to a function have passed instances of the same
 * class, V8 inlines the function, and also removes the bounds check if no read has been out of bounds.
 */

function outOfBounds(index: number, length: number): never {
  throw new Error(`no element at index ${index}; the length is ${length}`);
}

export function byteAt(bytes: Uint8Array, index: number): number {
  const found = bytes[index];
  return found === undefined ? outOfBounds(index, bytes.length) : found;
}

/** Reads an element from an array of 8-bit or 16-bit codes. */
export function codeAt(codes: Uint8Array | Uint16Array, index: number): number {
  const found = codes[index];
  return found === undefined ? outOfBounds(index, codes.length) : found;
}

export function wordAt(words: Uint32Array, index: number): number {
  const found = words[index];
  return found === undefined ? outOfBounds(index, words.length) : found;
}

export function signedAt(words: Int32Array, index: number): number {
  const found = words[index];
  return found === undefined ? outOfBounds(index, words.length) : found;
}

export function singleAt(singles: Float32Array, index: number): number {
  const found = singles[index];
  return found === undefined ? outOfBounds(index, singles.length) : found;
}

export function doubleAt(doubles: Float64Array, index: number): number {
  const found = doubles[index];
  return found === undefined ? outOfBounds(index, doubles.length) : found;
}
