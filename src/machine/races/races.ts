/**
 * Finds data races while a launch runs: for each access, the race detector looks for earlier accesses by other threads
 * to the same bytes that are not ordered before the new access. Accesses are ordered by barriers, fences, and strong
 * accesses that read published values, regardless of the order in which the threads actually ran. A race is therefore
 * found even if the threads happened to run in a harmless order.
 *
 * The engine completes all operations immediately. However, if an operation would complete later on a GPU, its accesses
 * are ordered only before accesses that follow a wait for the operation. Bulk copies, wgmma and tcgen05 read shared
 * memory through the async proxy, so a fence.proxy.async must come between a store by a thread and such a read.
 */
import { elementAt } from '../../base/element-at.ts';
import type { AsyncKind, MemoryOrder } from '../../isa/steps/order.ts';
import type { Opened } from '../barriers.ts';
import { threadsOf } from '../extents.ts';
import type { LaunchShape } from '../launch.ts';
import { type AccessKind, strengthOf, wayOf } from './access-kind.ts';
import { type Actor, Actors, laneOf } from './actors.ts';
import {
  accessLength,
  cellLength,
  Cells,
  firstLoad,
  firstStrong,
  isPart,
  loads,
  putStore,
  stores,
  storesAndLoads,
} from './cells.ts';
import {
  acquire,
  added,
  agentsOf,
  type Clock,
  commitGroup,
  endEpoch,
  epochOf,
  meet,
  narrower,
  ownEpoch,
  passFence,
  passProxyFence,
  type Pending,
  pendingOf,
  type Release,
  releasesOf,
  startedClock,
  together,
  waitForGroups,
} from './clock.ts';
import { type Epoch, join, type Knowledge, knows, nothing, withEnded } from './knowledge.ts';
import { BlockObservations } from './observations.ts';
import { type Missing, mostRaces, type RaceMode, type RaceSpace } from './race.ts';
import { WriteChains } from './write-chains.ts';

/** The bytes that an access touches. */
export interface Touched {
  readonly space: RaceSpace;
  /** The number of the block that owns the memory; null for global memory. */
  readonly owner: number | null;
  readonly offset: number;
  readonly size: number;
}

/** An access that raced. */
export interface SeenAccess {
  readonly actor: Actor;
  readonly tag: number;
}

/** The first race between two lines. */
export interface SeenRace {
  readonly missing: Missing;
  readonly touched: Touched;
  readonly first: SeenAccess;
  readonly second: SeenAccess;
  count: number;
}

/**
 * The recorded accesses to global memory, or to a block's shared or tensor memory, and the releases published through
 * this memory.
 */
export interface History extends Pick<Touched, 'space' | 'owner'> {
  readonly cells: Cells;
  readonly chains: WriteChains;
  /** For each offset, the releases that the value at this offset has published. */
  readonly releases: Map<number, readonly Release[]>;
  /** For each offset, the releases that the value at this offset will publish when its phase is over. */
  readonly arrivals: Map<number, readonly Release[]>;
}

/** The knowledge of a thread when it arrived at a barrier. */
interface Arrived extends Pending {
  readonly knowledge: Knowledge;
  readonly ended: Epoch;
}

export class Races {
  private readonly mode: RaceMode;
  private readonly threads: number;
  private readonly actors: Actors;
  private readonly clocks = new Map<number, readonly Clock[]>();
  /** The threads that have arrived at barriers but have not passed them yet. */
  private readonly barriers = new Map<string, Arrived[]>();
  /** For each block, the combined knowledge of the threads that have exited. */
  private readonly exited = new Map<number, Knowledge>();
  private readonly observed = new BlockObservations();
  private readonly global: History;
  /** The histories of the shared memory and the tensor memory of each block. */
  private readonly owned = { shared: new Map<number, History>(), tensor: new Map<number, History>() };
  /** The history that `ofBlock` returned most recently, or that of global memory. */
  private recent: History;
  /** The access that is being recorded, in the form in which cells store it. */
  private readonly seen = new Uint32Array(accessLength);
  private readonly found = new Map<string, SeenRace>();

  /** @param onlyThreads true if the kernel starts no operations that complete later */
  constructor(shape: LaunchShape, mode: RaceMode, onlyThreads: boolean) {
    this.mode = mode;
    this.threads = threadsOf(shape);
    this.actors = new Actors(shape, onlyThreads);
    this.global = emptyHistory({ space: 'global', owner: null }, this.actors);
    this.recent = this.global;
  }

  /** The first race between each pair of lines, in the order in which these races were found. */
  get all(): readonly SeenRace[] {
    return [...this.found.values()];
  }

