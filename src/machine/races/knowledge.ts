/**
 * What a thread knows about the order of accesses. The time of each thread is divided into epochs, and a thread that
 * knows that an epoch of another thread has ended has its own accesses after all accesses of that epoch. This is the
 * causality order of PTX ISA 9.1, section 8, as vector clocks.
 */

/**
 * For each block, the last epoch of each of its threads that has ended, and of their asynchronous operations; 0 for
 * none. Neither the map nor the arrays are changed.
 */
export type Knowledge = ReadonlyMap<number, Uint32Array>;

export const nothing: Knowledge = new Map();

export function knows(knowledge: Knowledge, block: number, place: number, epoch: number): boolean {
  return (knowledge.get(block)?.[place] ?? 0) >= epoch;
}

/** Everything that is known by one side or the other. Returns `one` itself if the other adds nothing. */
export function join(one: Knowledge, other: Knowledge): Knowledge {
  if (one === other || other.size === 0) return one;
  if (one.size === 0) return other;
  let made: Map<number, Uint32Array> | null = null;
  for (const [block, epochs] of other) {
    const own = one.get(block);
    const both = own === undefined ? epochs : latest(own, epochs);
    if (both === own) continue;
    made ??= new Map(one);
    made.set(block, both);
  }
  return made ?? one;
}

function latest(one: Uint32Array, other: Uint32Array): Uint32Array {
  if (one === other) return one;
  let made: Uint32Array | null = null;
  for (let i = 0; i < other.length; i++) {
    const epoch = other[i] ?? 0;
    if (epoch <= (one[i] ?? 0)) continue;
    made ??= one.slice();
    made[i] = epoch;
  }
  return made ?? one;
}

/**
 * Copies what is known of the first `count` entries of each array to those from `start` on, where it is known for the
 * async proxy.
 */
export function withVisible(knowledge: Knowledge, count: number, start: number): Knowledge {
  const made = [...knowledge].map(([block, epochs]) => [block, epochs.slice().copyWithin(start, 0, count)] as const);
  return new Map(made);
}

/** An epoch of a thread or of its asynchronous operations, at this place in the arrays. */
export interface Epoch {
  readonly block: number;
  readonly place: number;
  readonly epoch: number;
}

/** Adds that epochs have ended. `length` is the length of the arrays. */
export function withEnded(knowledge: Knowledge, ended: readonly Epoch[], length: number): Knowledge {
  const made = new Map(knowledge);
  const changed = new Map<number, Uint32Array>();
  for (const { block, place, epoch } of ended) {
    const epochs = changed.get(block) ?? knowledge.get(block)?.slice() ?? new Uint32Array(length);
    epochs[place] = Math.max(epochs[place] ?? 0, epoch);
    changed.set(block, epochs);
    made.set(block, epochs);
  }
  return made;
}
