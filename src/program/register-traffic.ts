/**
 * Finds where a region loads registers from a thread's frame, and which registers it has changed. Between regions, the
 * frame holds every register that is still needed. A region loads a register before it reads the register for the first
 * time. If this read is inside a loop, the register is loaded before the loop. When the region stops, it stores the
 * registers that it has changed.
 *
 * If a register is changed on one of the paths to a block and its value is still needed in the block, the register is
 * also loaded or written on all other paths to the block. The register can therefore be stored after the paths have
 * joined, and a changed register never needs to be loaded again.
 */
import { elementAt } from '../base/element-at.ts';
import { BitSet } from './bit-set.ts';
import type { BasicBlock } from './flow.ts';
import type { FunctionProgram } from './function-program.ts';
import type { Liveness } from './liveness.ts';
import { Numbering } from './numbering.ts';
import type { Region } from './regions.ts';
import { outermostLoops } from './region-loops.ts';
import { usesOf } from './uses.ts';

/** Register slots, by block. */
type ByBlock = ReadonlyMap<number, readonly number[]>;

export interface RegisterTraffic {
  /** Registers loaded at the start of the region. */
  readonly atEntry: readonly number[];
  /** Registers loaded at the start of a block. */
  readonly atStart: ByBlock;
  /** Registers loaded before the loop whose first block is this block. */
  readonly beforeLoop: ByBlock;
  /**
   * Registers that are live at the start of a block, and whose values there may differ from the values stored in the
   * frame.
   */
  readonly changedBefore: (block: number) => readonly number[];
  /**
   * Registers whose values at the end of `block` may differ from the values stored in the frame, and that are live at
   * the start of `next`.
   */
  readonly changedAfter: (block: number, next: number) => readonly number[];
}

/** The edge to the block at which diverged threads continue together. */
export interface RejoinEdge {
  readonly at: number;
  /** Registers that are loaded on this edge. */
  readonly reloaded: readonly number[];
  /** Whether this is the only edge between the two blocks. */
  readonly isOnly: boolean;
}

/** The rejoin edges, by the block at which the threads diverge. */
export type Rejoins = ReadonlyMap<number, RejoinEdge>;

const noRejoins: Rejoins = new Map();

/** How a block uses the registers that are kept in frames. */
interface BlockFacts {
  /** Registers that the block reads before it writes them. */
  readonly needs: BitSet;
  /** Registers that have been loaded or written by the end of the block. */
  readonly holds: BitSet;
  /** Registers that the block may change. */
  readonly changes: BitSet;
  readonly live: BitSet;
}

/**
 * Analyzes the regions of one function. The facts about a block are computed only once, even if several regions contain
 * the block.
 */
export class TrafficAnalysis {
  private readonly program: FunctionProgram;
  private readonly blocks: readonly BasicBlock[];
  private readonly live: Liveness;
  private readonly kept: Numbering;
  /** The registers in `kept` that are live at the start of a block. */
  private readonly liveAt: (block: number) => BitSet;
  private readonly facts = new Map<number, BlockFacts>();

  /** @param kept slots of the registers that are kept in frames */
  constructor(program: FunctionProgram, blocks: readonly BasicBlock[], live: Liveness, kept: Iterable<number>) {
    this.program = program;
    this.blocks = blocks;
    this.live = live;
    // Slots beyond the initial frame hold the upper halves of registers. They are not included.
    const limit = program.initialFrame.length;
    this.kept = new Numbering([...kept].filter((place) => place < limit));
    this.liveAt = live.among(this.kept);
  }

  /**
   * @param given registers that have been loaded and changed before the region starts; their values in the frame are
   *   out of date
   * @param rejoins the edges of the region on which diverged threads continue together
   */
  of(region: Region, given: Iterable<number>, rejoins: Rejoins = noRejoins): RegisterTraffic {
    const facts = (block: number): BlockFacts => this.factsOf(block);
    return new RegionTraffic({ region, kept: this.kept, facts, given, rejoins }).solve();
  }

  /** Registers that a region may change, and that are live at the start of the block `next`. */
  changedIn({ order }: Region, next: number): readonly number[] {
    const changed = this.kept.set();
    for (const block of order) changed.join(this.factsOf(block).changes);
    changed.meet(this.liveAt(next));
    return this.kept.placesOf(changed);
  }

  private factsOf(number: number): BlockFacts {
    const known = this.facts.get(number);
    if (known !== undefined) return known;
    const made = this.findFacts(number);
    this.facts.set(number, made);
    return made;
  }