  /**
   * Records that a thread, or an operation that it has started, accesses memory. Unless all races are to be reported, a
   * store that does not change the contents of memory does not race with other stores.
   */
  access(clock: Clock, kind: AccessKind, history: History, offset: number, size: number): void {
    const { order, way, agent } = kind;
    const { seen } = this;
    if (order !== null && way !== 'store') {
      this.acquireFrom(history.releases.get(offset), clock, order);
      history.chains.observe(clock, order, offset, size);
    }
    seen[0] = this.actors.number(clock.block, clock.linear, agent) + 1;
    seen[1] = epochOf(clock, agent);
    seen[2] = kind.tag;
    const rivals = way === 'load' ? stores : kind.isSilent && this.mode !== 'strict' ? loads : storesAndLoads;
    const { cells, space } = history;
    const parts = isPart(offset, size);
    let page = cells.page(offset, parts);
    let previous = 0;
    for (let at = offset; at < offset + size; at += page.unit) {
      if (at >= page.end) page = cells.page(at, parts);
      const { numbers } = page;
      const cell = ((at - page.start) / page.unit) * cellLength;
      for (const place of rivals) {
        const other = cell + place;
        const missing = numbers[other] === 0 ? null : this.missing(numbers, other, clock, kind, space);
        if (missing === null) continue;
        const tag = numbers[other + 2] ?? 0;
        if (missing === 'synchronization' && this.hasObserved(clock, history, at, numbers[other] ?? 0, tag)) continue;
        const touched = { space, owner: history.owner, offset, size };
        if (tag !== previous) this.report(missing, (numbers[other] ?? 0) - 1, tag, touched);
        previous = tag;
      }
      if (way === 'load') cells.add(numbers, cell + firstLoad, seen, clock.knowledge);
      else if (order === null) putStore(numbers, cell, seen);
      else cells.add(numbers, cell + firstStrong, seen, clock.knowledge);
    }
    if (way === 'load') return;
    if (order === null) history.chains.end(offset, size);
    else history.chains.write({ actor: seen[0], isAtomic: way === 'atomic' }, clock, order, offset, size);
    if (order?.phases === undefined) this.publish(history, offset, clock, kind);
  }

  /**
   * Records that a thread changes a value that has phases. Other threads can acquire its releases when the phase is
   * over.
   */
  change(clock: Clock, order: MemoryOrder, { releases, arrivals }: History, offset: number, isOver: boolean): void {
    const own = releasesOf(clock, order, this.actors, laneOf(offset));
    const arrived = own.reduce(added, arrivals.get(offset) ?? []);
    if (isOver) releases.set(offset, arrived.reduce(added, releases.get(offset) ?? []));
    if (isOver) arrivals.delete(offset);
    else arrivals.set(offset, arrived);
  }

  /** Records that a thread executes a fence, or a proxy fence if `order` is null. */
  fence(clock: Clock, order: MemoryOrder | null): void {
    if (order === null) passProxyFence(clock, this.actors);
    else passFence(clock, order, this.actors);
  }

  /** Records that a thread puts the operations that it has started into a group. */
  commit(clock: Clock, of: AsyncKind): void {
    for (const agent of agentsOf[of]) commitGroup(clock, agent);
  }

  /**
   * Records that a thread waits until at most `pending` groups are in progress. If `pending` is null, the thread waits
   * for all operations, including those without a group. With `onlyReads`, the writes of bulk copies may still be
   * incomplete.
   */
  wait(clock: Clock, of: AsyncKind, pending: number | null, onlyReads: boolean): void {
    for (const agent of agentsOf[of])
      if (!onlyReads || agent !== 'bulk writes') waitForGroups(clock, agent, pending, this.actors);
  }

  /** Records that threads of a block meet at a point that orders their accesses. */
  meet(block: number, threads: readonly number[]): void {
    meet(
      threads.map((linear) => this.clock(block, linear)),
      this.actors,
    );
  }

  /**
   * Records that a thread arrives at a barrier, which orders its accesses before those of the threads that pass the
   * barrier.
   */
  arrive(clock: Clock, barrier: number): void {
    const key = `${clock.block} ${barrier}`;
    const arrived = this.barriers.get(key) ?? [];
    const { knowledge, fenced, seen } = clock;
    arrived.push({ knowledge, fenced, seen, ended: ownEpoch(clock, this.actors) });
    clock.epoch++;
    this.barriers.set(key, arrived);
  }

  /**
   * Records that a thread exits. Its accesses come before those of all threads that later pass a barrier for the whole
   * block.
   */
  exit(clock: Clock): void {
    const { block } = clock;
    this.exited.set(block, join(this.exited.get(block) ?? nothing, endEpoch(clock, this.actors)));
  }

  /** Records that threads pass a barrier. */
  pass(block: number, { number, threads, isWhole }: Opened): void {
    const key = `${block} ${number}`;
    const arrived = this.barriers.get(key) ?? [];
    this.barriers.delete(key);
    const exited = (isWhole ? this.exited.get(block) : null) ?? nothing;
    const all = together([...arrived.map(({ knowledge }) => knowledge), exited]);
    const ended = arrived.map((one) => one.ended);
    const known = withEnded(all, ended, this.actors.threads);
    const { fenced, seen } = pendingOf(arrived);
    for (const linear of threads) {
      const clock = this.clock(block, linear);
      clock.knowledge = known;
      clock.fenced = fenced;
      clock.seen = seen;
      if (isWhole) this.observed.share(block, clock.observed);
    }
  }

