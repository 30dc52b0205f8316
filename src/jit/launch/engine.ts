/** The fast engine on the calling thread. */
import type { DeviceHeap } from '../../machine/device-heap.ts';
import type { GlobalMemory } from '../../machine/global-memory.ts';
import {
  blocksOf,
  type LaunchLimits,
  type LaunchResult,
  type LaunchShape,
  type LaunchStats,
  threadsOf,
} from '../../machine/launch.ts';
import type { Region } from '../../machine/segment.ts';
import { BlockEngine } from './block-engine.ts';
import { faultOf } from './faults.ts';
import type { CompiledKernel } from '../compiled-kernel.ts';
import { OwnLedger } from './ledger.ts';

/** A kernel's module, and what the engine knows of it. */
export interface CompiledCode {
  readonly compiled: CompiledKernel;
  readonly module: WebAssembly.Module;
}

export interface CompiledLaunch extends CompiledCode {
  readonly shape: LaunchShape;
  readonly memory: GlobalMemory;
  readonly constants: Uint8Array;
  readonly constantRegions: readonly Region[];
  readonly parameters: Uint8Array;
  readonly limits: LaunchLimits;
  readonly heap: DeviceHeap;
  readonly print: (text: string) => void;
}

/** Milliseconds after which the event loop gets a turn. */
const turn = 40;

/** Bytes that blocks may take which run at the same time. */
export const residentBytes: number = 256 * 2 ** 20;

/** Gives code to go on with once so many thread-instructions have been run, null as long as that would not pay. */
export type BetterCode = (executed: number) => CompiledCode | null;

/** Runs a launch to its end or to the first fault. Reading memory that nobody wrote gives zeros. */
export async function runCompiled(launch: CompiledLaunch, better: BetterCode | null): Promise<LaunchResult> {
  const { shape, limits, heap, print } = launch;
  const ledger = new OwnLedger(blocksOf(shape), limits);
  const engineOf = (code: CompiledCode): BlockEngine =>
    new BlockEngine({ ...launch, ...code, services: { heap, print }, residentBytes }, ledger);
  let engine = engineOf(launch);
  let before = 0;
  let compiling = 0;
  const started = performance.now();
  const stats = (): LaunchStats => ({
    threads: threadsOf(shape) * blocksOf(shape),
    instructions: before + engine.instructions,
    milliseconds: performance.now() - started - compiling,
  });
  let wanted = better;
  const improve = (): void => {
    const asked = performance.now();
    const code = engine.isBetweenBlocks ? (wanted?.(engine.instructions) ?? null) : null;
    if (code === null) return;
    engine.settle();
    engine.release();
    before = engine.instructions;
    engine = engineOf(code);
    wanted = null;
    compiling = performance.now() - asked;
  };
  try {
    let rested = started;
    while (engine.step()) {
      if (wanted !== null) improve();
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
