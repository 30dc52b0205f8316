/** The code of a Web Worker. Node's worker threads do not run this file; they call the same functions directly. */
import { runArrayPart } from '../jit/arrays/array-part.ts';
import { runShare } from '../jit/launch/share.ts';
import type { Answer, Question } from './browser.ts';

const answer = (message: Answer): void => self.postMessage(message);

function answerTo(question: Question): Answer {
  if (question.kind === 'share') return { kind: 'done', result: runShare(question.share) };
  runArrayPart(question.part);
  return { kind: 'converted' };
}

self.addEventListener('message', ({ data }: MessageEvent<Question>) => {
  try {
    answer(answerTo(data));
  } catch (error) {
    answer({ kind: 'broken', message: error instanceof Error ? error.message : String(error) });
  }
});

answer({ kind: 'up' });
