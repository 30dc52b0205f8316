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

export interface CompiledLaunch {
  readonly compiled: CompiledKernel;
  readonly module: WebAssembly.Module;
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

/** Runs a launch to its end or to the first fault. Reading memory that nobody wrote gives zeros. */
export async function runCompiled(launch: CompiledLaunch): Promise<LaunchResult> {
  const { shape, limits, heap, print } = launch;
  const ledger = new OwnLedger(blocksOf(shape), limits);
  const engine = new BlockEngine({ ...launch, services: { heap, print }, residentBytes }, ledger);
  const started = performance.now();
  const stats = (): LaunchStats => ({
    threads: threadsOf(shape) * blocksOf(shape),
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
