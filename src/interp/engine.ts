/**
 * The reference engine: runs a launch block by block, thread by thread, each until it waits or ends. Slow and obviously
 * right; every result is that of exact arithmetic.
 */
import type { VariableSymbol } from '../check/symbols.ts';
import { Barriers } from '../machine/barriers.ts';
import type { BuiltinServices } from '../machine/builtins.ts';
import { Collectives } from '../machine/collectives.ts';
import type { DeviceHeap } from '../machine/device-heap.ts';
import { type Fault, MachineFault, machineFault } from '../machine/fault.ts';
import {
  blocksOf,
  indexOf,
  type LaunchLimits,
  type LaunchResult,
  type LaunchShape,
  type LaunchStats,
  threadsOf,
} from '../machine/launch.ts';
import { type Region, Segment } from '../machine/segment.ts';
import type { Placed } from '../program/layout.ts';
import { sourceAt } from '../program/source-places.ts';
import { passBarrier } from './barrier-steps.ts';
import type { KernelProgram } from '../program/link.ts';
import { completeGroup } from './collective-steps.ts';
import { callBuiltin } from './builtin-calls.ts';
import { loadGeneric, type Memories } from './memory-steps.ts';
import { type Prepared, prepareKernel, type PreparedKernel } from './prepare.ts';
import type { Block, Cpu, Thread } from './thread.ts';
import type { Tracing } from './trace.ts';

export interface Launch {
  readonly kernel: KernelProgram;
  readonly shape: LaunchShape;
  readonly memories: Memories;
  /** Address or offset of a module's variable. */
  readonly addressOf: (symbol: VariableSymbol) => number | null;
  readonly limits: LaunchLimits;
  readonly heap: DeviceHeap;
  readonly print: (text: string) => void;
  /** Fault on reading shared or local memory that was never written. */
  readonly trackWrites: boolean;
  readonly tracing: Tracing | null;
}

/** Instructions between two looks at the clock and at the caller's signal. */
const slice = 1 << 16;
/** Looks at what others may write before they get their turn. */
const patience = 256;
/** Blocks that may have begun at the same time. */
const residentBlocks = 1024;
/** Milliseconds after which the event loop gets a turn. */
const turn = 40;

/** Bytes of local memory that a thread has at first. */
const firstStack = 1 << 10;

/** Runs a launch to its end or to the first fault. */
export async function runLaunch(launch: Launch): Promise<LaunchResult> {
  const engine = new Engine(launch);
  const started = performance.now();
  const stats = (): LaunchStats => ({
    threads: threadsOf(launch.shape) * blocksOf(launch.shape),
    instructions: engine.instructions,
    milliseconds: performance.now() - started,
  });
  try {
    let rested = started;
    while (engine.step(slice)) {
      const now = performance.now();
      if (launch.limits.signal?.aborted === true) throw machineFault('PTX6022', {});
      if (now - started > launch.limits.seconds * 1000)
        throw machineFault('PTX6021', { seconds: String(launch.limits.seconds) });
      if (now - rested < turn) continue;
      await new Promise((resolve) => {
        setTimeout(resolve, 0);
      });
      rested = performance.now();
    }
    return { ok: true, stats: stats() };
  } catch (error) {
    if (!(error instanceof MachineFault)) throw error;
    return { ok: false, fault: engine.describe(error), stats: stats() };
  }
}

class Engine {
  private readonly launch: Launch;
  private readonly cpu: Cpu;
  private readonly prepared: PreparedKernel;
  private readonly blocks: number;
  private readonly sharedBytes: number;
  private nextBlock = 0;
  /** Blocks that have begun, the one that runs first; more than one where blocks wait for each other. */
  private readonly running: Block[] = [];
  /** Thread that ran last: the one to name when something goes wrong. */
  private faulting: Thread | null = null;

  constructor(launch: Launch) {
    const { kernel, shape } = launch;
    this.launch = launch;
    this.blocks = blocksOf(shape);
    this.sharedBytes = kernel.entry.sharedBytes + shape.sharedBytes;
    const none = {} as Thread & Block;
    const { heap, print, memories } = launch;
    const services: BuiltinServices = {
      heap,
      print,
      load: (address, bytes) => loadGeneric(address, bytes, memories, this.cpu),
    };
    const builtin: Cpu['builtin'] = (called, local, base) => callBuiltin(called, local, base, services);
    this.cpu = { thread: none, block: none, looks: 0, executed: 0, builtin };
    this.prepared = prepareKernel({
      kernel,
      memories,
      facts: { shape, sharedBytes: this.sharedBytes - kernel.entry.reservedBytes },
      cpu: this.cpu,
      addressOf: launch.addressOf,
      tracing: launch.tracing,
    });
  }

  get instructions(): number {
    return this.cpu.executed;
  }

  /** Runs about `fuel` instructions; false when the launch is done. */
  step(fuel: number): boolean {
    const { budget } = this.launch.limits;
    let left = Math.min(fuel, budget - this.cpu.executed + 1);
    while (left > 0) {
      const block = this.block();
      if (block === null) return false;
      const thread = this.thread(block);
      if (thread === null) continue;
      const before = this.cpu.executed;
      left -= this.runThread(thread, block, left);
      if (this.cpu.executed === before && thread.state === 'running') left--;
    }
    if (this.cpu.executed > budget) throw machineFault('PTX6020', { budget: String(budget) });
    return true;
  }

