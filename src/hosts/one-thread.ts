import type { WorkerHost } from '../jit/launch/worker-host.ts';

/**
 * A host without worker threads, for bundles that cannot contain the files of workers. All launches and conversions run
 * on one thread.
 */
export const host: WorkerHost = {
  start: async () => Promise.resolve({ running: Promise.resolve(false) }),
  run: async () => Promise.reject(new Error('there are no worker threads')),
  convert: async () => Promise.reject(new Error('there are no worker threads')),
  processors: 1,
};
