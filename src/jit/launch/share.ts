/** The body of a worker: runs blocks of a launch until none are left. The code here does not depend on the platform. */
import { nothingLeftOut } from './linked-code.ts';
import type { Fault } from '../../machine/fault.ts';
import type { LaunchShape } from '../../machine/launch.ts';
import { MemoryView, type Room, type SharedMemory } from '../../machine/memory/memory-view.ts';
import type { NamedRange } from '../../machine/memory/segment.ts';
import { BlockEngine } from './block-engine.ts';
import { faultOf } from './faults.ts';
import type { CompiledKernel } from '../compiled-kernel.ts';
import { endLaunch, type LedgerPage, SharedLedger, Superseded } from './shared-ledger.ts';

/** A launch in the form that is sent to a worker. */
export interface Share {
  readonly compiled: CompiledKernel;
  readonly module: WebAssembly.Module;
  readonly shape: LaunchShape;
  readonly memory: SharedMemory;
  /** The part of the memory that contains the worker's blocks. The blocks may use up to `residentBytes` bytes. */
  readonly room: Room;
  readonly residentBytes: number;
  readonly parameters: Uint8Array;
  readonly constants: Uint8Array;
  readonly constantRegions: readonly NamedRange[];
  readonly ledger: LedgerPage;
}

export interface ShareResult {
  readonly instructions: number;
  readonly slowTiles: number;
  /**
   * The fault that ended the worker's share, and the block that caused it; null if the share was completed or if the
   * launch was ended for another reason.
   */
  readonly fault: { readonly fault: Fault; readonly block: number } | null;
}

/** Faults that concern the launch as a whole. When one of them occurs, all workers stop. */
const wholeLaunch: ReadonlySet<string> = new Set(['PTX6020', 'PTX6021', 'PTX6022']);

export function runShare(share: Share): ShareResult {
  const { memory, room, ledger: page } = share;
  const ledger = new SharedLedger(page);
  const engine = new BlockEngine(
    { ...share, memory: new MemoryView(memory, room), services: null, leftOut: nothingLeftOut },
    ledger,
  );
  const counted = () => ({ instructions: engine.instructions, slowTiles: engine.slowTiles });
  try {
    while (engine.step());
    return { ...counted(), fault: null };
  } catch (error) {
    if (error instanceof Superseded) return { ...counted(), fault: null };
    const fault = faultOf(error);
    if (fault === null) throw error;
    const block = engine.block ?? 0;
    if (wholeLaunch.has(fault.code)) endLaunch(page, 'elsewhere');
    else ledger.fault(block);
    return { ...counted(), fault: { fault: engine.describe(fault), block } };
  }
}

/** Maximum time in milliseconds that a thread waits for the other requested threads to start. */
const longestMeeting = 10_000;

/** Waits until `count` threads have called this function, but no longer than the maximum waiting time. */
export function meet({ arrived, count }: { readonly arrived: SharedArrayBuffer; readonly count: number }): void {
  const words = new Int32Array(arrived);
  let come = Atomics.add(words, 0, 1) + 1;
  if (come === count) Atomics.notify(words, 0);
  const until = performance.now() + longestMeeting;
  for (; come < count && performance.now() < until; come = Atomics.load(words, 0)) {
    Atomics.wait(words, 0, come, until - performance.now());
  }
}
