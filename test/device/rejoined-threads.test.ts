/**
 * Tests threads that run four at a time, diverge, run alone for a while, and continue together. Memory must be the same
 * as on the reference engine, and as if each thread had run alone from the start.
 */
import { describe, expect, test } from 'vitest';
import type { LaunchOptions } from '../../src/device.ts';
import { outcome } from './run.ts';

const start = `.reg .f32 %x<4>; .reg .b32 %c<8>; .shared .b32 s[64]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x;
  mad.lo.u32 %r3, %r2, 64, %r1; ld.param.u64 %rd1, [out]; mul.wide.u32 %rd2, %r3, 4; add.u64 %rd1, %rd1, %rd2;
  mul.lo.u32 %r4, %r3, 0x9e3779b1; shr.u32 %r5, %r4, 28; and.b32 %r6, %r5, 1; setp.eq.u32 %p1, %r6, 0; mov.u32 %r7, 0;`;

/** Instructions that change %r7. There are enough of them for threads to benefit from continuing together. */
const work = (count = 30): string =>
  Array.from({ length: count }, (_, i) => `mad.lo.u32 %r7, %r7, ${2 * i + 3}, %r5;`).join(' ');

/** A loop with a uniform number of iterations. */
const loop = (label: string, rounds: number, body: string): string =>
  `mov.u32 %c0, 0; ${label}: ${body} add.u32 %c0, %c0, 1; setp.lt.u32 %p3, %c0, ${rounds}; @%p3 bra ${label};`;

/** A side of a branch that is too long to be run by all threads. */
const long = (register: string): string => `add.u32 ${register}, ${register}, 5; `.repeat(10);

const end = 'st.global.u32 [%rd1], %r7;';

