/**
 * Runs blocks of a compiled kernel on one host thread. A ledger assigns the blocks to host threads.
 */
import { elementAt } from '../../base/element-at.ts';
import { signedAt } from '../../base/typed-reads.ts';
import { blockIndexOf, blocksPerCluster, type Dim3, indexOf, threadsOf } from '../../machine/extents.ts';
import type { Fault, MachineFault } from '../../machine/fault.ts';
import { stopsPerTurn } from '../../program/waiting-loops.ts';
import { context, outcome } from '../layout.ts';
import { Arena, type BlockRoom } from './arena.ts';
import type { BlockCode } from './block-code.ts';
import type { BlockLaunch } from './block-launch.ts';
import { BlockRunner, idlePassesBeforeGroups, type Progress } from './block-runner.ts';
import { CodeCalls } from './code-calls.ts';
import { Fuel } from './fuel.ts';
import type { Blocks, Ledger } from './ledger.ts';
import { LinkedCode } from './linked-code.ts';
import { unitSize } from './unit.ts';

/**
 * Maximum time in milliseconds that one call to `runBlocks` should take. After each call, the number of blocks for the
 * next call is adjusted.
 */
const longestRun = 10;

const fuelField = context.fuel / 4;
const stopsField = context.stopsLeft / 4;
const movedField = context.moved / 4;

/**
 * If threads do nothing but wait for their cluster for more than this number of turns, they are in a deadlock. After
 * fewer turns, a group without a member mask may still stop waiting for these threads and continue.
 */
const stillTurnsToEnd = 2 * idlePassesBeforeGroups;

interface Running {
  readonly block: number;
  readonly room: BlockRoom;
  readonly runner: BlockRunner;
  /** All blocks of the cluster, including this block, in the order of their ranks. */
  readonly cluster: readonly Running[];
  /**
   * Whether all threads have exited. A block that has ended remains in the list until all blocks of its cluster have
   * ended.
   */
  hasEnded: boolean;
  /** Number of consecutive turns in which the threads of the block only waited for their cluster. */
  stillTurns: number;
}

export class BlockEngine {
  private readonly launch: BlockLaunch;
  private readonly ledger: Ledger;
  private readonly arena: Arena;
  private readonly code: LinkedCode;
  private readonly unitSize: number;
  private readonly calls: CodeCalls;
  private readonly fuel: Fuel;
  private readonly runners = new Map<BlockRoom, BlockRunner>();
  private readonly threads: number;
  private readonly blocksPerCluster: number;
  private readonly resident: number;
  /** Number of blocks to take from the ledger at a time. */
  private chunk = 1;
  /** Blocks that have been taken from the ledger but not started. */
  private taken: Blocks = { first: 0, end: 0 };
  /** Blocks that have started but not finished; more than one if blocks wait for each other. */
  private running: Running[] = [];

  constructor(launch: BlockLaunch, ledger: Ledger) {
    const { compiled, module, leftOut, shape, memory, residentBytes } = launch;
    this.launch = launch;
    this.ledger = ledger;
    this.threads = threadsOf(shape);
    this.blocksPerCluster = blocksPerCluster(shape);
    this.arena = new Arena(launch);
    this.resident = this.arena.roomsWithin(residentBytes);
    this.fuel = new Fuel(ledger);
    const { arena, fuel } = this;
    this.calls = new CodeCalls({ launch, ledger, arena, fuel, cancelBlocks: () => this.cancelBlocks() });
    this.code = new LinkedCode({ module, leftOut, memory: memory.memory, imports: this.calls.imports() });
    this.unitSize = unitSize(compiled, this.threads);
  }

  get instructions(): number {
    return this.fuel.executed;
  }

  get slowTiles(): number {
    return this.arena.slowTiles;
  }

  /** The block that is running or, if none is, the block that ran last; null if no block has run yet. */
  get block(): number | null {
    const { room } = this.calls;
    return room === null ? null : this.arena.blockOf(room);
  }