  /** Whether the thread, or its block before a barrier, has observed an actor's access to the byte at this offset. */
  private hasObserved(
    { block, observed }: Clock,
    { chains }: History,
    offset: number,
    actor: number,
    tag: number,
  ): boolean {
    if (strengthOf(tag) === null || wayOf(tag) === 'load') return false;
    const chain = chains.at(offset);
    return chain !== undefined && this.observed.include(block, observed, chain, actor);
  }

  /** Discards all information about a block that has ended. */
  end(block: number): void {
    this.clocks.delete(block);
    this.exited.delete(block);
    this.observed.end(block);
    this.owned.shared.delete(block);
    this.owned.tensor.delete(block);
    this.recent = this.global;
  }

  ofGlobal(): History {
    return this.global;
  }

  /** Returns the history of a block's shared memory or tensor memory. */
  ofBlock(space: 'shared' | 'tensor', owner: number): History {
    if (owner === this.recent.owner && space === this.recent.space) return this.recent;
    const known = this.owned[space].get(owner) ?? emptyHistory({ space, owner }, this.actors);
    this.owned[space].set(owner, known);
    this.recent = known;
    return known;
  }

  clock(block: number, linear: number): Clock {
    const clocks =
      this.clocks.get(block) ?? Array.from({ length: this.threads }, (_, thread) => startedClock(block, thread));
    this.clocks.set(block, clocks);
    return elementAt(clocks, linear);
  }

  /**
   * Returns the kind of synchronization that is missing between an earlier access, which is at index `at` of `numbers`,
   * and the access in `seen`; null if the two do not race.
   */
  private missing(
    numbers: Uint32Array,
    at: number,
    clock: Clock,
    { order, isAsyncProxy }: AccessKind,
    space: RaceSpace,
  ): Missing | null {
    const { actors } = this;
    const other = numbers[at] ?? 0;
    if (other === this.seen[0] && !isAsyncProxy) return null;
    if (space === 'tensor' && actors.shareWarp(other, this.seen[0] ?? 0)) return null;
    const { knowledge, block, linear } = clock;
    const ended = { actor: other - 1, epoch: numbers[at + 1] ?? 0 };
    // An operation's accesses come after the accesses that its thread made before starting the operation.
    const isOwn = ended.actor === actors.number(block, linear, 'thread');
    if (!isOwn && !knows(knowledge, ended, actors.threads)) {
      const otherBlock = actors.blockOf(ended.actor);
      const strength = strengthOf(numbers[at + 2] ?? 0);
      const areStrong = strength !== null && order !== null;
      if (!areStrong || !actors.includes(narrower(strength, order.scope), block, otherBlock)) return 'synchronization';
    }
    const visible = isAsyncProxy ? actors.visibleOf(ended.actor) : null;
    if (visible === null || knows(knowledge, { ...ended, actor: visible }, actors.threads)) return null;
    return 'fence.proxy.async';
  }

  private acquireFrom(releases: readonly Release[] | undefined, clock: Clock, order: MemoryOrder): void {
    if (releases === undefined) return;
    const found = releases
      .filter(({ block, scope }) => this.actors.includes(narrower(scope, order.scope), block, clock.block))
      .map((release) => ({ ...release, scope: narrower(release.scope, order.scope) }));
    acquire(clock, order, found);
  }

  /**
   * Records the releases that a write publishes. If an atomic operation replaces a value, the releases of the old value
   * are kept.
   */
  private publish({ releases, arrivals }: History, offset: number, clock: Clock, { order, way }: AccessKind): void {
    const own = order === null ? [] : releasesOf(clock, order, this.actors);
    const before = way === 'atomic' ? (releases.get(offset) ?? []) : [];
    if (own.length > 0) releases.set(offset, own.reduce(added, before));
    else if (way !== 'atomic') releases.delete(offset);
    if (way !== 'atomic') arrivals.delete(offset);
  }

  private report(missing: Missing, other: number, tag: number, touched: Touched): void {
    const [actor = 0, , own = 0] = this.seen;
    const key = `${missing} ${Math.min(tag, own)} ${Math.max(tag, own)}`;
    const known = this.found.get(key);
    if (known !== undefined) known.count++;
    else if (this.found.size < mostRaces) {
      const first = { actor: this.actors.actor(other), tag };
      const second = { actor: this.actors.actor(actor - 1), tag: own };
      this.found.set(key, { missing, touched, first, second, count: 1 });
    }
  }
}

function emptyHistory(memory: Pick<Touched, 'space' | 'owner'>, actors: Actors): History {
  const [cells, chains] = [new Cells(actors), new WriteChains(actors, memory.space === 'global')];
  return { ...memory, cells, chains, releases: new Map(), arrivals: new Map() };
}
