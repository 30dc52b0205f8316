/** A part of a conversion that runs in a worker: the plain data, and the function that runs it. */
import { BoundedCache } from '../../base/bounded-cache.ts';
import { ArrayConverter, type RandomSource, type Range } from './array-converter.ts';
import { type ArrayPlan, planKey, stagingMemory } from './array-plan.ts';

/** A range of elements of two arrays in shared memory. */
export interface ArrayPart {
  readonly plan: ArrayPlan;
  readonly source: Uint8Array;
  readonly target: Uint8Array;
  readonly count: number;
  readonly random: RandomSource | null;
  /** How to convert whole chunks in place; null if the data is copied. */
  readonly place: SharedPlace | null;
  /** Null if one thread converts everything. */
  readonly shared: SharedSlices | null;
}

/**
 * State shared by several threads: each takes the next slice when it has finished one, until one of them signals to
 * stop.
 */
export interface SharedSlices {
  /** Number of elements of a slice, in whole chunks. */
  readonly slice: number;
  /** In shared memory: how many slices are taken, and whether to stop. */
  readonly cells: Int32Array;
}

export const sliceCells = { taken: 0, stop: 1 } as const;

/** The memory that both arrays lie in, identified by a number, and the number of the thread among those that use it. */
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
 * By memory. The key is its number, because a memory sent to a thread is a new object each time. The map keeps its
 * entries alive.
 */
const known = new BoundedCache<number, Converters>(4);

/** For data that is copied. */
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
