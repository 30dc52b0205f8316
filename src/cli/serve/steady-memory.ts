/**
 * V8 settings for a server. A server runs for a long time, so its memory usage must not keep growing. The settings
 * apply to the whole process.
 */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export function keepMemorySteady(): void {
  // Collect garbage each time the heap has grown by a third. By default, if collections take long, V8 may let the heap
  // grow to four times its size.
  setFlagsFromString('--heap-growing-percent=33');
  // Compile all functions of a module as soon as the module is compiled. If they are compiled when they are first
  // called, the V8 of Node 20 leaks about 1 kB for each module that is instantiated.
  setFlagsFromString('--no-wasm-lazy-compilation');
}

/**
 * The number of modules that are unloaded between two garbage collections. Loading that many modules, even small ones,
 * takes twenty times as long as one garbage collection.
 */
const unloadsPerCollection = 250;
/**
 * If the heap is larger than this number of bytes, `countUnload` does not collect garbage, because that would delay a
 * request by more than about 50 ms.
 */
const largestCollectedHeap = 256 * 2 ** 20;
let unloads = 0;

/**
 * Counts unloaded modules and collects all garbage from time to time. This is necessary because V8 does not notice how
 * much memory the unloaded modules still occupy.
 */
export function countUnload(): void {
  if (++unloads % unloadsPerCollection !== 0 || getHeapStatistics().used_heap_size > largestCollectedHeap) return;
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}
