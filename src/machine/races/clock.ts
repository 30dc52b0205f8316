/**
 * The clocks of threads: their current epochs, their knowledge of other threads, and the knowledge that their fences
 * publish.
 */
import { recordOf } from '../../base/records.ts';
import { acquires, type AsyncKind, type MemoryOrder, type MemoryScope, releases } from '../../isa/steps/order.ts';
import { type Actors, type Agent, type AsyncAgent, asyncAgents } from './actors.ts';
import type { Observations } from './observations.ts';
import { type Epoch, join, type Knowledge, nothing, surelyIncludes, withEnded } from './knowledge.ts';

export interface Clock {
  readonly block: number;
  readonly linear: number;
  /** The current epoch, counted from 1. */
  epoch: number;
  /** The epochs of other actors that are ordered before the next accesses of the thread. */
  knowledge: Knowledge;
  /**
   * Releases that relaxed reads have observed. The next fence whose scope includes a release adds it to the knowledge.
   */
  seen: readonly Release[];
  /** For each scope, the knowledge that the thread's relaxed writes publish because of an earlier fence. */
  fenced: ReadonlyMap<MemoryScope, Knowledge>;
  /** The strong writes that the thread has observed since its last barrier for the whole block. */
  readonly observed: Observations;
  /** The operations that the thread has started. */
  readonly started: Readonly<Record<AsyncAgent, Started>>;
}

/** The agents for each kind of operation. The agent that loads comes first, and the agent that stores comes last. */
export const agentsOf: Readonly<Record<AsyncKind, readonly AsyncAgent[]>> = {
  copy: ['copies'],
  wgmma: ['products'],
  tcgen05: ['tensor core'],
  bulk: ['bulk reads', 'bulk writes'],
};

/** The operations that a thread has started. Their time is also divided into epochs. */
interface Started {
  epoch: number;
  /** The last epoch of each group that has not been waited for. */
  groups: number[];
}

/**
 * The knowledge that a thread publishes with a write. Only the threads in the scope that contains `block` can acquire
 * it.
 */
export interface Release {
  readonly block: number;
  readonly scope: MemoryScope;
  readonly knowledge: Knowledge;
}

const noFences: ReadonlyMap<MemoryScope, Knowledge> = new Map();

const nothingStarted = (): Started => ({ epoch: 1, groups: [] });

export function startedClock(block: number, linear: number): Clock {
  const started = recordOf(asyncAgents, nothingStarted);
  const observed: Observations = new Map();
  return { block, linear, epoch: 1, knowledge: nothing, seen: [], fenced: noFences, observed, started };
}

const width: Readonly<Record<MemoryScope, number>> = { cta: 0, cluster: 1, gpu: 2, sys: 3 };

export function narrower(one: MemoryScope, other: MemoryScope): MemoryScope {
  return width[one] < width[other] ? one : other;
}

/** The current epoch of a thread, or of its operations of one kind. */
export function epochOf({ epoch, started }: Clock, agent: Agent): number {
  return agent === 'thread' ? epoch : started[agent].epoch;
}

/** The thread's current epoch, together with the thread's number as an actor. */
export function ownEpoch({ block, linear, epoch }: Clock, actors: Actors): Epoch {
  return { actor: actors.number(block, linear, 'thread'), epoch };
}

/** Ends the current epoch, and returns the thread's knowledge with this epoch added. */
export function endEpoch(clock: Clock, actors: Actors): Knowledge {
  const known = withEnded(clock.knowledge, [ownEpoch(clock, actors)], actors.threads);
  clock.epoch++;
  return known;
}

/** Merges what several threads know when they synchronize, so that each of them knows what all of them know. */
export function meet(clocks: readonly Clock[], actors: Actors): void {
  const ended = clocks.map((clock) => ownEpoch(clock, actors));
  const all = withEnded(together(clocks.map(({ knowledge }) => knowledge)), ended, actors.threads);
  const pending = pendingOf(clocks);
  for (const clock of clocks) {
    clock.epoch++;
    clock.knowledge = all;
    clock.fenced = pending.fenced;
    clock.seen = pending.seen;
  }
}

/** The parts of a clock that come from earlier fences and relaxed reads, and that affect later accesses. */
export type Pending = Pick<Clock, 'fenced' | 'seen'>;

/**
 * When threads meet, their earlier fences and relaxed reads take effect for all of them. In the memory model, a fence
 * and the access that it belongs to must come from the same thread, but GPUs order more accesses than that, and
 * programs rely on it.
 */
export function pendingOf(clocks: readonly Pending[]): Pending {
  const seen = [...new Set(clocks.map((clock) => clock.seen))].flat().reduce(added, none);
  return { fenced: fencedBy(clocks), seen };
}

const none: readonly Release[] = [];

export function together(all: readonly Knowledge[]): Knowledge {
  return [...new Set(all)].reduce(join, nothing);
}

