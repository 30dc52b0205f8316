/**
 * The reference engine. It runs the blocks of a launch one after another. The threads of a block take turns: each runs
 * until it waits or ends. The engine is slow and simple, and every result comes from exact arithmetic. Between any two
 * instructions, its state consists of plain data. The results are the same no matter how many instructions are run at a
 * time.
 */
import { deadlockFault } from '../machine/deadlock.ts';
import type { Launch, SteppingEngine } from '../machine/engine.ts';
import { blockIndexOf, blocksOf, type Dim3, sameCluster } from '../machine/extents.ts';
import { type Fault, MachineFault } from '../machine/fault.ts';
import { checkTime, overBudget } from '../machine/time-limit.ts';
import type { Race, RaceMode } from '../machine/races/race.ts';
import { describeRace } from '../machine/races/report.ts';
import type { LaunchState } from '../machine/state.ts';
import { sourceAt } from '../program/source-at.ts';
import { looksAtBlocks } from '../program/waiting-loops.ts';
import { passBarrier } from './barrier-steps.ts';
import { beginBlock, blockInState, type BlockPlan, stateOfBlock } from './block.ts';
import { completeGroup } from './collective-steps.ts';
import { idleCpu, memoriesOf } from './idle-cpu.ts';
import { isBetweenLanes, nextInWarp } from './lockstep.ts';
import { prepareKernel } from './prepare-kernel.ts';
import { onlySpins, spinningIn } from './spinning.ts';
import { requireDefined } from './shadow.ts';
import { awaitedPolls, type Block, type Cpu, looksPerTurn, mostAwaited, type Thread, turnOver } from './thread.ts';
import type { Tracing } from './trace.ts';
import { elementAt } from '../base/element-at.ts';

export interface ReferenceOptions {
  /**
   * Whether to report a fault when anything observable, such as an address or a branch, depends on shared or local
   * memory that was never written.
   */
  readonly trackWrites: boolean;
  readonly tracing: Tracing | null;
  /** Which data races to find; null for none. */
  readonly races: RaceMode | null;
}

/** The maximum number of instructions that a thread executes before another thread gets a turn. */
const slice = 1 << 16;
/** Number of instructions between two checks of the clock and the caller's signal. */
const looksEvery = 1 << 10;
/** Maximum number of blocks running at the same time. */
const residentBlocks = 1024;
/**
 * If the running threads seem to do nothing but poll memory for this many rounds, a group that waits at an instruction
 * without a member mask continues without these threads.
 */
const idleRoundsBeforeGroups = 16;
/**
 * A block that may be waiting for other blocks gives them a turn after each of its threads has stopped at barriers and
 * collectives this many times on average.
 */
const stopsPerThread = 64;

export class ReferenceEngine implements SteppingEngine {
  readonly preparing = 0;
  private readonly launch: Launch;
  private readonly cpu: Cpu;
  private readonly plan: BlockPlan;
  /**
   * PTX source line of each entry in the code; null for the return at the end of a function, and for the code of
   * libraries.
   */
  private readonly lines: readonly (number | null)[];
  private readonly blocks: number;
  /** Whether a loop with a barrier or a collective may wait for another block. */
  private readonly yieldsAtStops: boolean;
  private nextBlock = 0;
  /**
   * The blocks that have started but not ended; the first is the block that is currently running. There are several
   * blocks only if blocks wait for each other.
   */
  private running: Block[] = [];
  /** The thread to which a fault is attributed, usually the thread that ran last. */
  private faulting: Thread | null = null;
  /** The first thread in a deadlock of threads that wait in loops, and the line of that thread's loop. */
  private stuckAt: { readonly thread: Thread; readonly line: number } | null = null;

  constructor(launch: Launch, { trackWrites, tracing, races }: ReferenceOptions) {
    const { kernel, shape, image } = launch;
    const { entry } = kernel;
    const sharedBytes = entry.sharedBytes + shape.sharedBytes;
    const memories = memoriesOf(launch);
    this.launch = launch;
    this.blocks = blocksOf(shape);
    this.yieldsAtStops = looksAtBlocks(kernel);
    this.plan = { kernel, shape, sharedBytes, trackWrites };
    const blocks = { neighbor: (rank: number) => this.neighbor(rank), cancelBlocks: () => this.cancelBlocks() };
    this.cpu = idleCpu(launch, memories, blocks, races);
    const facts = { shape, sharedBytes: sharedBytes - entry.reservedBytes - entry.hiddenBytes };
    const { addressOf } = image;
    const { code, lines } = prepareKernel({
      kernel,
      memories,
      facts,
      cpu: this.cpu,
      addressOf,
      tracing,
      tracksWrites: trackWrites,
      inLockstep: launch.inLockstep,
      look: () => checkTime(launch.limits),
    });
    this.cpu.code = code;
    this.lines = lines;
    this.setTimer();
  }

  get instructions(): number {
    return this.cpu.executed;
  }

  get slowTiles(): number {
    return 0;
  }

  get races(): readonly Race[] {
    return (this.cpu.races?.all ?? []).map((race) => describeRace(race, this.launch));
  }