  private findFacts(number: number): BlockFacts {
    const { program, kept } = this;
    const block = this.blocks[number];
    if (block === undefined) throw new Error(`no block ${number}`);
    const { start, end, exit } = block;
    const live = this.liveAt(number);
    const [needs, holds, changes] = [kept.set(), kept.set(), kept.set()];
    const need = (place: number): void => {
      const own = kept.of(place);
      if (own !== null && !holds.has(own) && live.has(own)) needs.add(own);
    };
    for (let at = start; at < end; at++) {
      const instruction = elementAt(program.instructions, at);
      const { reads, writes } = usesOf(instruction);
      for (const place of reads) need(place);
      // If threads stop at this instruction, its results are written by the region that follows the instruction.
      if (exit.kind === 'park' && at === end - 1) break;
      for (const place of writes) {
        if (instruction.guard !== null) need(place);
        const own = kept.of(place);
        if (own === null) continue;
        holds.add(own);
        changes.add(own);
      }
    }
    // A call saves the registers that are still needed after it, and a return reads the registers that hold the
    // function's results.
    if (exit.kind === 'call') for (const place of this.live.at(exit.resume)) need(place);
    if (exit.kind === 'end') for (const { place } of program.registerResults) need(place);
    holds.join(needs);
    return { needs, holds, changes, live };
  }
}

interface RegionFacts {
  readonly region: Region;
  readonly kept: Numbering;
  readonly facts: (block: number) => BlockFacts;
  /** Slots of the registers that are already loaded when the region starts. */
  readonly given: Iterable<number>;
  readonly rejoins: Rejoins;
}

class RegionTraffic {
  private readonly region: Region;
  private readonly kept: Numbering;
  private readonly facts: (block: number) => BlockFacts;
  private readonly given: BitSet;
  private readonly rejoins: Rejoins;
  private readonly successors: ReadonlyMap<number, readonly number[]>;
  private readonly rank: ReadonlyMap<number, number>;
  private readonly dominators = new Map<number, number>();
  /** For each block in a loop, the first block of the outermost loop that contains it. */
  private readonly loops: ReadonlyMap<number, number>;
  private readonly changedAtStart = new Map<number, BitSet>();
  private readonly changedAtEnd = new Map<number, BitSet>();
  /** Registers that may have changed by the time control enters a block, if the back edges of loops are ignored. */
  private readonly changedAhead = new Map<number, BitSet>();
  private readonly takenAt = new Map<number, BitSet>();

  constructor({ region, kept, facts, given, rejoins }: RegionFacts) {
    this.region = region;
    this.kept = kept;
    this.facts = facts;
    this.given = kept.set(given);
    this.rejoins = rejoins;
    this.rank = new Map(region.order.map((block, i) => [block, i] as const));
    this.successors = new Map(region.order.map((block) => [block, region.next(block)] as const));
    for (const [block, children] of region.children) for (const child of children) this.dominators.set(child, block);
    this.loops = outermostLoops(region, this.successors);
  }

  solve(): RegisterTraffic {
    this.findChanged();
    const atEntry = this.region.reducible ? [] : this.takeAllAtOnce();
    if (this.region.reducible) this.takeWhereNeeded();
    const [atStart, beforeLoop] = [new Map<number, readonly number[]>(), new Map<number, readonly number[]>()];
    for (const [block, taken] of this.takenAt) {
      (this.loops.get(block) === block ? beforeLoop : atStart).set(block, this.kept.placesOf(taken));
    }
    const liveAt = (block: number, changed: BitSet): readonly number[] => {
      const found = BitSet.copyOf(changed);
      found.meet(this.facts(block).live);
      return this.kept.placesOf(found);
    };
    return {
      atEntry,
      atStart,
      beforeLoop,
      changedBefore: (block) => liveAt(block, this.setOf(this.changedAtStart, block)),
      changedAfter: (block, next) => liveAt(next, this.setOf(this.changedAtEnd, block)),
    };
  }

  private findChanged(): void {
    const { order, entry } = this.region;
    const atStart = (block: number): BitSet => (block === entry ? BitSet.copyOf(this.given) : this.empty());
    const goesBack = order.some((block) => this.successors.get(block)?.some((next) => !this.isAhead(block, next)));
    for (const block of order) {
      const before = atStart(block);
      this.changedAtStart.set(block, before);
      // Without back edges, the two sets are the same.
      this.changedAhead.set(block, goesBack ? atStart(block) : before);
      this.changedAtEnd.set(block, BitSet.copyOf(this.facts(block).changes));
    }
    for (let changed = true; changed; ) {
      changed = false;
      for (const block of order) {
        const after = this.setOf(this.changedAtEnd, block);
        after.join(this.setOf(this.changedAtStart, block));
        for (const successor of this.successors.get(block) ?? []) {
          if (this.isAhead(block, successor)) this.setOf(this.changedAhead, successor).join(after);
          if (this.setOf(this.changedAtStart, successor).join(after)) changed = true;
        }
      }
    }
  }

