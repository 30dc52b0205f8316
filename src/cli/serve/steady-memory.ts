/**
 * Settings of V8 for a server, which runs for a long time, so its memory should not grow. They apply to the whole
 * process.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export function keepMemorySteady(): void {
  // Garbage is collected when the heap has grown by a third. By default, V8 may let it grow to four times its size if
  // collections take long.
  setFlagsFromString('--heap-growing-percent=33');
  // If functions are compiled on their first call, the V8 of Node 20 never frees about 1 kB of each module that is
  // instantiated.
  setFlagsFromString('--no-wasm-lazy-compilation');
}

/**
 * The number of modules that are unloaded between two collections. Loading as many small modules takes twenty times as
 * long as one collection.
 */
const unloadsPerCollection = 250;
/**
 * The size in bytes up to which the heap is collected. Collecting a larger heap would delay a request by more than
 * about 50 ms.
 */
const largestCollectedHeap = 256 * 2 ** 20;
let unloads = 0;

/** Collects all garbage from time to time, because V8 does not notice how much memory unloaded modules leave behind. */
export function countUnload(): void {
  if (++unloads % unloadsPerCollection !== 0 || getHeapStatistics().used_heap_size > largestCollectedHeap) return;
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}
