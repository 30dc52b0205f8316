import { expect, test } from 'vitest';
import { loopDepths } from './loop-depths.ts';

function depthsOf(successors: readonly (readonly number[])[]): readonly number[] {
  const predecessors: number[][] = successors.map(() => []);
  successors.forEach((next, from) => {
    for (const to of next) predecessors[to]?.push(from);
  });
  return loopDepths(successors, predecessors);
}

test.each<readonly [string, readonly (readonly number[])[], readonly number[]]>([
  ['no blocks', [], []],
  ['no loop', [[1, 2], [2], []], [0, 0, 0]],
  ['a block that repeats itself', [[1], [1, 2], []], [0, 1, 0]],
  ['a loop in a loop', [[1], [2], [2, 3], [1, 4], []], [0, 1, 2, 1, 0]],
  ['two loops in a loop', [[1], [1, 2], [2, 3], [0, 4], []], [1, 2, 2, 1, 0]],
  ['two ways back', [[1], [2, 3], [1], [1, 4], []], [0, 1, 1, 1, 0]],
  ['a branch inside', [[1], [2, 3], [4], [4], [1, 5], []], [0, 1, 1, 1, 1, 0]],
  ['a loop with two entries', [[1, 2], [2], [1, 3], []], [0, 1, 1, 0]],
  ['a block that nothing leads to', [[2], [1], [2]], [0, 0, 1]],
])('%s', (_, successors, depths) => {
  expect(depthsOf(successors)).toEqual(depths);
});

test('thousands of loops in each other', () => {
  const count = 5_000;
  const heads = Array.from({ length: count }, (_, i) => [i + 1]);
  const ends = Array.from({ length: count }, (_, i) => [count - 1 - i, count + i + 1]);
  const depths = depthsOf([...heads, ...ends, []]);
  expect([depths[0], depths[count - 1], depths[count], depths[2 * count - 1], depths[2 * count]]).toEqual([
    1,
    count,
    count,
    1,
    0,
  ]);
});
