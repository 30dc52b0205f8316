/** Tests code that threads can enter at several blocks. */
import { describe, expect, test } from 'vitest';
import { elementAt } from '../base/element-at.ts';
import { withCommonEntry } from './common-entry.ts';
import type { BasicBlock } from './flow.ts';
import { regionFrom } from './regions.ts';

/**
 * Blocks of one instruction each. A block with two successors branches to the first one; a block without successors
 * ends the thread.
 */
function blocksWith(successors: readonly (readonly number[])[]): readonly BasicBlock[] {
  return successors.map(([first, second], start): BasicBlock => {
    const place = { start, end: start + 1 };
    if (first === undefined) return { ...place, exit: { kind: 'end', next: null } };
    if (second === undefined) return { ...place, exit: { kind: 'next', next: first } };
    return { ...place, exit: { kind: 'branch', target: first, next: second } };
  });
}

/** A loop from 1 to 6 around a loop from 2 to 4, with two ways out. */
const nested = blocksWith([[1], [2], [3, 6], [4, 7], [2, 5], [6], [1, 7], []]);

const cases: readonly (readonly [name: string, entries: readonly number[], copied: readonly number[]])[] = [
  ['outside of loops', [0, 7], []],
  ['the first block of the outer loop', [1], [1, 2, 3, 4, 5, 6]],
  ['the outer loop', [5, 6], [5, 6]],
  ['the inner loop', [4], [2, 3, 4, 4, 5, 6]],
  ['both loops', [3, 6], [2, 3, 3, 4, 4, 5, 6]],
];

describe.each(cases)('%s', (_, entries, copied) => {
  const common = withCommonEntry(nested, entries);
  const blocks = common?.blocks ?? [];
  const entry = common?.entry ?? -1;
  const originalOf = (block: number): number => elementAt(blocks, block).start;

  test('loops are entered only at their first blocks', () => {
    expect(regionFrom(blocks, entry).reducible).toBe(true);
  });

  test('threads take the same paths', () => {
    const { order, next } = regionFrom(blocks, entry);
    expect(next(entry).map(originalOf)).toEqual(entries);
    const original = regionFrom(nested, 0);
    for (const block of order.filter((one) => one !== entry))
      expect(next(block).map(originalOf)).toEqual(original.next(originalOf(block)));
  });

  test('only what is left of an iteration is copied', () => {
    const copies = blocks.slice(nested.length, -1).map(({ start }) => start);
    expect(copies.toSorted((a, b) => a - b)).toEqual(copied);
  });
});

test('not if a loop can already be entered at two blocks', () => {
  const blocks = blocksWith([[1, 2], [2], [1, 3], []]);
  expect(withCommonEntry(blocks, [1, 2])).toBe(null);
});
