/**
 * Tests that the lanes of a warp of 32 threads exchange values as specified by the pseudo-code of the ISA (sections
 * 9.7.9.6 and 9.7.13.9 to 9.7.13.12).
 */
import { describe, expect, test } from 'vitest';
import { exchange } from './exchange.ts';
import type { Member } from './member.ts';

const lanes = Array.from({ length: 32 }, (_, lane) => lane);
const warp = (values: (lane: number) => readonly number[]): readonly Member[] =>
  lanes.map((lane) => ({ lane, values: values(lane) }));

describe('shfl', () => {
  const shuffled = (mode: 'up' | 'down' | 'bfly' | 'idx', operand: number, bounds: number) =>
    exchange(
      { form: 'shfl', mode },
      warp((lane) => [100 + lane, operand, bounds]),
    );

  test('down within the warp: the last lanes are out of bounds and keep their own values', () => {
    expect(shuffled('down', 3, 31)).toEqual(lanes.map((lane) => (lane + 3 <= 31 ? [103 + lane, 1] : [100 + lane, 0])));
  });

  test('up within segments of eight: c holds segment mask 24 and clamp 0', () => {
    const expected = lanes.map((lane) => (lane % 8 >= 2 ? [98 + lane, 1] : [100 + lane, 0]));
    expect(shuffled('up', 2, 24 << 8)).toEqual(expected);
  });

  test('bfly exchanges halves', () => {
    expect(shuffled('bfly', 16, 31)).toEqual(lanes.map((lane) => [100 + (lane ^ 16), 1]));
  });

  test('idx reads one lane of each segment', () => {
    const segments = 16;
    const bounds = (segments << 8) | 15;
    expect(shuffled('idx', 5, bounds)).toEqual(lanes.map((lane) => [100 + (lane & 16) + 5, 1]));
  });

  test('a lane that reads from an absent lane receives 0', () => {
    const group = [0, 1].map((lane) => ({ lane, values: [7 + lane, 9, 31] }));
    expect(exchange({ form: 'shfl', mode: 'idx' }, group)).toEqual([
      [0, 1],
      [0, 1],
    ]);
  });
});

describe('vote, match, redux, elect', () => {
  const even = warp((lane) => [lane % 2 === 0 ? 1 : 0]);

  test('votes', () => {
    expect(exchange({ form: 'vote', mode: 'ballot' }, even)[7]).toEqual([0x5555_5555]);
    expect(exchange({ form: 'vote', mode: 'all' }, even)[0]).toEqual([0]);
    expect(exchange({ form: 'vote', mode: 'any' }, even)[0]).toEqual([1]);
    expect(exchange({ form: 'vote', mode: 'uni' }, even)[0]).toEqual([0]);
    expect(
      exchange(
        { form: 'vote', mode: 'uni' },
        warp(() => [0]),
      )[0],
    ).toEqual([1]);
  });

  test('match.any finds the lanes with the same value; match.all finds all lanes or none', () => {
    const values = warp((lane) => [lane % 4]);
    expect(exchange({ form: 'match', mode: 'any', width: 32 }, values)[6]).toEqual([0x4444_4444]);
    expect(exchange({ form: 'match', mode: 'all', width: 32 }, values)[6]).toEqual([0, 0]);
    expect(
      exchange(
        { form: 'match', mode: 'all', width: 32 },
        warp(() => [5]),
      )[6],
    ).toEqual([0xffff_ffff, 1]);
  });

  test('redux wraps sums and treats signed values as signed', () => {
    const values = warp((lane) => [lane === 3 ? 0xffff_fff0 : lane]);
    expect(exchange({ form: 'redux', op: 'add', type: 'u32' }, values)[0]).toEqual([496 - 3 - 16]);
    expect(exchange({ form: 'redux', op: 'min', type: 's32' }, values)[0]).toEqual([0xffff_fff0]);
    expect(exchange({ form: 'redux', op: 'max', type: 'u32' }, values)[0]).toEqual([0xffff_fff0]);
    expect(exchange({ form: 'redux', op: 'max', type: 's32' }, values)[0]).toEqual([31]);
    expect(
      exchange(
        { form: 'redux', op: 'xor', type: 'b32' },
        warp((lane) => [1 << (lane % 2)]),
      )[0],
    ).toEqual([0]);
  });

  test('elect chooses the lowest lane of the group', () => {
    const group = [4, 9].map((lane) => ({ lane, values: [] }));
    expect(exchange({ form: 'elect' }, group)).toEqual([
      [4, 1],
      [4, 0],
    ]);
  });
});
