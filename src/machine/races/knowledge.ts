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

/**
 * For each knowledge, others that are known to add nothing to it. Threads join the same few again and again, for example
 * at the barrier of a cluster.
 */
const included = new WeakMap<Knowledge, WeakSet<Knowledge>>();

function include(knowledge: Knowledge, other: Knowledge): void {
  const known = included.get(knowledge);
  if (known === undefined) included.set(knowledge, new WeakSet([other]));
  else known.add(other);
}

/** Whether it is known without comparing them that the other adds nothing. */
export function surelyIncludes(knowledge: Knowledge, other: Knowledge): boolean {
  return knowledge === other || other.size === 0 || included.get(knowledge)?.has(other) === true;
}

/**
 * Everything that is known by one side or the other. Returns one of the two if it includes the other, so that threads
 * that know the same share it.
 */
export function join(one: Knowledge, other: Knowledge): Knowledge {
  if (surelyIncludes(one, other)) return one;
  if (surelyIncludes(other, one)) return other;
  const both = joined(one, other);
  if (both !== one) include(both, one);
  if (both !== other) include(both, other);
  return both;
}

function joined(one: Knowledge, other: Knowledge): Knowledge {
  let isOne = true;
  let isOther = true;
  const made = new Map(one);
  for (const [block, epochs] of other) {
    const own = one.get(block);
    const both = own === undefined ? epochs : latest(own, epochs);
    isOne &&= both === own;
    isOther &&= both === epochs;
    made.set(block, both);
  }
  if (isOne) return one;
  return isOther && made.size === other.size ? other : made;
}

/** The later of the epochs at each place. Returns one of the two arrays if none of its epochs is earlier. */
function latest(one: Uint32Array, other: Uint32Array): Uint32Array {
  if (one === other) return one;
  let isOne = true;
  let isOther = true;
  for (let i = 0; i < other.length && (isOne || isOther); i++) {
    const own = one[i] ?? 0;
    const epoch = other[i] ?? 0;
    isOne &&= own >= epoch;
    isOther &&= epoch >= own;
  }
  if (isOne) return one;
  return isOther ? other : one.map((own, i) => Math.max(own, other[i] ?? 0));
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