  run(): boolean {
    this.setTimer();
    for (let done = 0; done < slice; done += looksEvery) {
      checkTime(this.launch.limits);
      if (!this.step(looksEvery)) return false;
    }
    return true;
  }

  step(count: number): boolean {
    const { cpu } = this;
    const { budget } = this.launch.limits;
    let left = count;
    while (left > 0) {
      const block = this.block();
      if (block === null) return false;
      const thread = this.thread(block);
      if (thread === null) continue;
      left -= this.runThread(thread, block, Math.min(left, budget - cpu.executed + 1));
      if (cpu.executed > budget) throw overBudget(budget);
    }
    return true;
  }

  give(): LaunchState {
    const { nextBlock, running, cpu, launch } = this;
    const printed = launch.printed.give();
    const { executed, timer } = cpu;
    const blocks = running.map(stateOfBlock);
    return { nextBlock, blocks, executed, timer, printed, memory: launch.memory.give(), heap: launch.heap.give() };
  }

  take({ nextBlock, blocks, executed, timer, printed, memory, heap }: LaunchState): void {
    const { launch, cpu } = this;
    launch.memory.take(memory);
    launch.heap.take(heap);
    this.nextBlock = nextBlock;
    this.running = blocks.map((state) => blockInState(state, this.plan));
    this.faulting = null;
    launch.printed.take(printed);
    cpu.executed = executed;
    cpu.timer = timer;
  }

  faultOf(error: unknown): Fault | null {
    if (!(error instanceof MachineFault)) return null;
    const { stuckAt, launch } = this;
    const thread = stuckAt?.thread ?? this.faulting;
    const line = stuckAt?.line ?? (thread === null ? null : (this.lines[thread.pc - 1] ?? null));
    const { code, message, space, address } = error;
    return {
      code,
      message,
      kernel: launch.kernel.entry.name,
      block: this.running[0]?.index ?? null,
      thread: thread?.index ?? null,
      line,
      source: sourceAt(launch.kernel, line),
      space,
      address,
    };
  }

  release(): void {
    this.running = [];
  }

  /** Sets the timer to the host clock. The timer never goes backwards. */
  private setTimer(): void {
    const { cpu } = this;
    cpu.timer = Math.max(cpu.timer, Math.round(performance.now() * 1e6) - cpu.executed);
  }

  /** Returns the running block, or starts the next one; null after the last block has ended. */
  private block(): Block | null {
    const [block] = this.running;
    if (block === undefined) return this.begin();
    if (block.idleTurns <= block.threads.length || isBetweenLanes(block)) return block;
    // All threads of the block seem to wait for something outside the block, so other blocks get a turn. Once every
    // block has had a turn, the next block starts.
    block.idleTurns = 0;
    if (++block.idleRounds >= idleRoundsBeforeGroups) {
      if (this.settle(block)) return block;
      this.requireMotion(block);
    }
    this.running.push(...this.running.splice(0, 1));
    const everyone = this.running.every(({ idleTurns }) => idleTurns === 0);
    if (everyone && this.running.length < residentBlocks) this.begin();
    return this.running[0] ?? null;
  }

  /**
   * Starts the blocks of the next cluster and puts them at the start of the list, in order. Returns the first of these
   * blocks.
   */
  private begin(): Block | null {
    if (this.nextBlock >= this.blocks) return null;
    const size = this.cpu.blocksPerCluster;
    const blocks = Array.from({ length: size }, (_, rank) => beginBlock(this.nextBlock + rank, this.plan));
    this.nextBlock += size;
    this.running.unshift(...blocks);
    return blocks[0] ?? null;
  }

  private cancelBlocks(): Dim3 | null {
    const first = this.nextBlock;
    if (first >= this.blocks) return null;
    this.nextBlock += this.cpu.blocksPerCluster;
    return blockIndexOf(first, this.launch.shape);
  }

  private neighbor(rank: number): Block {
    const { block, blocksPerCluster: size } = this.cpu;
    const wanted = block.number - (block.number % size) + rank;
    const found = this.running.find((one) => one.number === wanted);
    if (found === undefined) throw new Error(`block ${wanted} is not running together with its cluster`);
    return found;
  }

  /** Returns the next thread that can run, in the order of the threads; null once the block has ended. */
  private thread(block: Block): Thread | null {
    const { threads } = block;
    for (let i = 0; i < threads.length; i++) {
      const thread = elementAt(threads, (block.nextThread + i) % threads.length);
      const next = thread.activity === 'running' ? nextInWarp(thread, block, this.cpu.code) : null;
      if (next === null) continue;
      block.nextThread = next.linear;
      return next;
    }
    if (threads.some((thread) => thread.activity === 'waiting')) {
      if (this.settle(block)) return this.thread(block);
      this.faulting = threads.find((thread) => thread.activity === 'waiting') ?? null;
      throw deadlockFault(block, []);
    }
    this.end(block);
    return null;
  }

