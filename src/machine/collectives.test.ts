import { describe, expect, test } from 'vitest';
import { Collectives } from './collectives.ts';

const lanes = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

/**
 * Makes threads arrive at an instruction without a mask, one after another, and returns the groups that become
 * complete.
 */
function arrive(collectives: Collectives, threads: readonly number[], place = [7]): readonly (readonly number[])[] {
  return threads.flatMap((thread) => {
    const group = collectives.arrive({ thread, line: 1 }, 'activemask', null, place);
    return group === null ? [] : [group];
  });
}

describe('a group without a mask', () => {
  test('is complete as soon as all threads of the warp have arrived', () => {
    const collectives = new Collectives(64);
    expect(arrive(collectives, lanes(32, 63))).toEqual([]);
    expect(arrive(collectives, [63])).toEqual([lanes(32, 64)]);
    expect(collectives.settle()).toBeNull();
  });

  test('does not wait for threads that have exited, or that the block does not have', () => {
    const collectives = new Collectives(40);
    expect(collectives.exit(33)).toEqual([]);
    expect(arrive(collectives, [32, ...lanes(34, 40)])).toEqual([[32, ...lanes(34, 40)]]);
  });

  test('is complete when the last thread that could still arrive exits', () => {
    const collectives = new Collectives(32);
    arrive(collectives, lanes(0, 31));
    expect(collectives.exit(31)).toEqual([lanes(0, 31)]);
  });

  test('otherwise goes on when no thread can run, in the order of the positions', () => {
    const collectives = new Collectives(32);
    arrive(collectives, lanes(0, 16), [9]);
    arrive(collectives, lanes(16, 31), [7]);
    expect(collectives.settle()).toEqual(lanes(16, 31));
    expect(collectives.settle()).toEqual(lanes(0, 16));
  });

  test('contains only threads that arrived through the same calls, and goes on in the order of these calls', () => {
    const collectives = new Collectives(32);
    const places = [[5], [4, 20], [3, 30], [3, 20], [3, 9, 20], [4, 20, 20]];
    places.forEach((place, i) => arrive(collectives, lanes(5 * i, 5 * i + 5), place));
    const order = places.map(() => (collectives.settle()?.[0] ?? -1) / 5);
    expect(order).toEqual([4, 3, 2, 1, 5, 0]);
  });
});
