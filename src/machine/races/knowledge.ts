/**
 * The knowledge that a thread has about the order of accesses. The time of each thread is divided into epochs. If a
 * thread knows that an epoch of another thread has ended, its own accesses come after all accesses of that epoch. This
 * is the causality order of PTX ISA 9.1, section 8, implemented with vector clocks.
 */

/**
 * For each actor, the last epoch that has ended; 0 if none has ended. The actors of a block are divided into groups:
 * the first group contains the threads of the block, and each of the other groups contains the operations of one kind
 * that these threads start. The keys are the numbers of the groups in the grid. The map and the arrays are never
 * changed.
 */
export type Knowledge = ReadonlyMap<number, Uint32Array>;

export const nothing: Knowledge = new Map();

/** @param size the number of actors in a group */
export function knows(knowledge: Knowledge, { actor, epoch }: Epoch, size: number): boolean {
  const group = Math.floor(actor / size);
  return (knowledge.get(group)?.[actor - group * size] ?? 0) >= epoch;
}

/**
 * For each `Knowledge`, other objects that are known to be included in it. Threads often combine the same few objects
 * repeatedly, for example at cluster barriers.
 */
const included = new WeakMap<Knowledge, WeakSet<Knowledge>>();

function include(knowledge: Knowledge, other: Knowledge): void {
  const known = included.get(knowledge);
  if (known === undefined) included.set(knowledge, new WeakSet([other]));
  else known.add(other);
}

/** Whether it is already known, without comparing epochs, that `knowledge` includes `other`. */
export function surelyIncludes(knowledge: Knowledge, other: Knowledge): boolean {
  return knowledge === other || other.size === 0 || included.get(knowledge)?.has(other) === true;
}

/**
 * Returns the combined knowledge of two objects. If one of them already includes everything in the other, no new object
 * is created, so that threads with the same knowledge share one object.
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
  for (const [group, epochs] of other) {
    const own = one.get(group);
    const both = own === undefined ? epochs : latest(own, epochs);
    isOne &&= both === own;
    isOther &&= both === epochs;
    made.set(group, both);
  }
  if (isOne) return one;
  return isOther && made.size === other.size ? other : made;
}

/**
 * Returns the later of the two epochs at each index. If one of the arrays contains all of the later epochs, that array
 * itself is returned.
 */
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

/** An epoch of an actor; `actor` is the number of the actor in the grid. */
export interface Epoch {
  readonly actor: number;
  readonly epoch: number;
}

/** Adds epochs that have ended. `size` is the number of actors in a group. */
export function withEnded(knowledge: Knowledge, ended: readonly Epoch[], size: number): Knowledge {
  const made = new Map(knowledge);
  const changed = new Map<number, Uint32Array>();
  for (const { actor, epoch } of ended) {
    const group = Math.floor(actor / size);
    const epochs = changed.get(group) ?? knowledge.get(group)?.slice() ?? new Uint32Array(size);
    const at = actor - group * size;
    epochs[at] = Math.max(epochs[at] ?? 0, epoch);
    changed.set(group, epochs);
    made.set(group, epochs);
  }
  return made;
}
