/** The fast engine: runs the regions of a compiled function block by block, and lets threads go on when barriers open. */
import { Barriers } from '../machine/barriers.ts';
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
  warpSize,
} from '../machine/launch.ts';
import type { Region } from '../machine/segment.ts';
import type { Placed } from '../program/layout.ts';
import type { CompiledFunction } from './compile.ts';
import { type Areas, raised, resolveAccess } from './faults.ts';
import { alignTo16, context, contextSize, status, threadState } from './layout.ts';
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
    while (engine.runBlock()) {
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

type RegionFunction = (contextAddress: number, first: number, behind: number) => void;

/** Addresses of what a launch borrows. */
interface Arena {
  readonly base: number;
  readonly size: number;
  readonly states: number;
  readonly frames: number;
  readonly parameters: number;
  readonly constants: number;
  readonly shared: number;
  readonly local: number;
}

class Engine {
  private readonly launch: CompiledLaunch;
  /** When preparing was over, in milliseconds of the host's clock. */
  readonly started: number;
  private readonly arena: Arena;
  private readonly regions: readonly RegionFunction[];
  private readonly blocks: number;
  private readonly threads: number;
  private readonly sharedSize: number;
  /** Instructions that compiled code was allowed so far; what is left of them is in the context. */
  private granted = 0;
  private executed = 0;
  private block = 0;
  private fields: Int32Array = new Int32Array(0);
  private states: Int32Array = new Int32Array(0);
  private thread: number | null = null;
  private line: number | null = null;

  constructor(launch: CompiledLaunch) {
    const { compiled, module, shape, memory } = launch;
    this.launch = launch;
    this.blocks = blocksOf(shape);
    this.threads = threadsOf(shape);
    this.sharedSize = compiled.program.sharedBytes + shape.sharedBytes;
    this.arena = this.borrow();
    const instance = new WebAssembly.Instance(module, { env: { memory: memory.memory, ...this.imports() } });
    this.regions = compiled.lines.map((_, i) => instance.exports[`region${i}`] as RegionFunction);
    this.prepare();
    this.started = performance.now();
  }

  get instructions(): number {
    return this.executed;
  }

  release(): void {
    this.launch.memory.giveBack(this.arena.base, this.arena.size);
  }

  /** Runs the next block to its end; false when there is none. */
  runBlock(): boolean {
    if (this.block >= this.blocks) return false;
    this.enterBlock();
    if (this.regions.length > 1) this.runTogether();
    else this.run(0, 0, this.threads);
    if (this.executed > this.launch.limits.budget) throw this.overBudget();
    this.block++;
    return true;
  }

  describe({ code, message, space, address }: MachineFault): Fault {
    const { shape, compiled } = this.launch;
    return {
      code,
      message,
      kernel: compiled.program.name,
      block: indexOf(this.block, shape.grid),
      thread: this.thread === null ? null : indexOf(this.thread, shape.block),
      line: this.line,
      space,
      address,
    };
  }

  // --- blocks -----------------------------------------------------------------------------------------------------------

  /** Views are made for each block: the memory may have grown while the event loop had its turn. */
  private enterBlock(): void {
    const { memory, shape, compiled } = this.launch;
    const { arena, threads } = this;
    const context32 = memory.bytesAt(arena.base, contextSize);
    this.fields = new Int32Array(context32.buffer, context32.byteOffset, contextSize / 4);
    const [x, y, z] = indexOf(this.block, shape.grid);
    this.fields[context.blockX / 4] = x;
    this.fields[context.blockY / 4] = y;
    this.fields[context.blockZ / 4] = z;
    if (this.sharedSize > 0) memory.bytesAt(arena.shared, this.sharedSize).fill(0);
    const { localBytes } = compiled.program;
    if (localBytes > 0) memory.bytesAt(arena.local, alignTo16(localBytes) * threads).fill(0);
    if (this.regions.length < 2) return;
    const bytes = memory.bytesAt(arena.states, threadState.size * threads);
    bytes.fill(0);
    this.states = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4);
  }

  private run(region: number, first: number, behind: number): void {
    const fuelField = context.fuel / 4;
    if ((this.fields[fuelField] as number) <= 0) this.fields[fuelField] = this.refuel(this.fields[fuelField] as number);
    (this.regions[region] as RegionFunction)(this.arena.base, first, behind);
    this.executed = this.granted - (this.fields[fuelField] as number);
  }

  /** Runs threads that can run, in order, those at the same region together, until all have ended. */
  private runTogether(): void {
    const barriers = new Barriers(this.threads);
    let left = this.threads;
    while (left > 0) {
      let ran = false;
      for (let first = 0; first < this.threads; ) {
        if (this.stateOf(first, 'status') !== status.running) {
          first++;
          continue;
        }
        const region = this.stateOf(first, 'region');
        let behind = first + 1;
        while (behind < this.threads && this.canRun(behind, region)) behind++;
        this.run(region, first, behind);
        for (let thread = first; thread < behind; thread++) left -= this.settle(thread, barriers);
        ran = true;
        first = behind;
      }
      if (!ran) throw this.deadlock(barriers);
    }
  }

  private canRun(thread: number, region: number): boolean {
    return this.stateOf(thread, 'status') === status.running && this.stateOf(thread, 'region') === region;
  }

  /** Takes note of how a thread came back; returns 1 if it has ended. */
  private settle(thread: number, barriers: Barriers): number {
    this.thread = thread;
    if (this.stateOf(thread, 'status') === status.exited) {
      this.wake(barriers.exit());
      return 1;
    }
    this.line = this.launch.compiled.lines[this.stateOf(thread, 'region')] ?? null;
    const count = this.stateOf(thread, 'count');
    this.wake(barriers.arrive(thread, this.stateOf(thread, 'barrier') >>> 0, count === -1 ? null : count >>> 0));
    return 0;
  }

  private wake(threads: readonly number[]): void {
    for (const thread of threads) this.states[(thread * threadState.size + threadState.status) / 4] = status.running;
  }

  private stateOf(thread: number, name: 'region' | 'status' | 'barrier' | 'count'): number {
    return this.states[(thread * threadState.size + threadState[name]) / 4] as number;
  }

  private deadlock(barriers: Barriers): MachineFault {
    for (let thread = 0; thread < this.threads; thread++) {
      if (this.stateOf(thread, 'status') !== status.waiting) continue;
      this.thread = thread;
      this.line = this.launch.compiled.lines[this.stateOf(thread, 'region')] ?? null;
      break;
    }
    return machineFault('PTX6010', { waiting: barriers.describe() });
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
    const { arena, launch } = this;
    const { program } = launch.compiled;
    const local = arena.local + thread * alignTo16(program.localBytes);
    return {
      shared: { address: arena.shared, size: this.sharedSize, regions: named(program.shared) },
      local:
        program.localBytes === 0 ? null : { address: local, size: program.localBytes, regions: named(program.local) },
      const: { address: arena.constants, size: launch.constants.byteLength, regions: named(launch.constantLayout) },
      param: { address: arena.parameters, size: launch.parameters.byteLength, regions: named(program.parameters) },
    };
  }

  // --- the arena --------------------------------------------------------------------------------------------------------

  private borrow(): Arena {
    const { compiled, memory, parameters, constants } = this.launch;
    const { threads } = this;
    const sizes = [
      contextSize,
      threadState.size * threads,
      compiled.frameBytes * threads,
      alignTo16(parameters.byteLength),
      alignTo16(constants.byteLength),
      alignTo16(this.sharedSize),
      alignTo16(compiled.program.localBytes) * threads,
    ];
    const size = sizes.reduce((sum, part) => sum + part, 0);
    const base = memory.borrow(size);
    let next = base;
    const [, states = 0, frames = 0, params = 0, consts = 0, shared = 0, local = 0] = sizes.map((part) => {
      next += part;
      return next - part;
    });
    return { base, size, states, frames, parameters: params, constants: consts, shared, local };
  }

  private prepare(): void {
    const { launch, arena } = this;
    const { memory, shape, parameters, constants } = launch;
    memory.bytesAt(arena.parameters, parameters.byteLength).set(parameters);
    memory.bytesAt(arena.constants, constants.byteLength).set(constants);
    const bytes = memory.bytesAt(arena.base, contextSize);
    const fields = new Int32Array(bytes.buffer, bytes.byteOffset, contextSize / 4);
    const set = (name: keyof typeof context, value: number): void => {
      fields[context[name] / 4] = value;
    };
    set('fuel', 0);
    set('threadsX', shape.block[0]);
    set('threadsY', shape.block[1]);
    set('threadsZ', shape.block[2]);
    set('blocksX', shape.grid[0]);
    set('blocksY', shape.grid[1]);
    set('blocksZ', shape.grid[2]);
    set('sharedSize', this.sharedSize);
    set('dynamicShared', shape.sharedBytes);
    set('warps', Math.ceil(this.threads / warpSize));
    set('shared', arena.shared);
    set('local', arena.local);
    set('frames', arena.frames);
    set('states', arena.states);
    set('parameters', arena.parameters);
    set('constants', arena.constants);
  }
}

function named(placed: readonly Placed[]): readonly Region[] {
  return placed.map(({ name, offset, size }) => ({ name, start: offset, size }));
}
