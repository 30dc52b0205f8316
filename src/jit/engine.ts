/** The fast engine: runs the regions of a compiled function block by block, and lets threads go on when barriers open. */
import type { Bits } from '../base/bits.ts';
import { runBuiltin } from '../machine/builtins.ts';
import type { DeviceHeap } from '../machine/device-heap.ts';
import { type Fault, MachineFault, machineFault } from '../machine/fault.ts';
import type { GlobalMemory } from '../machine/global-memory.ts';
import {
  blocksOf,
  indexOf,
  type LaunchLimits,
  type LaunchResult,
  type LaunchShape,
  type LaunchStats,
  threadsOf,
} from '../machine/launch.ts';
import type { Region } from '../machine/segment.ts';
import { formalLayout } from '../program/call-site.ts';
import type { Placed } from '../program/layout.ts';
import { Arena, type BlockRoom } from './arena.ts';
import { callSize } from './calls.ts';
import { type BlockCode, BlockRunner, type Progress, runsWhole } from './block-runner.ts';
import type { CompiledKernel } from './compile.ts';
import { type Areas, raised, resolveAccess } from './faults.ts';
import { context, outcome } from './layout.ts';
import type { Site } from './site.ts';
import { clocks } from './specials.ts';

export interface CompiledLaunch {
  readonly compiled: CompiledKernel;
  readonly module: WebAssembly.Module;
  readonly shape: LaunchShape;
  readonly memory: GlobalMemory;
  readonly constants: Uint8Array;
  readonly constantLayout: readonly Placed[];
  readonly parameters: Uint8Array;
  readonly limits: LaunchLimits;
  readonly heap: DeviceHeap;
  readonly print: (text: string) => void;
}

/** Instructions between two looks at the clock and at the caller's signal. */
const slice = 1 << 24;
/** Milliseconds after which the event loop gets a turn. */
const turn = 40;

/** Runs a launch to its end or to the first fault. Reading memory that nobody wrote gives zeros. */
export async function runCompiled(launch: CompiledLaunch): Promise<LaunchResult> {
  const engine = new Engine(launch);
  const { started } = engine;
  const stats = (): LaunchStats => ({
    threads: threadsOf(launch.shape) * blocksOf(launch.shape),
    instructions: engine.instructions,
    milliseconds: performance.now() - started,
  });
  try {
    let rested = started;
    while (engine.step()) {
      if (performance.now() - rested < turn) continue;
      await new Promise((resolve) => {
        setTimeout(resolve, 0);
      });
      rested = performance.now();
    }
    return { ok: true, stats: stats() };
  } catch (error) {
    const fault = faultOf(error);
    if (fault === null) throw error;
    return { ok: false, fault: engine.describe(fault), stats: stats() };
  } finally {
    engine.release();
  }
}

/** Bytes that blocks may take which run at the same time. */
const residentBytes = 256 * 2 ** 20;

const fuelField = context.fuel / 4;

interface Running {
  readonly block: number;
  readonly room: BlockRoom;
  readonly runner: BlockRunner;
}

type Run = (contextAddress: number, region: number, first: number, behind: number) => number;
type RunBlocks = (contextAddress: number, count: number) => number;
type Exchange = (words: number, members: number) => void;

class Engine {
  private readonly launch: CompiledLaunch;
  /** When preparing was over, in milliseconds of the host's clock. */
  readonly started: number;
  private readonly arena: Arena;
  private readonly exports: WebAssembly.Exports;
  private readonly run: Run;
  private readonly runBlocks: RunBlocks;
  private readonly runsWhole: boolean;
  private readonly runners = new Map<BlockRoom, BlockRunner>();
  /** Blocks that compiled code runs at a time: as many as take about a quarter of a turn. */
  private chunk = 16;
  private readonly blocks: number;
  private readonly threads: number;
  private readonly resident: number;
  /** Blocks that have begun; more than one where blocks wait for each other. */
  private running: Running[] = [];
  private nextBlock = 0;
  /** Instructions that compiled code was allowed so far; what is left of them is in the context of the block that runs. */
  private granted = 0;
  private executed = 0;
  private current: BlockRoom | null = null;
  private thread: number | null = null;
  private line: number | null = null;

  constructor(launch: CompiledLaunch) {
    const { module, shape, memory } = launch;
    this.launch = launch;
    this.blocks = blocksOf(shape);
    this.threads = threadsOf(shape);
    this.arena = new Arena(launch);
    this.resident = this.arena.roomsWithin(residentBytes);
    const instance = new WebAssembly.Instance(module, { env: { memory: memory.memory, ...this.imports() } });
    this.exports = instance.exports;
    this.run = instance.exports['run'] as Run;
    this.runBlocks = instance.exports['runBlocks'] as RunBlocks;
    this.runsWhole = runsWhole(launch.compiled);
    this.started = performance.now();
  }

