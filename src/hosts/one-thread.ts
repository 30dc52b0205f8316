import type { WorkerHost } from '../jit/launch/worker-host.ts';

const refuse = async (): Promise<never> => Promise.reject(new Error('this host has no worker threads'));

/**
 * A host without worker threads, for bundles that cannot contain the files of workers. All launches and conversions run
 * on one thread.
 */
export const host: WorkerHost = {
  start: async () => Promise.resolve({ running: Promise.resolve(false) }),
  run: refuse,
  convert: refuse,
  processors: 1,
};