  /**
   * Loads all registers at the start of the region. This is the fallback for control flow that does not consist of
   * nested loops.
   */
  private takeAllAtOnce(): readonly number[] {
    const { order, entry } = this.region;
    const touched = this.empty();
    for (const block of order) touched.join(this.facts(block).holds);
    touched.meet(this.facts(entry).live);
    return this.kept.placesOf(touched).filter((place) => !this.kept.has(this.given, place));
  }

  /**
   * Decides where registers are loaded. Registers that change only on some paths are handled first, because they must
   * be loaded before the paths split. Registers that are only read are handled second.
   */
  private takeWhereNeeded(): void {
    const changedAndLive = (block: number): BitSet => {
      const wanted = BitSet.copyOf(this.setOf(this.changedAtStart, block));
      wanted.meet(this.facts(block).live);
      return wanted;
    };
    while (this.takeMissing(changedAndLive)) continue;
    this.takeMissing((block) => this.facts(block).needs);
  }

  /**
   * `wantedAt` returns registers for each block. Makes sure that they have been loaded or written before the block
   * starts. Returns true if loads had to be added.
   */
  private takeMissing(wantedAt: (block: number) => BitSet): boolean {
    const held = this.findHeld();
    let changed = false;
    for (const block of this.region.order) {
      const missing = this.empty();
      missing.join(wantedAt(block), this.setOf(held, block));
      for (const place of missing.numbers()) if (this.take(place, block)) changed = true;
    }
    return changed;
  }

  /** Returns the registers that have been loaded or written on every path to the start of each block. */
  private findHeld(): ReadonlyMap<number, BitSet> {
    const { order, entry } = this.region;
    const held = new Map<number, BitSet>([[entry, BitSet.copyOf(this.given)]]);
    // One pass over the blocks is enough, because a block comes after its dominators, and every register that is
    // available at the start of a loop is still available at its end.
    for (const block of order) {
      const before = this.setOf(held, block);
      const taken = this.takenAt.get(block);
      if (taken !== undefined) before.join(taken);
      const after = BitSet.copyOf(before);
      after.join(this.facts(block).holds);
      for (const successor of this.successors.get(block) ?? []) {
        if (!this.isAhead(block, successor)) continue;
        const there = this.heldOn(block, successor, after);
        const known = held.get(successor);
        if (known === undefined) held.set(successor, BitSet.copyOf(there));
        else known.meet(there);
      }
    }
    return held;
  }

  /** The registers that are available on an edge; `after` contains those that are available at the end of `source`. */
  private heldOn(source: number, target: number, after: BitSet): BitSet {
    const rejoin = this.rejoins.get(source);
    if (rejoin === undefined || rejoin.at !== target || !rejoin.isOnly) return after;
    const held = this.kept.set(rejoin.reloaded);
    held.join(after);
    return held;
  }

  /**
   * Adds a load of a register, so that its value is available at the block `wanted`. The load is placed outside all
   * loops, and early enough that no path changes the register before the load. Returns false if the register is already
   * loaded at that point.
   */
  private take(place: number, wanted: number): boolean {
    let block = this.loops.get(wanted) ?? wanted;
    while (this.setOf(this.changedAhead, block).has(place)) {
      const above = this.dominators.get(block);
      if (above === undefined) throw new Error('a register changed before its region begins');
      block = this.loops.get(above) ?? above;
    }
    const taken = this.takenAt.get(block) ?? this.empty();
    this.takenAt.set(block, taken);
    if (taken.has(place)) return false;
    taken.add(place);
    return true;
  }

  private isAhead(source: number, target: number): boolean {
    return (this.rank.get(target) ?? 0) > (this.rank.get(source) ?? 0);
  }

  private setOf(sets: ReadonlyMap<number, BitSet>, block: number): BitSet {
    const found = sets.get(block);
    if (found === undefined) throw new Error(`block ${block} is not in the region`);
    return found;
  }

  private empty(): BitSet {
    return new BitSet(this.given.limit);
  }
}
