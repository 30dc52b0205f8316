/** What runs in a Web Worker. Threads of Node are started by their pool and call `runShare` themselves. */
import { runShare, type Share } from '../jit/share.ts';
import type { Answer } from './browser.ts';

const answer = (message: Answer): void => self.postMessage(message);

self.addEventListener('message', ({ data }: MessageEvent<Share>) => {
  try {
    answer({ kind: 'done', result: runShare(data) });
  } catch (error) {
    answer({ kind: 'broken', message: error instanceof Error ? error.message : String(error) });
  }
});

answer({ kind: 'up' });
