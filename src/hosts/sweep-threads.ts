/**
 * A sweep on Node worker threads, or on the calling thread if only one thread is requested. Each thread repeatedly
 * takes a group of chunks and returns their digests. A group has as many chunks as the kernel can process at the same
 * time.
 */
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type ChunkDigest, sweepChunks, type SweepTask } from '../jit/arrays/sweep-runner.ts';

/** A sweep with fewer inputs than this takes less time than starting a thread. */
const worthThreads = 2 ** 22;

/**
 * Yields the digests of chunks. Each group of chunks is yielded as soon as it is complete. Chunks are started in the
 * given order. If `enough` returns true, for example because a chunk is wrong, no more groups are started. Groups that
 * have already been started are still completed and yielded, so the digests of all chunks before the one that ended the
 * sweep are yielded. If the sweep is aborted through `signal`, it ends without yielding the remaining digests.
 */
export async function* sweepInThreads(
  { kernel, chunkSize }: SweepTask,
  chunks: readonly number[],
  threads: number,
  { signal, enough }: { readonly signal: AbortSignal; readonly enough: () => boolean },
): AsyncGenerator<readonly ChunkDigest[]> {
  const task = { kernel, chunkSize };
  const groups = groupsOf(chunks, kernel.lanes);
  if (threads === 1 || chunks.length * chunkSize < worthThreads) {
    for (const digests of sweepChunks(task, chunks)) {
      yield digests;
      // Gives an interrupt a chance to be handled.
      await setImmediate();
      if (signal.aborted || enough()) return;
    }
    return;
  }
  const workers = Array.from({ length: Math.min(threads, groups.length) }, () => new SweepThread(task));
  const stop = (): void => {
    for (const worker of workers) worker.end();
  };
  signal.addEventListener('abort', stop);
  try {
    const running = new Map(workers.map((worker) => [worker, begin(worker, groups.shift())] as const));
    while (running.size > 0 && !signal.aborted) {
      const done = await Promise.race(running.values());
      if (done === null) return;
      yield done.digests;
      const next = enough() ? undefined : groups.shift();
      if (next === undefined) running.delete(done.worker);
      else running.set(done.worker, begin(done.worker, next));
    }
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

function groupsOf(chunks: readonly number[], size: number): (readonly number[])[] {
  return Array.from({ length: Math.ceil(chunks.length / size) }, (_, i) => chunks.slice(i * size, (i + 1) * size));
}

interface Done {
  readonly worker: SweepThread;
  readonly digests: readonly ChunkDigest[];
}

/** Resolves to null if the thread was terminated before it had processed the whole group. */
async function begin(worker: SweepThread, group: readonly number[] = []): Promise<Done | null> {
  const digests = await worker.run(group);
  return digests === null ? null : { worker, digests };
}

class SweepThread {
  private readonly worker: Worker;
  private settle: {
    readonly resolve: (found: readonly ChunkDigest[] | null) => void;
    readonly reject: (error: unknown) => void;
  } | null = null;

  constructor(task: SweepTask) {
    this.worker = new Worker(new URL('./sweep-worker.js', import.meta.url), { workerData: task, execArgv: [] });
    this.worker.on('message', (found: readonly ChunkDigest[]) => this.settle?.resolve(found));
    this.worker.on('error', (error) => this.settle?.reject(error));
    this.worker.on('exit', () => this.settle?.resolve(null));
  }

  run(group: readonly number[]): Promise<readonly ChunkDigest[] | null> {
    return new Promise((resolve, reject) => {
      this.settle = { resolve, reject };
      this.worker.postMessage(group);
    });
  }

  end(): void {
    void this.worker.terminate();
  }
}