  describe(fault: MachineFault): Fault {
    const thread = this.faulting;
    const line = thread === null ? null : (this.prepared.lines[thread.pc - 1] ?? null);
    const { code, message, space, address } = fault;
    return {
      code,
      message,
      kernel: this.launch.kernel.entry.name,
      block: this.running[0]?.index ?? null,
      thread: thread?.index ?? null,
      line,
      source: sourceAt(this.launch.kernel, line),
      space,
      address,
    };
  }

  /** The block that runs, or the next one; null behind the last. */
  private block(): Block | null {
    const [block] = this.running;
    if (block === undefined) return this.begin();
    if (block.idleTurns <= block.threads.length) return block;
    // All its threads seem to wait: others have their turn, and once all have had it the next one begins.
    block.idleTurns = 0;
    this.running.push(...this.running.splice(0, 1));
    const everyone = this.running.every(({ idleTurns }) => idleTurns === 0);
    if (everyone && this.running.length < residentBlocks) this.begin();
    return this.running[0] ?? null;
  }

  /** The next block begins, and runs first. */
  private begin(): Block | null {
    if (this.nextBlock >= this.blocks) return null;
    const block = this.makeBlock(this.nextBlock++);
    this.running.unshift(block);
    return block;
  }

  /** The next thread that can run, in order; null after having ended the block. */
  private thread(block: Block): Thread | null {
    const { threads } = block;
    for (let i = 0; i < threads.length; i++) {
      const thread = threads[(block.nextThread + i) % threads.length] as Thread;
      if (thread.state !== 'running') continue;
      block.nextThread = thread.linear;
      return thread;
    }
    if (threads.some((thread) => thread.state === 'waiting')) {
      const group = block.collectives.settle();
      if (group !== null) {
        completeGroup(block, group);
        return this.thread(block);
      }
      this.faulting = threads.find((thread) => thread.state === 'waiting') ?? null;
      throw machineFault('PTX6010', { waiting: whoWaits(block) });
    }
    this.running.shift();
    return null;
  }

  /** Runs one thread until it waits, ends, or `fuel` instructions have been tried; returns how many. */
  private runThread(thread: Thread, block: Block, fuel: number): number {
    const { cpu } = this;
    const { code } = this.prepared;
    cpu.thread = thread;
    cpu.block = block;
    this.faulting = thread;
    let tried = 0;
    cpu.looks = 0;
    while (tried < fuel && cpu.looks < patience && thread.state === 'running') {
      const instruction = code[thread.pc++] as Prepared;
      const { frame } = thread;
      tried++;
      if (instruction.guard >= 0 && frame[instruction.guard] !== instruction.guardValue) continue;
      if (instruction.counted) cpu.executed++;
      instruction.run(frame);
    }
    if (thread.state === 'exited') this.release(thread, block);
    // The next turn is another thread's, so that one that spins on a flag lets the one that sets it run.
    else block.nextThread = (thread.linear + 1) % block.threads.length;
    block.idleTurns = cpu.looks < patience ? 0 : block.idleTurns + 1;
    return tried;
  }

  /** A thread that exits may be the one the others no longer wait for. */
  private release(thread: Thread, block: Block): void {
    for (const group of block.collectives.exit(thread.linear)) completeGroup(block, group);
    for (const opened of block.barriers.exit()) passBarrier(block, opened);
  }

  private makeBlock(linear: number): Block {
    const { kernel, shape, trackWrites } = this.launch;
    const count = threadsOf(shape);
    const threads = Array.from(
      { length: count },
      (_, i): Thread => ({
        index: indexOf(i, shape.block),
        linear: i,
        frame: kernel.entry.initialFrame.slice(),
        local: kernel.stackBytes === 0 ? null : this.makeLocal(),
        base: 0,
        calls: [],
        pc: 0,
        state: 'running',
        offer: null,
        pass: null,
      }),
    );
    const regions = regionsOf(kernel.entry.shared);
    const shared = new Segment('shared', new Uint8Array(this.sharedBytes), { trackWrites, regions });
    shared.mark(0, kernel.entry.reservedBytes);
    return {
      index: indexOf(linear, shape.grid),
      linear,
      threads,
      shared,
      barriers: new Barriers(count),
      collectives: new Collectives(count),
      nextThread: 0,
      idleTurns: 0,
    };
  }

  private makeLocal(): Segment {
    const { kernel, trackWrites } = this.launch;
    const regions = regionsOf(kernel.entry.local);
    const { stackBytes: size } = kernel;
    return new Segment('local', new Uint8Array(Math.min(size, firstStack)), { trackWrites, regions, size });
  }
}

function whoWaits({ barriers, collectives }: Block): string {
  return [barriers.describe(), collectives.describe()].filter((words) => words !== '').join(', ');
}

/** Placed variables as messages name them. */
export function regionsOf(placed: readonly Placed[]): readonly Region[] {
  return placed.map(({ name, offset, size }) => ({ name, start: offset, size }));
}