  get instructions(): number {
    return this.executed;
  }

  release(): void {
    this.arena.release();
  }

  /** Runs the next blocks, or those that wait for each other; false when there is none left. */
  step(): boolean {
    if (this.running.length === 0) {
      if (this.nextBlock >= this.blocks) return false;
      if (this.runsWhole) this.runWhole();
      else this.begin();
    }
    let allPaused = true;
    for (const one of Array.from(this.running)) {
      if (this.proceed(one) === 'paused') continue;
      allPaused = false;
      this.end(one);
    }
    if (allPaused && this.running.length < this.resident) this.begin();
    if (this.executed > this.launch.limits.budget) throw this.overBudget();
    return true;
  }

  describe({ code, message, space, address }: MachineFault): Fault {
    const { shape, compiled } = this.launch;
    return {
      code,
      message,
      kernel: compiled.kernel.entry.name,
      block: this.current === null ? null : indexOf(this.blockOf(this.arena.contextOf(this.current)), shape.grid),
      thread: this.thread === null ? null : indexOf(this.thread, shape.block),
      line: this.line,
      space,
      address,
    };
  }

  // --- blocks -----------------------------------------------------------------------------------------------------------

  private begin(): void {
    if (this.nextBlock < this.blocks) this.running.push(this.enter(this.nextBlock++, 0));
  }

  private enter(block: number, at: number, given?: BlockRoom): Running {
    const room = given ?? this.arena.enter(block);
    const runner = this.runners.get(room) ?? new BlockRunner(this.codeOf(room));
    this.runners.set(room, runner);
    runner.start(at);
    return { block, room, runner };
  }

  private end(one: Running): void {
    this.arena.leave(one.room);
    this.running = this.running.filter((other) => other !== one);
  }

  /** Runs blocks one after the other inside compiled code; one that does not come to its end at once is left running. */
  private runWhole(): void {
    const first = this.nextBlock;
    const room = this.arena.enter(first);
    const words = this.arena.contextOf(room);
    const count = Math.min(this.chunk, this.blocks - first);
    const begun = performance.now();
    this.current = room;
    words[fuelField] = this.granted - this.executed;
    const result = this.runBlocks(room.context, count);
    // Memory may have grown, and the context says how far compiled code came.
    const after = this.arena.contextOf(room);
    this.executed = this.granted - (after[fuelField] as number);
    const last = this.blockOf(after);
    this.nextBlock = last + 1;
    if (result === outcome.allExited) this.arena.leave(room);
    else this.running.push(this.enter(last, result, room));
    if (performance.now() - begun < turn / 4) this.chunk *= 2;
    else this.chunk = Math.max(1, this.chunk / 2);
  }

  private blockOf(words: Int32Array): number {
    const [blocksX, blocksY] = this.launch.shape.grid;
    const [x, y, z] = [context.blockX, context.blockY, context.blockZ].map((field) => words[field / 4] as number);
    return (x as number) + blocksX * ((y as number) + blocksY * (z as number));
  }

  private codeOf(room: BlockRoom): BlockCode {
    const { compiled, memory } = this.launch;
    return {
      compiled,
      threads: this.threads,
      run: (region, first, behind) => this.run(room.context, region, first, behind),
      exchange: (fn, first, members) => {
        (this.exports[`exchange ${fn}`] as Exchange)(room.frames + 4 * first, members);
      },
      words: () => {
        const bytes = memory.bytesAt(room.frames, compiled.frame.size);
        return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
      },
      blame: (thread, line) => {
        this.thread = thread;
        this.line = line;
      },
    };
  }

  /** What is left of the fuel goes from block to block. */
  private proceed(one: Running): Progress {
    this.current = one.room;
    this.arena.contextOf(one.room)[fuelField] = this.granted - this.executed;
    const progress = one.runner.run();
    this.executed = this.granted - (this.arena.contextOf(one.room)[fuelField] as number);
    return progress;
  }

  // --- what compiled code asks ------------------------------------------------------------------------------------------

