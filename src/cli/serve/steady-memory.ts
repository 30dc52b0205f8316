/** Settings of V8 for a server, which runs for a long time and should not grow. They apply to the whole process. */
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export function keepMemorySteady(): void {
  // Garbage is collected when the heap has grown by a third. By default, it may grow fourfold if collections take long.
  setFlagsFromString('--heap-growing-percent=33');
  // The V8 of Node 20 never frees about 1 kB of each instantiated module whose functions are compiled on their first call.
  setFlagsFromString('--no-wasm-lazy-compilation');
}

/** Loading this many small modules takes twenty times as long as one collection. */
const unloadsPerCollection = 250;
/** Bytes; collecting a larger heap would delay a request by more than about 50 ms. */
const largestCollectedHeap = 256 * 2 ** 20;
let unloads = 0;

/** Collects all garbage from time to time, because unloaded modules leave more behind than V8 notices. */
export function countUnload(): void {
  if (++unloads % unloadsPerCollection !== 0 || getHeapStatistics().used_heap_size > largestCollectedHeap) return;
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  if (typeof collect === 'function') collect();
}