  /** Removes the blocks of a cluster once all of them have ended, because their memory may be needed until then. */
  private end(block: Block): void {
    block.hasEnded = true;
    const size = this.cpu.blocksPerCluster;
    const isOver = (one: Block): boolean => sameCluster(one.number, block.number, size) && one.hasEnded;
    const ended = this.running.filter(isOver);
    if (ended.length === size) {
      for (const { number } of ended) this.cpu.races?.end(number);
      this.running = this.running.filter((one) => !isOver(one));
    } else this.running.push(...this.running.splice(0, 1));
  }

  /**
   * Completes a group that waits at an instruction without a member mask, so that its threads can continue. Returns
   * false if no such group is waiting.
   */
  private settle(block: Block): boolean {
    block.idleRounds = 0;
    const group = block.collectives.settle();
    if (group !== null) completeGroup(block, group, this.cpu);
    return group !== null;
  }

  /** Ends the launch with a fault if all threads of the running block's cluster are only waiting for each other. */
  private requireMotion(block: Block): void {
    const { blocksPerCluster: size } = this.cpu;
    const cluster = this.running.filter((one) => sameCluster(one.number, block.number, size));
    const running = cluster.flatMap((one) => one.threads.map((thread) => ({ thread, one })));
    for (const { thread, one } of running)
      if (thread.activity === 'running' && !onlySpins(thread, this.cpu.code, () => this.runThread(thread, one, 1)))
        return;
    const spinning = spinningIn(block, this.cpu.code).map(({ thread, loop }) => ({
      thread,
      line: this.lines[loop] ?? 0,
    }));
    this.stuckAt = spinning[0] ?? null;
    throw deadlockFault(
      block,
      spinning.map(({ thread, line }) => ({ thread: thread.linear, line })),
    );
  }

  /**
   * Runs one thread until it waits or ends, until its turn is over, or until it has processed `fuel` instructions.
   * Returns the number of instructions processed, including those that were skipped because of their guards.
   */
  private runThread(thread: Thread, block: Block, fuel: number): number {
    const { cpu } = this;
    const { code } = cpu;
    cpu.thread = thread;
    cpu.block = block;
    cpu.looks = block.looks;
    thread.saved = null;
    this.faulting = thread;
    const most = Math.min(fuel, slice - block.tried);
    let tried = 0;
    let isAhead = false;
    while (tried < most && cpu.looks < looksPerTurn && thread.activity === 'running') {
      // `elementAt` would be slower in this loop, because its compiled code has to handle every kind of list in the
      // program.
      const instruction = code[thread.pc];
      if (instruction === undefined) throw new Error(`the code ends before position ${thread.pc}`);
      isAhead = instruction.catchesUp && block.tried + tried > 0;
      if (isAhead) break;
      thread.pc++;
      tried++;
      const { frame, shadow } = thread;
      if (shadow !== null && instruction.guard >= 0) requireDefined(thread, instruction.guard, 'a branch');
      if (instruction.guard >= 0 && frame[instruction.guard] !== instruction.guardValue) continue;
      if (instruction.counted) cpu.executed++;
      if (shadow === null) instruction.run(frame);
      else instruction.careful(frame, thread);
    }
    block.tried += tried;
    block.looks = cpu.looks;
    if (isAhead || thread.activity !== 'running' || cpu.looks >= looksPerTurn || block.tried >= slice)
      this.endTurn(thread, block, isAhead);
    return tried;
  }

  /**
   * Gives the next thread a turn. If turns never ended, a thread that polls a flag could prevent the thread that should
   * set the flag from running.
   *
   * @param isAhead whether the thread has reached an instruction at which it waits for the other threads of its warp
   */
  private endTurn(thread: Thread, block: Block, isAhead: boolean): void {
    const hasHandedOver = block.looks === turnOver;
    const onlyPolled = !hasHandedOver && block.looks >= looksPerTurn;
    thread.isReleased = false;
    if (onlyPolled) {
      thread.awaited = Math.max(0, thread.awaited - awaitedPolls);
      block.idleTurns++;
    } else {
      if (!isAhead) thread.awaited = mostAwaited;
      block.idleTurns = 0;
      block.idleRounds = 0;
    }
    // A thread that arrives last, or alone, does not wait.
    const stops = isAhead || hasHandedOver || thread.activity === 'waiting';
    if (this.yieldsAtStops && stops && ++block.stops > stopsPerThread * block.threads.length) {
      block.stops = 0;
      block.idleTurns = block.threads.length + 1;
    }
    block.tried = 0;
    block.looks = 0;
    if (thread.activity === 'exited') this.exit(thread, block);
    else if (!hasHandedOver) block.nextThread = (thread.linear + 1) % block.threads.length;
  }

  /** Called when a thread exits: lets other threads continue if they were waiting only for this thread. */
  private exit(thread: Thread, block: Block): void {
    const { races } = this.cpu;
    races?.exit(races.clock(block.number, thread.linear));
    for (const group of block.collectives.exit(thread.linear)) completeGroup(block, group, this.cpu);
    for (const opened of block.barriers.exit(thread.linear)) passBarrier(block, opened, this.cpu);
  }
}
