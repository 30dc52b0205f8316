/**
 * Runs parts of kernel launches and of conversions in Web Workers. This works only if the page is cross-origin
 * isolated, because memory cannot be shared otherwise.
 */
import type { ArrayPart } from '../jit/arrays/array-part.ts';
import type { Share, ShareResult } from '../jit/launch/share.ts';
import type { WorkerHost } from '../jit/launch/worker-host.ts';

/** A request to a worker. */
export type Question =
  | { readonly kind: 'share'; readonly share: Share }
  | { readonly kind: 'arrays'; readonly part: ArrayPart };

/**
 * What a worker reports: that it has started, that it has finished its part of a launch, that it has converted its
 * arrays, or that an error has occurred.
 */
export type Answer =
  | { readonly kind: 'up' }
  | { readonly kind: 'done'; readonly result: ShareResult }
  | { readonly kind: 'converted' }
  | { readonly kind: 'broken'; readonly message: string };

const idle: Worker[] = [];

async function start(): Promise<Worker> {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  await answerOf(worker);
  return worker;
}

/** Waits for the next response from a worker. A worker handles only one request at a time. */
function answerOf(worker: Worker): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const heard = new AbortController();
    const { signal } = heard;
    const listen = <K extends keyof WorkerEventMap>(kind: K, then: (event: WorkerEventMap[K]) => void): void => {
      const once = (event: WorkerEventMap[K]): void => {
        heard.abort();
        then(event);
      };
      worker.addEventListener(kind, once, { signal });
    };
    listen('message', ({ data }: MessageEvent<Answer>) => resolve(data));
    listen('error', ({ message }) => reject(new Error(message === '' ? 'a worker could not be started' : message)));
  });
}

/** Resolves to true once `count` workers are idle; reports an error and resolves to false if they do not start. */
async function haveIdle(count: number): Promise<boolean> {
  const missing = Math.max(0, count - idle.length);
  try {
    idle.push(...(await Promise.all(Array.from({ length: missing }, start))));
    return true;
  } catch (error) {
    reportError(new Error('workers did not start, so launches run on one thread', { cause: error }));
    return false;
  }
}

async function ask(question: Question): Promise<Answer> {
  const worker = idle.pop() ?? (await start());
  const answered = answerOf(worker);
  worker.postMessage(question);
  const answer = await answered;
  idle.push(worker);
  return answer;
}

function broken(answer: Answer): Error {
  return new Error(answer.kind === 'broken' ? answer.message : 'a worker restarted');
}

export const host: WorkerHost = {
  async start(count) {
    return Promise.resolve({ running: haveIdle(count) });
  },
  async run(share) {
    const answer = await ask({ kind: 'share', share });
    if (answer.kind !== 'done') throw broken(answer);
    return answer.result;
  },
  async convert(part) {
    const answer = await ask({ kind: 'arrays', part });
    if (answer.kind !== 'converted') throw broken(answer);
  },
  // Node 20, in which a bundle for browsers may run, has no `navigator`.
  processors: globalThis.navigator?.hardwareConcurrency ?? 1,
};