  /** Whether a block has started but not finished. */
  get isUnderWay(): boolean {
    return this.running.length > 0;
  }

  /**
   * The first block that has been taken from the ledger but not started; null if every block that was taken has
   * started.
   */
  get nextBlock(): number | null {
    return this.taken.first < this.taken.end ? this.taken.first : null;
  }

  /** Reports the number of executed instructions to the ledger, so that another engine can continue. */
  settle(): void {
    this.fuel.settle();
  }

  release(): void {
    this.arena.release();
  }

  /**
   * Continues the blocks that have started but not finished. If there are none, or if all of them are waiting, starts
   * further blocks. Returns false when nothing is left to run.
   */
  step(): boolean {
    if (this.running.length === 0) {
      if (!this.take()) {
        this.settle();
        return false;
      }
      // Compiled code must not run several blocks in one call if some of these blocks may be canceled.
      if (this.blocksPerCluster === 1 && !this.launch.compiled.cancelsBlocks) this.runThrough();
      else this.begin();
    }
    let allPaused = true;
    for (const one of this.running) {
      if (one.hasEnded || this.proceed(one) === 'paused') continue;
      allPaused = false;
      this.end(one);
    }
    if (this.fuel.left <= 0) this.fuel.refill(this.block);
    this.requireMotion();
    if (!allPaused || this.running.length === 0) return true;
    if (this.running.length + this.blocksPerCluster <= this.resident && this.take()) this.begin();
    else if (this.ledger.isOver()) return false;
    return true;
  }

  describe({ code, message, space, address }: MachineFault): Fault {
    const { block } = this;
    const { thread, line } = this.calls;
    const { shape, compiled } = this.launch;
    return {
      code,
      message,
      kernel: compiled.name,
      block: block === null ? null : blockIndexOf(block, shape),
      thread: thread === null ? null : indexOf(thread, shape.block),
      line,
      // The source position is added by launch.ts, because only that module has access to the program.
      source: null,
      space,
      address,
    };
  }

  // --- blocks --------------------------------------------------------------------------------------------------------

  /** Makes sure that there is a block to start. Returns false if no block is left. */
  private take(): boolean {
    if (this.taken.first < this.taken.end) return true;
    const more = this.ledger.take(this.chunk * this.blocksPerCluster, this.blocksPerCluster);
    if (more === null) return false;
    this.taken = more;
    return true;
  }

  /** Starts all blocks of a cluster, because they may wait for each other. */
  private begin(): void {
    const { first, end } = this.taken;
    this.taken = { first: first + this.blocksPerCluster, end };
    const cluster: Running[] = [];
    for (let rank = 0; rank < this.blocksPerCluster; rank++) cluster.push(this.enter(first + rank, cluster));
    this.arena.connect(cluster.map(({ room }) => room));
    this.running.push(...cluster);
  }

  /**
   * Cancels the next cluster that has not started. Returns whether there was such a cluster, and the index of its first
   * block.
   */
  private cancelBlocks(): readonly [0 | 1, ...Dim3] {
    if (!this.take()) return [0, 0, 0, 0];
    const { first, end } = this.taken;
    this.taken = { first: first + this.blocksPerCluster, end };
    return [1, ...blockIndexOf(first, this.launch.shape)];
  }

  private enter(block: number, cluster: readonly Running[]): Running {
    const room = this.arena.enter(block);
    const runner = this.runnerOf(room);
    runner.start();
    return { block, room, runner, cluster, hasEnded: false, stillTurns: 0 };
  }

  private runnerOf(room: BlockRoom): BlockRunner {
    const runner = this.runners.get(room) ?? new BlockRunner(this.codeOf(room), this.unitSize);
    this.runners.set(room, runner);
    return runner;
  }