const bodies: readonly (readonly [name: string, body: string])[] = [
  ['a branch', `@%p1 bra L; ${long('%r7')} L: ${work()}`],
  ['a branch after a barrier', `mov.u32 %r7, %r4; bar.sync 0; @%p1 bra L; ${long('%r7')} L: ${work()}`],
  ['two sides', `@%p1 bra L; ${long('%r7')} bra E; L: ${long('%r5')} E: ${work()}`],
  [
    'a value that is the same on each path',
    `@%p1 bra L; mov.u32 %c1, 7; ${long('%r7')} bra E; L: mov.u32 %c1, 9; ${long('%r7')} E: ${work()}
     add.u32 %r7, %r7, %c1; setp.eq.u32 %p2, %c1, 7; @%p2 bra M; ${long('%r7')} M: ${work()}`,
  ],
  [
    'a number of iterations that is counted',
    `mov.u32 %c1, 0; I: add.u32 %c1, %c1, 1; ${long('%r7')} setp.lt.u32 %p2, %c1, %r5; @%p2 bra I; ${work()}
     mad.lo.u32 %r7, %c1, 77, %r7;`,
  ],
  [
    'a branch in a loop',
    loop(
      'O',
      50,
      `xor.b32 %r5, %r5, %c0; and.b32 %c2, %r5, 3; setp.eq.u32 %p2, %c2, 0; @%p2 bra L; ${long('%r7')} L: ${work()}`,
    ),
  ],
  [
    'a loop in a loop',
    loop(
      'O',
      9,
      `and.b32 %c3, %r7, 7; I: add.u32 %c3, %c3, 1; ${long('%r7')} setp.lt.u32 %p2, %c3, %r5; @%p2 bra I; ${work()}`,
    ),
  ],
  [
    'a loop whose first instruction is where they continue',
    `mov.u32 %c0, 0; O: add.u32 %c0, %c0, 1; setp.eq.u32 %p3, %c0, 20; @%p3 bra E; ${work()} and.b32 %c2, %r7, 1;
     setp.eq.u32 %p2, %c2, 0; @%p2 bra O; ${long('%r7')} bra O; E:`,
  ],
  [
    'a switch',
    loop(
      'O',
      9,
      `rem.u32 %c2, %r7, 3; t: .branchtargets A, B, C; brx.idx %c2, t; A: ${long('%r7')} bra E; B: ${long('%r5')} bra E;
     C: add.u32 %r7, %r7, %c0; E: ${work()}`,
    ),
  ],
  [
    'an atomic operation',
    loop('O', 9, `@%p1 red.global.add.u32 [%rd1], %r7; ${work()}`).concat(
      ' ld.global.u32 %c4, [%rd1]; add.u32 %r7, %r7, %c4;',
    ),
  ],
  [
    'a barrier afterward',
    loop(
      'O',
      9,
      `@%p1 bra L; ${long('%r7')} L: ${work()} mov.u32 %c4, s; mad.lo.u32 %c4, %r1, 4, %c4; bar.sync 0; st.shared.u32 [%c4], %r7;
     bar.sync 0; xor.b32 %c5, %r1, 5; mov.u32 %c4, s; mad.lo.u32 %c4, %c5, 4, %c4; ld.shared.u32 %r7, [%c4];`,
    ),
  ],
  [
    'a shuffle afterward',
    loop('O', 9, `@%p1 bra L; ${long('%r7')} L: ${work()} shfl.sync.bfly.b32 %r7, %r7, 3, 31, -1;`),
  ],
  [
    'many places where they diverge for good',
    loop(
      'O',
      9,
      [3, 5, 7, 9, 11]
        .map(
          (at) => `mad.lo.u32 %r7, %r7, ${at}, %r5; and.b32 %c2, %r7, ${at}; setp.eq.u32 %p2, %c2, ${at}; @%p2 bra E;`,
        )
        .join(' '),
    ).concat(' E: add.u32 %r7, %r7, %c0;'),
  ],
  [
    'many places in loops in a loop',
    loop(
      'O',
      9,
      [3, 5, 7, 9, 11]
        .map(
          (at) =>
            `L${at}: mad.lo.u32 %r7, %r7, ${at}, %r5; and.b32 %c2, %r7, ${at}; setp.eq.u32 %p2, %c2, ${at}; @%p2 bra L${at}; @%p1 bra M${at}; ${long('%r7')} M${at}:`,
        )
        .join(' '),
    ).concat(' bar.sync 0;'),
  ],
  [
    '64-bit registers',
    `cvt.u64.u32 %rd4, %r4; mov.u64 %rd5, 3; @%p1 bra L; ${long('%r7')} mul.lo.u64 %rd5, %rd4, %rd4; add.u64 %rd4, %rd4, 1; L: ${work()}
     add.u64 %rd6, %rd4, %rd5; cvt.u32.u64 %r8, %rd6; shr.u64 %rd6, %rd6, 32; cvt.u32.u64 %r9, %rd6; xor.b32 %r7, %r7, %r8; add.u32 %r7, %r7, %r9;`,
  ],
  [
    'threads that diverge so often that they give up',
    loop(
      'O',
      3000,
      `mad.lo.u32 %r5, %r5, 13, %c0; and.b32 %c2, %r5, 64; setp.eq.u32 %p2, %c2, 0; @%p2 bra L; ${long('%r7')} L: ${work(18)}`,
    ),
  ],
];

const others: Readonly<Record<string, LaunchOptions>> = {
  'one thread at a time': { engine: 'jit', simd: false },
  'the reference engine': { engine: 'interp' },
  'two workers': { engine: 'jit', simd: true, workers: 2 },
};

describe.each(bodies)('%s', (_, body) => {
  const source = { body: `${start} ${body} ${end}` };
  const run = async (options: LaunchOptions): Promise<readonly number[]> => {
    const { words, result } = await outcome(source, 512, { grid: 2, block: 64, uninitialized: 'zero', ...options });
    expect(result).toMatchObject({ ok: true });
    return [result.stats.instructions, ...words];
  };

  test.each(Object.entries(others))('gives the results of %s', async (_way, other) => {
    const together = await run({ engine: 'jit', simd: true });
    expect(new Set(together).size).toBeGreaterThan(8);
    expect(together).toEqual(await run(other));
  });
});
