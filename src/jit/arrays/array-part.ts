/** The part of a conversion that one worker runs: its description as plain data, and the function that runs it. */
import { BoundedCache } from '../../base/bounded-cache.ts';
import { ArrayConverter, type RandomSource, type Range } from './array-converter.ts';
import { type ArrayPlan, planKey, stagingMemory } from './array-plan.ts';

/** A range of elements to convert. The source and target arrays are in shared memory. */
export interface ArrayPart {
  readonly plan: ArrayPlan;
  readonly source: Uint8Array;
  readonly target: Uint8Array;
  readonly count: number;
  readonly random: RandomSource | null;
  /** The shared memory in which whole chunks are converted in place; null if the data is copied instead. */
  readonly place: SharedPlace | null;
  /** How several threads divide the elements among themselves; null if one thread converts all of them. */
  readonly shared: SharedSlices | null;
}

/**
 * State shared by several threads. Whenever a thread has finished a slice, it takes the next one, until no slice is
 * left or one of the threads signals all of them to stop.
 */
export interface SharedSlices {
  /** Number of elements in a slice, a multiple of the chunk size. */
  readonly slice: number;
  /** Shared memory that holds the number of slices that have been taken, and the signal to stop. */
  readonly cells: Int32Array;
}

export const sliceCells = { taken: 0, stop: 1 } as const;

/**
 * The memory that contains both arrays, the ID of that memory, and the index of this thread among the threads that use
 * the memory.
 */
export interface SharedPlace {
  readonly memory: WebAssembly.Memory;
  readonly id: number;
  readonly thread: number;
}

interface Converters {
  readonly memory: WebAssembly.Memory;
  readonly made: BoundedCache<string, ArrayConverter>;
}

/**
 * Converters, by the ID of their WebAssembly memory. The memory object cannot be the key, because sending it to a
 * thread creates a new object each time.
 */
const known = new BoundedCache<number, Converters>(4);

/** The ID of this thread's own memory. That memory is used if the data has to be copied. */
const own = 0;

export function runArrayPart({ plan, source, target, count, random, place, shared }: ArrayPart): void {
  const { memory, made } = known.of(place?.id ?? own, () => ({
    memory: place?.memory ?? stagingMemory(),
    made: new BoundedCache(256),
  }));
  const thread = place?.thread ?? 0;
  const converter = made.of(`${thread} ${planKey(plan)}`, () => new ArrayConverter(plan, memory, thread));
  for (const range of rangesOf(count, shared)) {
    if (place === null) converter.runStaged(source, target, range, random);
    else converter.runInPlace(source, target, range, random);
  }
}

function* rangesOf(count: number, shared: SharedSlices | null): Generator<Range> {
  if (shared === null) {
    yield { first: 0, end: count };
    return;
  }
  const { slice, cells } = shared;
  while (Atomics.load(cells, sliceCells.stop) === 0) {
    const first = Atomics.add(cells, sliceCells.taken, 1) * slice;
    if (first >= count) return;
    yield { first, end: Math.min(first + slice, count) };
  }
}
