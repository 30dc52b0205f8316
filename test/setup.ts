/**
 * For every test file of `npm test`: random inputs are the same in each run, so that a run passes whenever the one
 * before did (`npm run test:fuzz` draws new ones), and integers in long arrays are compared as bytes, which takes a
 * thousandth of the time.
 */
import fc from 'fast-check';
import { expect } from 'vitest';

fc.configureGlobal({ seed: 1_122_334 });

/** Undefined if the usual comparison should decide. */
function areSameIntegers(a: unknown, b: unknown): boolean | undefined {
  if (!isIntegerArray(a) || !isIntegerArray(b) || a.constructor !== b.constructor) return undefined;
  return Buffer.compare(bytesOf(a), bytesOf(b)) === 0;
}

type IntegerArray = Uint8Array | Uint16Array | Uint32Array;

function isIntegerArray(value: unknown): value is IntegerArray {
  return value instanceof Uint8Array || value instanceof Uint16Array || value instanceof Uint32Array;
}

function bytesOf({ buffer, byteOffset, byteLength }: IntegerArray): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

const added = Symbol.for('ptxlab.comparison-of-integers');

// Test files of a worker share the list of comparisons.
if (!Object.hasOwn(globalThis, added)) {
  Object.defineProperty(globalThis, added, { value: true });
  expect.addEqualityTesters([areSameIntegers]);
}