function fencedBy(clocks: readonly Pick<Clock, 'fenced'>[]): ReadonlyMap<MemoryScope, Knowledge> {
  const different = [...new Set(clocks.map(({ fenced }) => fenced))];
  const [first = noFences] = different;
  if (different.length <= 1) return first;
  const made = new Map<MemoryScope, Knowledge>();
  for (const fenced of different)
    for (const [scope, knowledge] of fenced) made.set(scope, join(made.get(scope) ?? nothing, knowledge));
  return made;
}

/**
 * Executes a fence: adds the releases that relaxed reads have observed, and determines the knowledge that later relaxed
 * writes publish.
 */
export function passFence(clock: Clock, order: MemoryOrder, actors: Actors): void {
  if (acquires(order) && clock.seen.length > 0) {
    const isWithin = ({ scope, block }: Release): boolean =>
      actors.includes(narrower(scope, order.scope), block, clock.block);
    clock.knowledge = clock.seen.filter(isWithin).reduce(withRelease, clock.knowledge);
    clock.seen = clock.seen.filter((release) => !isWithin(release));
  }
  if (!releases(order)) return;
  const { scope } = order;
  // Earlier fences with the same or a narrower scope can be dropped, because this fence publishes at least as much.
  const kept = [...clock.fenced].filter(([other]) => width[other] > width[scope]);
  clock.fenced = new Map([...kept, [scope, endEpoch(clock, actors)]]);
}

/** Makes all stores that the thread has made or knows about visible to the async proxy. */
export function passProxyFence(clock: Clock, actors: Actors): void {
  clock.knowledge = actors.visibleToAsyncProxy(endEpoch(clock, actors));
}

/**
 * Returns the releases that a strong write publishes. If the write itself is a release, ends the current epoch. `lane`
 * contains the bulk copies that are known to be complete because their bytes have arrived.
 */
export function releasesOf(
  clock: Clock,
  order: MemoryOrder,
  actors: Actors,
  lane: AsyncAgent | null = null,
): readonly Release[] {
  const { block, fenced } = clock;
  const made = [...fenced].map(
    ([scope, knowledge]): Release => ({ block, scope: narrower(scope, order.scope), knowledge }),
  );
  if (!releases(order)) return made;
  const known = endEpoch(clock, actors);
  const done = order.completes === undefined ? [] : agentsOf[order.completes];
  const inLane = lane === null || order.completes !== 'bulk' ? [] : [lane];
  const ended = [...done, ...inLane].map((agent) => endOperations(clock, agent, actors));
  const knowledge = ended.length === 0 ? known : withEnded(known, ended, actors.threads);
  return [...made, { block, scope: order.scope, knowledge }];
}

/**
 * Handles the releases that a strong read has observed. If the read is an acquire, they are added to the knowledge
 * immediately; otherwise, they are added at the next fence.
 */
export function acquire(clock: Clock, order: MemoryOrder, found: readonly Release[]): void {
  const fresh = found.filter(({ knowledge }) => !surelyIncludes(clock.knowledge, knowledge));
  if (acquires(order)) clock.knowledge = fresh.reduce(withRelease, clock.knowledge);
  else clock.seen = fresh.reduce(added, clock.seen);
}

function withRelease(knowledge: Knowledge, release: Release): Knowledge {
  return join(knowledge, release.knowledge);
}

/** Adds a release to a list. Releases that the same threads can acquire are merged. */
export function added(all: readonly Release[], { block, scope, knowledge }: Release): readonly Release[] {
  const isWide = scope === 'gpu' || scope === 'sys';
  const at = all.findIndex((one) => one.scope === scope && (isWide || one.block === block));
  const before = all[at];
  if (before === undefined) return [...all, { block, scope, knowledge }];
  const joined = join(before.knowledge, knowledge);
  return joined === before.knowledge ? all : all.with(at, { block, scope, knowledge: joined });
}

/** Puts all operations of one kind that are not yet in a group into a new group. */
export function commitGroup(clock: Clock, agent: AsyncAgent): void {
  const started = clock.started[agent];
  started.groups.push(started.epoch++);
}

/**
 * Waits until at most `pending` groups are in progress. If `pending` is null, waits for all operations, including those
 * without a group.
 */
export function waitForGroups(clock: Clock, agent: AsyncAgent, pending: number | null, actors: Actors): void {
  if (pending === null) commitGroup(clock, agent);
  const { groups } = clock.started[agent];
  const [last] = groups.splice(0, Math.max(groups.length - (pending ?? 0), 0)).slice(-1);
  if (last === undefined) return;
  const ended = { actor: actors.number(clock.block, clock.linear, agent), epoch: last };
  clock.knowledge = withEnded(clock.knowledge, [ended], actors.threads);
}

function endOperations({ block, linear, started }: Clock, agent: AsyncAgent, actors: Actors): Epoch {
  return { actor: actors.number(block, linear, agent), epoch: started[agent].epoch++ };
}
