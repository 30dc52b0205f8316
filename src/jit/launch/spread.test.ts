import { expect, test } from 'vitest';
import { usefulWorkers } from './spread.ts';

test.each([
  { asked: 64, blocks: 1, processors: 8, workers: 1 },
  { asked: 64, blocks: 1000, processors: 8, workers: 16 },
  { asked: 64, blocks: 5, processors: 8, workers: 5 },
  { asked: 3, blocks: 1000, processors: 8, workers: 3 },
  { asked: 2, blocks: 1000, processors: 1, workers: 2 },
])(
  '$asked requested workers for $blocks blocks on $processors processors become $workers',
  ({ asked, blocks, processors, workers }) => {
    expect(usefulWorkers(asked, blocks, processors)).toBe(workers);
  },
);
