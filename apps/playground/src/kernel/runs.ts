/** Runs or records a kernel, one request at a time, and keeps the outcome of the last run or recording. */
import type { ReactiveControllerHost } from 'lit';
import { Lab } from './lab.ts';
import type { RunAnswer, RunRequest } from './lab-worker.ts';
import type { Steps } from './steps-view.ts';

export class Runs {
  private readonly host: ReactiveControllerHost;
  private readonly lab = new Lab();
  /** Null before the first run, and while a run is in progress. */
  answer: RunAnswer | 'stopped' | null = null;
  isRunning = false;
  /** The steps of the last recording; null if there is none, or if the kernel has been run again since then. */
  steps: Steps | null = null;
  /**
   * The number of times that `forget` was called. If it is called during a run, the outcome of this run is discarded.
   */
  private forgotten = 0;

  constructor(host: ReactiveControllerHost) {
    this.host = host;
  }

  async run(request: RunRequest): Promise<RunAnswer | null> {
    const { forgotten } = this;
    this.begin();
    const answer = await this.lab.run(request);
    if (forgotten !== this.forgotten) return null;
    this.end(answer ?? 'stopped');
    return answer;
  }

  /** Records the first warp. Returns false if there is nothing to step through; `answer` then contains the reason. */
  async record(request: RunRequest): Promise<boolean> {
    const { forgotten } = this;
    this.begin();
    const recorded = await this.lab.record(request, 0);
    if (forgotten !== this.forgotten) return false;
    const isRecorded = recorded !== null && !('kind' in recorded);
    if (isRecorded) this.steps = { recorded, index: -1, state: null };
    this.end(isRecorded ? null : (recorded ?? 'stopped'));
    return isRecorded;
  }

  /** Shows a step of the recording immediately, and its registers as soon as the worker has sent them. */
  async goToStep(index: number): Promise<void> {
    if (this.steps === null) return;
    const { recorded, state } = this.steps;
    this.showStep({ recorded, index, state });
    const found = await this.lab.stateAt(index);
    if (this.steps?.recorded === recorded && this.steps.index === index)
      this.showStep({ recorded, index, state: found });
  }

  /**
   * Returns the last step, up to and including the step that is shown, in which the given lane wrote the register; null
   * if there is no such step.
   */
  writerOf(register: string, lane: number): Promise<number | null> {
    return this.lab.writerOf(register, lane, this.steps?.index ?? 0);
  }

  /** Ends the run in progress, and discards the recording. */
  stop(): void {
    this.lab.stop();
    this.showStep(null);
  }

  /** Ends the run in progress and discards all outcomes, because another kernel is shown. */
  forget(): void {
    this.stop();
    this.forgotten++;
    this.isRunning = false;
    this.answer = null;
  }

  private showStep(steps: Steps | null): void {
    this.steps = steps;
    this.host.requestUpdate();
  }

  private begin(): void {
    this.isRunning = true;
    this.answer = null;
    this.showStep(null);
  }

  private end(answer: RunAnswer | 'stopped' | null): void {
    this.isRunning = false;
    this.answer = answer;
    this.host.requestUpdate();
  }
}
