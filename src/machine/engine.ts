/** The parts of a launch, the interface of engines, and the loop that runs a launch until it ends. */
import type { KernelProgram } from '../program/link.ts';
import type { InLockstep } from '../program/lockstep.ts';
import type { ModuleImage } from '../program/module-image.ts';
import type { DeviceHeap } from './memory/device-heap.ts';
import type { Fault, MachineFault } from './fault.ts';
import type { GlobalMemory } from './memory/global-memory.ts';
import { blocksOf, threadsOf } from './extents.ts';
import type { LaunchLimits, LaunchShape, LaunchStats } from './launch.ts';
import type { Printed } from './printing/printed.ts';
import type { Race } from './races/race.ts';
import type { LaunchState } from './state.ts';

export interface Launch {
  readonly kernel: KernelProgram;
  readonly image: ModuleImage;
  readonly shape: LaunchShape;
  readonly memory: GlobalMemory;
  readonly heap: DeviceHeap;
  /** The bytes of the parameter space. */
  readonly parameters: Uint8Array;
  readonly limits: LaunchLimits;
  readonly printed: Printed;
  /** Which accesses the threads of a warp perform in lockstep. */
  readonly inLockstep: InLockstep;
}

/** How a launch ended. */
export type LaunchResult = (
  | { readonly ok: true; readonly stats: LaunchStats }
  | { readonly ok: false; readonly fault: Fault; readonly stats: LaunchStats }
) & {
  /** The kernel's output so far, ordered by block index. */
  readonly printed: string;
  /** Number of `printf` calls that were dropped because the output exceeded `LaunchOptions.printLimit`. */
  readonly printsDropped: number;
  /**
   * The data races that were found if `LaunchOptions.races` is set: one for each pair of PTX lines, and at most 100.
   */
  readonly races: readonly Race[];
};

/** A running launch. `State` is the type of the states that the engine can return and restore. */
export interface Engine<State extends LaunchState> {
  /** Number of instructions executed, summed over all threads. */
  readonly instructions: number;
  /** See `LaunchStats`. */
  readonly slowTiles: number;
  /** See `LaunchResult`. */
  readonly races: readonly Race[];
  /** Number of milliseconds spent so far on preparing the kernel, as opposed to running it. */
  readonly preparing: number;
  /**
   * Runs for some milliseconds. Returns false when the launch is done. If the kernel causes a fault, throws an error
   * that `faultOf` recognizes.
   */
  run(): boolean;
  /** Returns the fault behind an error that `run` threw; null if the error is not a fault of the kernel. */
  faultOf(error: unknown): Fault | null;
  /** Returns the current state of the launch; null if the engine cannot return one at this point. */
  give(): State | null;
  /**
   * Restores a state, from which the launch then continues. The state must come from a launch of the same kernel with
   * the same shape.
   */
  take(state: State): void;
  /** Returns the borrowed memory to the device. */
  release(): void;
}

/** An engine that can stop between any two instructions. */
export interface SteppingEngine extends Engine<LaunchState> {
  /** Runs `count` instructions, or fewer if the launch ends. Returns false when the launch is done. */
  step(count: number): boolean;
  give(): LaunchState;
}

/** The result of a launch that ended while its kernel was being prepared. */
export function endedBefore({ kernel, shape, printed }: Launch, { code, message }: MachineFault): LaunchResult {
  const nowhere = { block: null, thread: null, line: null, source: null, space: null, address: null };
  return {
    ok: false,
    fault: { code, message: `${message}; its code was still being prepared`, kernel: kernel.entry.name, ...nowhere },
    stats: { threads: threadsOf(shape) * blocksOf(shape), instructions: 0, milliseconds: 0, slowTiles: 0 },
    printed: printed.text,
    printsDropped: printed.dropped,
    races: [],
  };
}

/** Number of milliseconds for which a launch may run before it returns to the event loop. */
const turn = 40;

/** Runs a launch until it ends or the first fault occurs. */
export async function runToEnd<State extends LaunchState>(
  engine: Engine<State>,
  { shape, printed }: Pick<Launch, 'shape' | 'printed'>,
): Promise<LaunchResult> {
  const started = performance.now();
  const ended = (): Omit<LaunchResult, 'ok'> => ({
    stats: {
      threads: threadsOf(shape) * blocksOf(shape),
      instructions: engine.instructions,
      milliseconds: performance.now() - started - engine.preparing,
      slowTiles: engine.slowTiles,
    },
    printed: printed.text,
    printsDropped: printed.dropped,
    races: engine.races,
  });
  try {
    let rested = started;
    while (engine.run()) {
      if (performance.now() - rested < turn) continue;
      await new Promise((resolve) => {
        setTimeout(resolve, 0);
      });
      rested = performance.now();
    }
    return { ok: true, ...ended() };
  } catch (error) {
    const fault = engine.faultOf(error);
    if (fault === null) throw error;
    return { ok: false, fault, ...ended() };
  } finally {
    engine.release();
  }
}
