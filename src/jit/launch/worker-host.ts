/** Services of the platform: threads that each run a share of a launch or a part of a conversion (hosts/). */
import type { ArrayPart } from '../arrays/array-part.ts';
import type { Share, ShareResult } from './share.ts';

export interface WorkerHost {
  /**
   * Resolves with true when that many threads are running; with false, after a warning, if they cannot be started. They
   * stay for the next launch and do not keep the process alive.
   */
  ready(count: number): Promise<boolean>;
  /** Runs a share in a free thread. */
  run(share: Share): Promise<ShareResult>;
  /** The same for a part of a conversion. */
  convert(part: ArrayPart): Promise<void>;
  /** Number of threads that can run at the same time. */
  readonly processors: number;
}

/** The exports of `#host`, which package.json maps to hosts/node.ts or hosts/browser.ts. */
export declare const host: WorkerHost;