  private end(one: Running): void {
    one.hasEnded = true;
    const { cluster } = one;
    const rooms = cluster.map(({ room }) => room);
    if (!cluster.every(({ hasEnded }) => hasEnded)) {
      this.arena.connect(rooms, (rank) => elementAt(cluster, rank).hasEnded);
      return;
    }
    for (const { room } of cluster) this.arena.leave(room);
    this.running = this.running.filter((other) => !cluster.includes(other));
  }

  /**
   * Runs blocks one after the other inside compiled code. If compiled code returns before a block has ended, the block
   * is added to the running blocks and continued later.
   */
  private runThrough(): void {
    const { first, end } = this.taken;
    const room = this.arena.enter(first);
    const begun = performance.now();
    this.calls.room = room;
    this.beginTurn(room);
    const result = this.code.runBlocks(room.context, end - first, this.unitSize);
    // The view of the context must be created again, because memory may have grown. The context contains the index of
    // the block that compiled code ran last.
    const after = this.arena.contextOf(room);
    this.fuel.left = signedAt(after, fuelField);
    const last = this.arena.blockOf(room);
    this.taken = { first: last + 1, end };
    if (result === outcome.allExited) this.arena.leave(room);
    else {
      const runner = this.runnerOf(room);
      runner.goOn(signedAt(after, context.unit / 4), result);
      const cluster: Running[] = [];
      cluster.push({ block: last, room, runner, cluster, hasEnded: false, stillTurns: 0 });
      this.running.push(...cluster);
    }
    // The chunk grows only if all of its blocks were run: if the run stopped early, its time does not show how long the
    // whole chunk would have taken.
    if (performance.now() - begun >= longestRun) this.chunk = Math.max(1, this.chunk / 2);
    else if (last + 1 === end) this.chunk *= 2;
  }

  private codeOf(room: BlockRoom): BlockCode {
    const { compiled, memory } = this.launch;
    return {
      compiled,
      threads: this.threads,
      run: (region, first, behind, members) => this.code.run(room.context, region, first, behind, members),
      advance: (first, behind) => this.code.function('advance')(room.context, first, behind),
      complete: (first, members) => {
        this.code.function('complete')(room.frames + 4 * first, first, members);
      },
      words: () => {
        const bytes = memory.bytesAt(room.frames, compiled.frame.size);
        return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
      },
      openCalls: (thread) => this.calls.openCalls(room, thread),
      isTurnOver: () => compiled.yieldsAtStops && signedAt(this.arena.contextOf(room), stopsField) < 0,
      look: () => this.ledger.look(),
      blame: (thread, line) => {
        this.calls.thread = thread;
        this.calls.line = line;
      },
    };
  }

  /** Runs a block as far as possible. Fuel that a block does not use is available to the block that runs next. */
  private proceed(one: Running): Progress {
    this.calls.room = one.room;
    this.calls.cluster = one.cluster;
    this.beginTurn(one.room);
    const progress = one.runner.run();
    const words = this.arena.contextOf(one.room);
    this.fuel.left = signedAt(words, fuelField);
    const isStill = progress === 'paused' && this.launch.compiled.spins.size > 0 && words[movedField] === 0;
    one.stillTurns = isStill ? one.stillTurns + 1 : 0;
    return progress;
  }

  /**
   * Ends the launch with a deadlock fault if the threads of a cluster have done nothing but wait for each other for too
   * many turns.
   */
  private requireMotion(): void {
    const isStuck = ({ hasEnded, stillTurns }: Running): boolean => hasEnded || stillTurns > stillTurnsToEnd;
    const stuck = this.running.find((one) => !one.hasEnded && isStuck(one) && one.cluster.every(isStuck));
    if (stuck === undefined) return;
    this.calls.room = stuck.room;
    throw stuck.runner.deadlock();
  }

  private beginTurn(room: BlockRoom): void {
    const words = this.arena.contextOf(room);
    words[fuelField] = this.fuel.left;
    words[stopsField] = stopsPerTurn;
    words[movedField] = 0;
  }
}
