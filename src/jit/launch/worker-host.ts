/**
 * The interface to the platform's worker threads, which is implemented in hosts/. Each thread runs a share of a launch
 * or a part of a conversion.
 */
import type { ArrayPart } from '../arrays/array-part.ts';
import type { Share, ShareResult } from './share.ts';

export interface WorkerHost {
  /**
   * Makes sure that at least `count` threads are running or starting, without waiting for them. The threads are kept
   * for later launches, but they do not prevent the process from exiting.
   */
  start(count: number): Promise<StartingThreads>;
  /** Runs a share on a free thread. */
  run(share: Share): Promise<ShareResult>;
  /** Runs a part of a conversion on a free thread. */
  convert(part: ArrayPart): Promise<void>;
  /** Number of threads that the host can run at the same time. */
  readonly processors: number;
}

export interface StartingThreads {
  /**
   * Resolves to true once the threads are running. If they cannot be started, emits a warning and resolves to false.
   */
  readonly running: Promise<boolean>;
}

/** The exports of `#host`, which package.json maps to hosts/node.ts or hosts/browser.ts. */
export declare const host: WorkerHost;
