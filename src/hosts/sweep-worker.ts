/** One thread of a sweep, which processes one group of chunks after another until it is terminated. */
import { parentPort, workerData } from 'node:worker_threads';
import { type ChunkDigest, sweepChunks, type SweepTask } from '../jit/arrays/sweep-runner.ts';

const task: SweepTask = workerData;

parentPort?.on('message', (group: readonly number[]) => {
  const digests: ChunkDigest[] = [...sweepChunks(task, group)].flat();
  parentPort?.postMessage(digests);
});
