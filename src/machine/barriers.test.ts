import { expect, test } from 'vitest';
import { type Arrival, Barriers, reduced } from './barriers.ts';

const at = (thread: number, barrier: number, count: number | null, rest: Partial<Arrival> = {}): Arrival => ({
  thread,
  line: 7,
  barrier,
  internal: false,
  count,
  waits: true,
  predicate: false,
  ...rest,
});

test('a barrier opens when the last thread arrives, and can be used again', () => {
  const barriers = new Barriers(3);
  for (let round = 0; round < 2; round++) {
    expect(barriers.arrive(at(0, 0, null))).toBeNull();
    expect(barriers.arrive(at(2, 0, null))).toBeNull();
    expect(barriers.arrive(at(1, 0, null))?.threads).toEqual([0, 2, 1]);
  }
});

test('barriers of warpgroups have numbers of their own', () => {
  const barriers = new Barriers(256);
  for (let thread = 0; thread < 127; thread++)
    expect(barriers.arrive(at(thread, 1, 128, { internal: true }))).toBeNull();
  expect(barriers.arrive(at(127, 1, 128))).toBeNull();
  expect(barriers.describe()).toContain('127 of 128 at the end of products of warpgroup 1');
  expect(barriers.arrive(at(128, 1, 128, { internal: true }))?.threads.length).toBe(128);
});

test('an exiting thread may open a barrier for the others', () => {
  const barriers = new Barriers(3);
  barriers.arrive(at(0, 0, null));
  expect(barriers.exit(1)).toEqual([]);
  expect(barriers.exit(2).map(({ threads }) => threads)).toEqual([[0]]);
});

test('a thread that signals its arrival and exits counts as arrived once', () => {
  const barriers = new Barriers(3);
  barriers.arrive(at(0, 1, null, { waits: false }));
  barriers.arrive(at(1, 1, null));
  expect(barriers.exit(0)).toEqual([]);
  expect(barriers.describe()).toContain('2 of 3');
  expect(barriers.arrive(at(2, 1, null))?.threads).toEqual([1, 2]);
});

test('a barrier with a count opens for that many threads, however many others there are', () => {
  const barriers = new Barriers(128);
  for (let thread = 0; thread < 31; thread++) expect(barriers.arrive(at(thread, 3, 32))).toBeNull();
  expect(barriers.arrive(at(40, 3, 32))?.threads).toHaveLength(32);
});

test('barriers are independent of each other', () => {
  const barriers = new Barriers(2);
  expect(barriers.arrive(at(0, 0, null))).toBeNull();
  expect(barriers.arrive(at(1, 1, null))).toBeNull();
  expect(barriers.describe()).toBe('1 of 2 at barrier 0 (line 7: thread 0), 1 of 2 at barrier 1 (line 7: thread 1)');
});

test.each([
  [16, null, 'there are barriers 0 to 15'],
  [0, 0, 'a multiple of 32'],
  [0, 40, 'a multiple of 32'],
])('barrier %i for %s threads is refused', (number, count, message) => {
  expect(() => new Barriers(64).arrive(at(0, number, count))).toThrow(message);
});

test('threads at one barrier must agree on its count', () => {
  const barriers = new Barriers(128);
  barriers.arrive(at(0, 0, 32));
  expect(() => barriers.arrive(at(1, 0, 64))).toThrow('different thread counts: 32 and 64');
});

test('a thread that only arrives is counted and does not wait', () => {
  const barriers = new Barriers(128);
  for (let thread = 0; thread < 32; thread++) barriers.arrive(at(thread, 1, 64, { waits: false }));
  for (let thread = 32; thread < 63; thread++) expect(barriers.arrive(at(thread, 1, 64))).toBeNull();
  expect(barriers.arrive(at(63, 1, 64))).toMatchObject({
    come: 64,
    threads: Array.from({ length: 32 }, (_, i) => 32 + i),
  });
});

test('a count of the whole block is the same as no count', () => {
  const barriers = new Barriers(40);
  for (let thread = 0; thread < 39; thread++) barriers.arrive(at(thread, 0, null));
  expect(barriers.arrive(at(39, 0, 64))?.threads).toHaveLength(40);
});

test('a reduction counts the predicates that are true', () => {
  const barriers = new Barriers(3);
  barriers.arrive(at(0, 0, null, { predicate: true }));
  barriers.arrive(at(1, 0, null));
  const opened = barriers.arrive(at(2, 0, null, { predicate: true }));
  if (opened === null) throw new Error('still closed');
  expect((['popc', 'and', 'or'] as const).map((reduction) => reduced(reduction, opened))).toEqual([2, 0, 1]);
});
