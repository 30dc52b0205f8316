/**
 * Gives the page access to the worker that runs kernels. Stopping a run terminates the worker; the next run starts a
 * new one.
 */
import { type Remote, wrap } from 'comlink';
import { startWorker } from '../shell/start-worker.ts';
import type { Lab as LabWorker, Recorded, Refused, RunAnswer, RunRequest, StepState } from './lab-worker.ts';
import { labScript } from './worker-scripts.ts';

/** The worker is terminated if it has not responded this many seconds after the time limit of the launch. */
const grace = 2;

interface Running {
  readonly worker: Worker;
  readonly lab: Remote<LabWorker>;
  readonly timer: ReturnType<typeof setTimeout>;
  /** Makes the call in progress return null. */
  readonly end: () => void;
}

export class Lab {
  private running: Running | null = null;

  /** Runs a kernel in a new worker. Returns null if the run was stopped or did not end in time. */
  async run(request: RunRequest): Promise<RunAnswer | null> {
    const answer = await this.limited(request, async (lab): Promise<RunAnswer> => await lab.run(request));
    this.stop();
    return answer;
  }

  /**
   * Records a warp. The worker is kept, so that `stateAt` and `writerOf` can query the recording. Returns null in the
   * same cases as `run`.
   */
  async record(request: RunRequest, warp: number): Promise<Recorded | Refused | null> {
    const answer = await this.limited(
      request,
      async (lab): Promise<Recorded | Refused> => await lab.record(request, warp),
    );
    if (answer === null) this.stop();
    else clearTimeout(this.running?.timer);
    return answer;
  }

  /** Null if there is no recording. */
  async stateAt(index: number): Promise<StepState | null> {
    return (await this.running?.lab.stateAt(index)) ?? null;
  }

  async writerOf(register: string, lane: number, index: number): Promise<number | null> {
    return (await this.running?.lab.writerOf(register, lane, index)) ?? null;
  }

  private limited<T>({ timeout }: RunRequest, work: (lab: Remote<LabWorker>) => Promise<T>): Promise<T | null> {
    this.stop();
    const worker = startWorker(labScript);
    const lab = wrap<LabWorker>(worker);
    const ended = new Promise<null>((resolve) => {
      const timer = setTimeout(() => this.stop(), (timeout + grace) * 1000);
      this.running = { worker, lab, timer, end: () => resolve(null) };
    });
    return Promise.race([work(lab), ended]);
  }

  /** Ends the run in progress, if there is one, and discards the recording. */
  stop(): void {
    const { running } = this;
    this.running = null;
    if (running === null) return;
    clearTimeout(running.timer);
    running.worker.terminate();
    running.end();
  }
}
