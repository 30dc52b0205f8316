/**
 * Runs work on Node worker threads. All devices in a process share one pool of threads, which is kept between launches.
 */
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Piscina } from 'piscina';
import type { WorkerHost } from '../jit/launch/worker-host.ts';
import { mostWorkers } from '../machine/launch.ts';
import { importUrl } from './import-url.ts';

const sharePart = fileURLToPath(new URL('../jit/launch/share.js', import.meta.url));
const arrayPart = fileURLToPath(new URL('../jit/arrays/array-part.js', import.meta.url));

let pool: Piscina | null = null;
/** Number of threads known to be running. */
let up = 0;

/**
 * Returns the class Piscina. A static import is not used, because some bundlers would turn it into code that cannot be
 * loaded.
 */
async function poolClass(): Promise<typeof Piscina> {
  const found = await importUrl('piscina');
  if (!isPiscina(found)) throw new Error('the package piscina has no class Piscina');
  return found.Piscina;
}

function isPiscina(found: unknown): found is { readonly Piscina: typeof Piscina } {
  return typeof found === 'object' && found !== null && 'Piscina' in found && typeof found.Piscina === 'function';
}

/**
 * Creates the pool. The threads of the pool are started when there are tasks for them; idle threads do not keep the
 * process from exiting.
 */
async function started(): Promise<Piscina> {
  if (!existsSync(sharePart)) throw new Error(`there is no file ${sharePart}`);
  const Pool = await poolClass();
  pool ??= new Pool({
    filename: sharePart,
    minThreads: 0,
    maxThreads: mostWorkers,
    idleTimeout: Number.POSITIVE_INFINITY,
    // Workers must not inherit the main thread's loaders and inspectors.
    execArgv: [],
  });
  return pool;
}

function readyPool(): Piscina {
  if (pool === null) throw new Error('no worker threads are ready');
  return pool;
}

/**
 * Resolves to true once `count` threads are running. Each task waits until all tasks have started, so every task runs
 * on a thread of its own.
 */
async function meeting(threads: Piscina, count: number): Promise<boolean> {
  const arrived = new SharedArrayBuffer(4);
  await Promise.all(Array.from({ length: count }, () => threads.run({ arrived, count }, { name: 'meet' })));
  up = Math.max(up, count);
  return true;
}

function warn(error: unknown): false {
  const why = error instanceof Error ? error.message : String(error);
  process.emitWarning(`worker threads did not start, so launches run on one thread: ${why}`);
  return false;
}

export const host: WorkerHost = {
  async start(count) {
    if (count <= up) return { running: Promise.resolve(true) };
    try {
      return { running: meeting(await started(), count).catch(warn) };
    } catch (error) {
      return { running: Promise.resolve(warn(error)) };
    }
  },
  run: (share) => readyPool().run(share, { name: 'runShare' }),
  convert: (part) => readyPool().run(part, { name: 'runArrayPart', filename: arrayPart }),
  processors: availableParallelism(),
};
