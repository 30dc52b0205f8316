/** The page's interface to the worker that reads and converts tensor files. */
import { proxy, type Remote, wrap } from 'comlink';
import type { Measured, Opened, Outlook, Progress, Refused, Saved, Stopped } from './bench.ts';
import type { Summary } from 'ptxlab/tensors';
import type { TensorService } from './tensor-worker.ts';

export class RemoteBench {
  private readonly worker = new Worker(new URL('./tensor-worker.ts', import.meta.url), { type: 'module' });
  private readonly ask: Remote<TensorService> = wrap<TensorService>(this.worker);

  /** Opens the given files, or the sample if the list is empty. */
  async open(files: readonly File[]): Promise<Opened | Refused> {
    return files.length === 0 ? this.ask.openSample() : this.ask.open(files);
  }

  async summarize(index: number, progress: Progress): Promise<Summary | Refused | Stopped | null> {
    return this.ask.summarize(index, proxy(progress));
  }

  async measure(index: number, recipe: string, progress: Progress): Promise<Measured | Refused | Stopped> {
    return this.ask.measure(index, recipe, proxy(progress));
  }

  async outlook(recipe: string): Promise<Outlook | Refused> {
    return this.ask.outlook(recipe);
  }

  async save(recipe: string, progress: Progress): Promise<Saved | Refused | Stopped> {
    return this.ask.save(recipe, proxy(progress));
  }

  async stop(): Promise<void> {
    await this.ask.stop();
  }

  close(): void {
    this.worker.terminate();
  }
}
