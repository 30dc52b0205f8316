/** The fast engine on worker threads. Each thread takes blocks from a shared ledger until none are left. */
import type { Launch, LaunchResult } from '../../machine/engine.ts';
import { blocksOf, blocksPerCluster, threadsOf } from '../../machine/extents.ts';
import type { LaunchStats } from '../../machine/launch.ts';
import { namedRanges } from '../../machine/memory/named-ranges.ts';
import type { SharedMemory } from '../../machine/memory/memory-view.ts';
import { arenaNeeds } from './arena.ts';
import { type CompiledCode, residentBytes } from './engine.ts';
import type { CompiledKernel } from '../compiled-kernel.ts';
import type { Share, ShareResult } from './share.ts';
import { endLaunch, type LedgerPage, openLedger } from './shared-ledger.ts';
import { type BorrowedThreads, threadsPerProcessor } from './turns.ts';
import type { WorkerHost } from './worker-host.ts';

/**
 * The size of each worker's memory is a multiple of this number of bytes, so that no two workers write to the same
 * cache line.
 */
const lineSize = 256;

/** Returns how many of the requested workers a launch with the given number of clusters can use. */
export function usefulWorkers(asked: number, clusters: number, processors: number): number {
  return Math.min(asked, clusters, threadsPerProcessor * processors);
}

/** The workers of a launch, and the host that runs a share of the launch on each of them. */
export interface Crew extends BorrowedThreads {
  readonly workers: number;
  readonly host: WorkerHost;
}

/**
 * Runs a launch on the workers of a crew. The kernel must have been compiled for workers, and must not call built-in
 * functions, because these functions run only on the calling thread.
 */
export async function runSpread(
  launch: Launch,
  code: CompiledCode,
  shared: SharedMemory,
  { workers, host }: Crew,
): Promise<LaunchResult> {
  const { shape, memory, limits, parameters, image, printed } = launch;
  const { constants, constantLayout } = image;
  const blocks = blocksOf(shape);
  const { budget, seconds, begun } = limits;
  const ledger = openLedger({ blocks, workers, budget, seconds, begun });
  const { size, resident } = roomFor(launch, code.compiled, blocks, workers);
  const start = memory.borrow(size * workers);
  const constantRegions = namedRanges(constantLayout);
  const common = { ...code, shape, parameters, constants, constantRegions, ledger };
  const shares = Array.from({ length: workers }, (_, i): Share => {
    const room = { address: start + i * size, size };
    return { ...common, memory: shared, room, residentBytes: resident };
  });
  const abort = (): void => endLaunch(ledger, 'abort');
  if (limits.signal?.aborted === true) abort();
  limits.signal?.addEventListener('abort', abort);
  const started = performance.now();
  try {
    const results = await runAll(shares, ledger, host);
    const stats: LaunchStats = {
      threads: threadsOf(shape) * blocks,
      instructions: results.reduce((sum, { instructions }) => sum + instructions, 0),
      milliseconds: performance.now() - started,
      slowTiles: results.reduce((sum, { slowTiles }) => sum + slowTiles, 0),
    };
    const output = { printed: printed.text, printsDropped: printed.dropped, races: [] };
    const [lowest] = results.flatMap(({ fault }) => fault ?? []).sort((a, b) => a.block - b.block);
    return lowest === undefined ? { ok: true, stats, ...output } : { ok: false, fault: lowest.fault, stats, ...output };
  } finally {
    limits.signal?.removeEventListener('abort', abort);
    memory.giveBack(start);
    memory.touchAll();
  }
}

/** Runs all shares. Waits for all workers even if one of them fails, because they write to borrowed memory. */
async function runAll(shares: readonly Share[], ledger: LedgerPage, host: WorkerHost): Promise<readonly ShareResult[]> {
  const settled = await Promise.allSettled(
    shares.map((share) =>
      host.run(share).catch((error: unknown) => {
        endLaunch(ledger, 'elsewhere');
        throw error;
      }),
    ),
  );
  return settled.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}

/**
 * Returns how many bytes each worker needs for its blocks. Usually, a worker holds a single cluster at a time. If
 * blocks may wait for each other, a worker holds as many blocks as fit in memory.
 */
function roomFor(
  { shape, memory, parameters, image }: Launch,
  compiled: CompiledKernel,
  blocks: number,
  workers: number,
): { readonly size: number; readonly resident: number } {
  const { common, room } = arenaNeeds({ compiled, shape, parameters, constants: image.constants });
  const most = Math.min(residentBytes, memory.addressesLeft / 2) / workers;
  const fewest = blocksPerCluster(shape);
  const rooms = compiled.waits ? Math.max(fewest, Math.min(blocks, Math.floor(most / room))) : fewest;
  const resident = rooms * room;
  return { size: Math.ceil((common + resident) / lineSize) * lineSize, resident };
}