  private imports(): Record<string, WebAssembly.ImportValue> {
    return {
      resolve: (site: number, address: bigint, thread: number, fuel: number): number => {
        const found = this.at(site, thread, fuel);
        if (found.kind !== 'access') throw new Error(`site ${site} is no access`);
        return resolveAccess(found, BigInt.asUintN(64, address), this.launch.memory, this.areas(thread));
      },
      raise: (site: number, address: bigint, thread: number, fuel: number): void => {
        const found = this.at(site, thread, fuel);
        throw raised(found, BigInt.asUintN(64, address), this.launch.compiled.kernel, () => this.openCalls(thread));
      },
      clock: (kind: number, fuel: number): bigint =>
        BigInt(kind === clocks.executed ? this.granted - fuel : Math.round(performance.now() * 1e6)),
      builtin: (site: number, base: number, thread: number, fuel: number): void => {
        const found = this.at(site, thread, fuel);
        if (found.kind !== 'builtin') throw new Error(`site ${site} calls no built-in function`);
        this.callBuiltin(found.fn, base, thread);
      },
      refuel: (site: number, thread: number, fuel: number): number => {
        this.at(site, thread, fuel);
        return this.refuel(fuel);
      },
    };
  }

  private callBuiltin(index: number, base: number, thread: number): void {
    const { compiled, memory, heap, print } = this.launch;
    const fn = compiled.kernel.functions[index];
    const areas = this.areas(thread);
    if (fn?.kind !== 'builtin' || areas.local === null) throw new Error('no built-in function, or no room for it');
    const { name, signature } = fn.builtin;
    const layout = formalLayout(signature);
    const start = areas.local.address + base;
    const args = signature.parameters.map(({ bytes }, i) =>
      BigInt(memory.load(start + (layout.parameters[i] as number), bytes * 8)),
    );
    const load = (address: bigint, bytes: 1 | 4 | 8): bigint => {
      const site = { space: 'generic', access: 'load', size: bytes } as const;
      return BigInt(memory.load(resolveAccess(site, address, memory, areas), bytes * 8));
    };
    const result = runBuiltin(name, args, { heap, print, load });
    const [formal] = signature.results;
    if (result === null || formal === undefined) return;
    const bits: Bits = formal.bytes === 8 ? result : Number(result);
    memory.store(start + (layout.results[0] as number), formal.bytes * 8, bits);
  }

  private openCalls(thread: number): number {
    const { current, launch, arena } = this;
    if (current === null) return 0;
    const { memory, compiled } = launch;
    let bytes = Number(memory.load(current.frames + compiled.frame.depth + 4 * thread, 32));
    let count = 0;
    for (; bytes > 0; count++) bytes -= callSize(memory, current.calls + thread * arena.callStride + bytes);
    return count;
  }

  private at(site: number, thread: number, fuel: number): Site {
    const found = this.launch.compiled.sites[site] as Site;
    this.thread = thread;
    this.line = found.line;
    this.executed = this.granted - fuel;
    return found;
  }

  /** New fuel for a thread that has used all of it. */
  private refuel(fuel: number): number {
    const { budget, seconds, signal } = this.launch.limits;
    this.executed = this.granted - fuel;
    if (this.executed > budget) throw this.overBudget();
    if (signal?.aborted === true) throw machineFault('PTX6022', {});
    if (performance.now() - this.started > seconds * 1000) throw machineFault('PTX6021', { seconds: String(seconds) });
    const given = Math.min(slice, budget + 1 - this.executed);
    this.granted = this.executed + given;
    return given;
  }

  private overBudget(): MachineFault {
    return machineFault('PTX6020', { budget: String(this.launch.limits.budget) });
  }

  private areas(thread: number): Areas {
    const { arena, launch, current } = this;
    const { entry, stackBytes } = launch.compiled.kernel;
    if (current === null) throw new Error('no block runs');
    const local = current.local + thread * arena.localStride;
    return {
      shared: { address: current.shared, size: arena.sharedSize, regions: named(entry.shared) },
      local: stackBytes === 0 ? null : { address: local, size: stackBytes, regions: named(entry.local) },
      const: { address: arena.constants, size: launch.constants.byteLength, regions: named(launch.constantLayout) },
      param: { address: arena.parameters, size: launch.parameters.byteLength, regions: named(entry.parameters) },
    };
  }
}

/** What ended a launch; null for what is no fault of the kernel. Unchecked accesses can reach beyond all memory. */
function faultOf(error: unknown): MachineFault | null {
  if (error instanceof MachineFault) return error;
  if (!(error instanceof WebAssembly.RuntimeError) || !/out of bounds/.test(error.message)) return null;
  return machineFault('PTX6034', {});
}

function named(placed: readonly Placed[]): readonly Region[] {
  return placed.map(({ name, offset, size }) => ({ name, start: offset, size }));
}
