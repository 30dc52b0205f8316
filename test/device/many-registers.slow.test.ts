/**
 * Tests kernels with more live registers than a region has locals for. Each kernel assigns different values to hundreds
 * of registers of several widths, and adds up these values after some other code.
 */
import { describe, expect, test } from 'vitest';
import type { LaunchOptions } from '../../src/device.ts';
import { output, ways } from './run.ts';

const count = 300;

function each(line: (i: number) => string): string {
  return Array.from({ length: count }, (_, i) => line(i)).join('\n');
}

const declarations = `.reg .pred %q<${count}>; .reg .b32 %w<${count}>; .reg .b64 %d<${count}>; .reg .b128 %o<4>;`;

/** Every value depends on the thread, except for the words with an odd index. */
const assignments = each(
  (i) =>
    `setp.${i % 3 === 0 ? 'lt' : 'ge'}.u32 %q${i}, %r1, ${i % 37};
${i % 2 === 0 ? `add.u32 %w${i}, %r1, ${i};` : `mov.u32 %w${i}, ${i};`}
mad.wide.u32 %d${i}, %r1, ${i}, 0x100000000;`,
);

/** A kernel with many guards that depend on the thread runs one thread at a time; a kernel without guards runs four. */
const guards = { 'guards that depend on the thread': (i: number) => `@%q${i}`, 'no guards': () => '' } as const;

const between = {
  nothing: '',
  'a wide value': 'mov.b128 %o0, {%d1, %d2}; mov.b128 {%rd2, %rd3}, %o0;',
  'a barrier': 'bar.sync 0;',
  'a shuffle': 'shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;',
  'a call': 'call (%r2), twice, (%r1);',
  'a branch that some threads take': 'setp.lt.u32 %p1, %r1, 5; @%p1 bra L; add.u32 %r2, %r2, 100; L:',
  'a loop': 'L: add.u32 %r2, %r2, 7; setp.lt.u32 %p1, %r2, 50; @%p1 bra L;',
} as const;

const twice = '.func (.reg .b32 v) twice(.reg .b32 a) { add.u32 v, a, a; ret; }';

const body = (middle: string, guard: (i: number) => string): string => `${declarations}
mov.u32 %r1, %tid.x; mov.u32 %r2, 1; mov.u64 %rd2, 0;
.shared .align 4 .b32 own[32]; mov.u32 %r5, own; mad.lo.u32 %r5, %r1, 4, %r5; st.shared.u32 [%r5], %r1;
${assignments}
${middle}
${each((i) => `${guard(i)} add.u32 %r2, %r2, %w${i};\nadd.u64 %rd2, %rd2, %d${i};`)}
ld.shared.u32 %r6, [%r5]; mad.lo.u32 %r2, %r6, 1000, %r2;
cvt.u32.u64 %r3, %rd2; shr.u64 %rd2, %rd2, 32; cvt.u32.u64 %r4, %rd2; add.u32 %r3, %r3, %r4; add.u32 %r2, %r2, %r3;
ld.param.u64 %rd1, [out]; mad.wide.u32 %rd1, %r1, 4, %rd1; st.global.u32 [%rd1], %r2;`;

describe.each(Object.entries(guards))('%s', (_, guard) => {
  test.each(Object.entries(between))('%s between writes and reads', async (__, middle) => {
    const source = { module: twice, body: body(middle, guard) };
    const launch = (options: LaunchOptions): Promise<readonly number[]> =>
      output(source, 4 * 32, { block: 32, ...options });
    const expected = await launch({ engine: 'interp' });
    expect(new Set(expected).size).toBe(32);
    for (const options of Object.values(ways)) expect(await launch(options)).toEqual(expected);
  });
});
