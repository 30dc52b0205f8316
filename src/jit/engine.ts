/** The fast engine: runs the regions of a compiled function block by block, and lets threads go on when barriers open. */
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
import type { Placed } from '../program/layout.ts';
import { Arena, type BlockRoom } from './arena.ts';
import { type BlockCode, BlockRunner, type Progress } from './block-runner.ts';
import type { CompiledFunction } from './compile.ts';
import { type Areas, raised, resolveAccess } from './faults.ts';
import { context, contextSize } from './layout.ts';
import type { Site } from './site.ts';

export interface CompiledLaunch {
  readonly compiled: CompiledFunction;
  readonly module: WebAssembly.Module;
  readonly shape: LaunchShape;
  readonly memory: GlobalMemory;
  readonly constants: Uint8Array;
  readonly constantLayout: readonly Placed[];
  readonly parameters: Uint8Array;
  readonly limits: LaunchLimits;
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
    if (!(error instanceof MachineFault)) throw error;
    return { ok: false, fault: engine.describe(error), stats: stats() };
  } finally {
    engine.release();
  }
}

/** Bytes that blocks may take which run at the same time. */
const residentBytes = 256 * 2 ** 20;

interface Running {
  readonly block: number;
  readonly room: BlockRoom;
  readonly runner: BlockRunner;
}

type Run = (contextAddress: number, region: number, first: number, behind: number) => number;
type Exchange = (words: number, members: number) => void;

class Engine {
  private readonly launch: CompiledLaunch;
  /** When preparing was over, in milliseconds of the host's clock. */
  readonly started: number;
  private readonly arena: Arena;
  private readonly exports: WebAssembly.Exports;
  private readonly run: Run;
  private readonly blocks: number;
  private readonly threads: number;
  private readonly resident: number;
  /** Blocks that have begun; more than one where blocks wait for each other. */
  private running: Running[] = [];
  private nextBlock = 0;
  /** Instructions that compiled code was allowed so far; what is left of them is in the context of the block that runs. */
  private granted = 0;
  private executed = 0;
  private current: Running | null = null;
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
    this.started = performance.now();
  }

  get instructions(): number {
    return this.executed;
  }

  release(): void {
    this.arena.release();
  }

  /** Runs the next block, or those that wait for each other; false when there is none left. */
  step(): boolean {
    if (this.running.length === 0 && !this.begin()) return false;
    let allPaused = true;
    for (const one of [...this.running]) {
      if (this.proceed(one) === 'paused') continue;
      allPaused = false;
      this.arena.leave(one.room);
      this.running = this.running.filter((other) => other !== one);
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
      kernel: compiled.program.name,
      block: this.current === null ? null : indexOf(this.current.block, shape.grid),
      thread: this.thread === null ? null : indexOf(this.thread, shape.block),
      line: this.line,
      space,
      address,
    };
  }

  // --- blocks -----------------------------------------------------------------------------------------------------------

  private begin(): boolean {
    if (this.nextBlock >= this.blocks) return false;
    const block = this.nextBlock++;
    const room = this.arena.enter(block);
    this.running.push({ block, room, runner: new BlockRunner(this.codeOf(room)) });
    return true;
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
    const bytes = this.launch.memory.bytesAt(one.room.context, contextSize);
    const fields = new Int32Array(bytes.buffer, bytes.byteOffset, contextSize / 4);
    const fuel = context.fuel / 4;
    this.current = one;
    fields[fuel] = this.granted - this.executed;
    const progress = one.runner.run();
    this.executed = this.granted - (fields[fuel] as number);
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
        throw raised(this.at(site, thread, fuel), BigInt.asUintN(64, address));
      },
      refuel: (site: number, thread: number, fuel: number): number => {
        this.at(site, thread, fuel);
        return this.refuel(fuel);
      },
    };
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
    const { program } = launch.compiled;
    if (current === null) throw new Error('no block runs');
    const local = current.room.local + thread * arena.localStride;
    return {
      shared: { address: current.room.shared, size: arena.sharedSize, regions: named(program.shared) },
      local:
        program.localBytes === 0 ? null : { address: local, size: program.localBytes, regions: named(program.local) },
      const: { address: arena.constants, size: launch.constants.byteLength, regions: named(launch.constantLayout) },
      param: { address: arena.parameters, size: launch.parameters.byteLength, regions: named(program.parameters) },
    };
  }
}

function named(placed: readonly Placed[]): readonly Region[] {
  return placed.map(({ name, offset, size }) => ({ name, start: offset, size }));
}
