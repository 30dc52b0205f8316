/** The page's side of the worker: answers that are out of date are dropped, and Stop replaces the worker. */
import { type Remote, wrap } from 'comlink';
import type { Explanation } from 'ptxlab';
import type { Checked, Lab as Worker_, RunAnswer, RunRequest } from './lab-worker.ts';

/** Seconds that the worker may take beyond the limit of a launch before it is replaced. */
const grace = 2;

export class Lab {
  private checking: Remote<Worker_> = start();
  private running: { readonly worker: Worker; readonly stop: () => void } | null = null;
  private turn = 0;

  /** Null if a later call came in between. */
  async check(source: string, target: string | null): Promise<Checked | null> {
    const turn = ++this.turn;
    const checked = await this.checking.check(source, target);
    return turn === this.turn ? checked : null;
  }

  explain(text: string): Promise<Explanation> {
    return this.checking.explain(text);
  }

  /** Runs in a worker of its own. Null if it was stopped, or did not end in time. */
  async run(request: RunRequest): Promise<RunAnswer | null> {
    this.stop();
    const worker = makeWorker();
    const lab = wrap<Worker_>(worker);
    const ended = new Promise<null>((resolve) => {
      const timer = setTimeout(() => this.stop(), (request.timeout + grace) * 1000);
      this.running = {
        worker,
        stop: () => {
          clearTimeout(timer);
          resolve(null);
        },
      };
    });
    const answer = await Promise.race([lab.run(request), ended]);
    this.stop();
    return answer;
  }

  /** Ends the run in progress, if there is one. */
  stop(): void {
    this.running?.worker.terminate();
    this.running?.stop();
    this.running = null;
  }
}

function makeWorker(): Worker {
  return new Worker(new URL('./lab-worker.ts', import.meta.url), { type: 'module' });
}

function start(): Remote<Worker_> {
  return wrap<Worker_>(makeWorker());
}
