/**
 * Gives the page access to the document that the worker keeps. Calls are processed in order, so each call sees the
 * edits made by earlier calls.
 */
import { type Remote, wrap } from 'comlink';
import { startWorker } from '../shell/start-worker.ts';
import type { Change, DocumentService, Facts, Finding } from './document-worker.ts';
import { documentScript } from './worker-scripts.ts';

export class RemoteDocument {
  private readonly worker: Worker = startWorker(documentScript);
  /** Sends requests to the worker. Each response refers to the text at the time of the request. */
  readonly ask: Remote<DocumentService> = wrap<DocumentService>(this.worker);
  private version = 0;

  /** Opens a text and returns its findings; null if the text was changed in the meantime. */
  open(text: string, target: string | null): Promise<readonly Finding[] | null> {
    this.version++;
    return this.current(this.ask.open(text, target));
  }

  /**
   * Applies changes. All offsets refer to the text before the first change. Returns the findings in the same way as
   * `open`.
   */
  edit(changes: readonly Change[]): Promise<readonly Finding[] | null> {
    this.version++;
    return this.current(this.ask.edit(changes));
  }

  facts(): Promise<Facts | null> {
    return this.current(this.ask.facts());
  }

  /** Waits for a response from the worker; null if the text was changed before the response arrived. */
  async current<T>(answer: Promise<T>): Promise<T | null> {
    const { version } = this;
    const found = await answer;
    return version === this.version ? found : null;
  }

  close(): void {
    this.worker.terminate();
  }
}
