/** What is asked of the platform: threads that run a share of a launch each, or a part of a conversion (hosts/). */
import type { ArrayPart } from '../arrays/array-part.ts';
import type { Share, ShareResult } from './share.ts';

export interface WorkerHost {
  /** Resolves when that many threads are up. They stay for the next launch and keep no process alive. */
  ready(count: number): Promise<void>;
  /** Runs a share in a thread that is free. */
  run(share: Share): Promise<ShareResult>;
  /** The same for a part of a conversion. */
  convert(part: ArrayPart): Promise<void>;
  /** Threads that run at the same time. */
  readonly processors: number;
}

/** What `#host` exports, which package.json maps to hosts/node.ts or hosts/browser.ts. */
export declare const host: WorkerHost;
