/** Tests, on both engines, values that are not held in ordinary registers: 128-bit values, and the condition code. */
import { describe, expect, test } from 'vitest';
import { output } from '../device/run.ts';

const start = `.reg .b128 %q<6>; .reg .pred %c; mov.u32 %r1, %tid.x; mad.lo.u32 %r2, %r1, 0x01010101, 77;
  cvt.u64.u32 %rd2, %r2; mul.lo.u64 %rd3, %rd2, 0x123456789abcdef1; not.b64 %rd4, %rd3;
  ld.param.u64 %rd1, [out]; mad.wide.u32 %rd1, %r1, 16, %rd1;`;

describe('are the same on both engines', () => {
  test.each([
    ['packed, copied and taken apart', 'mov.b128 %q1, {%rd3, %rd4}; mov.b128 %q2, %q1; mov.b128 {%rd5, %rd6}, %q2;'],
    ['in words', 'mov.b128 %q1, {%r1, %r2, %r2, 5}; mov.b128 {%r3, %r4, %r5, %r6}, %q1; mov.b64 %rd5, {%r4, %r6};'],
    ['kept while a thread waits', 'mov.b128 %q1, {%rd3, %rd4}; bar.sync 0; mov.b128 {%rd5, %rd6}, %q1;'],
    ['zero before it is written', 'mov.b128 {%rd5, %rd6}, %q3;'],
    [
      'written only if a predicate holds',
      'setp.gt.u32 %c, %r1, 5; mov.b128 %q1, {%rd3, %rd4}; @%c mov.b128 %q1, {%rd4, %rd3}; mov.b128 {%rd5, %rd6}, %q1;',
    ],
    [
      'through shared memory',
      `.shared .align 16 .b8 s[1024]; mov.b128 %q1, {%rd3, %rd4}; mov.u32 %r3, s; mad.lo.u32 %r3, %r1, 16, %r3;
       st.shared.b128 [%r3], %q1; ld.shared.b64 %rd5, [%r3+8]; ld.shared.b128 %q2, [%r3]; mov.b128 {%rd6, %rd7}, %q2;`,
    ],
    [
      'exchanged with memory',
      'st.global.v2.b64 [%rd1], {%rd3, %rd4}; mov.b128 %q1, {%rd4, %rd2}; atom.global.exch.b128 %q2, [%rd1], %q1; mov.b128 {%rd5, %rd6}, %q2; ld.global.b64 %rd7, [%rd1+8]; add.u64 %rd5, %rd5, %rd7;',
    ],
    [
      'exchanged with memory if the values are equal',
      `st.global.v2.b64 [%rd1], {%rd3, %rd4}; and.b32 %r3, %r1, 1; cvt.u64.u32 %rd8, %r3; add.u64 %rd8, %rd4, %rd8;
       mov.b128 %q1, {%rd3, %rd8}; mov.b128 %q2, {%rd2, %rd3}; atom.global.cas.b128 %q3, [%rd1], %q1, %q2;
       mov.b128 {%rd5, %rd6}, %q3; ld.global.b64 %rd7, [%rd1+8]; add.u64 %rd5, %rd5, %rd7;`,
    ],
    ['a carry from one instruction to the next', 'add.cc.u64 %rd5, %rd3, %rd3; addc.u64 %rd6, %rd4, %rd4;'],
    [
      'a carry kept while a thread waits',
      'add.cc.u64 %rd5, %rd3, %rd3; bar.sync 0; addc.cc.u64 %rd6, %rd4, %rd4; bar.sync 0; addc.u64 %rd5, %rd5, 7;',
    ],
  ])('%s', async (_, body) => {
    const source = { body: `${start} ${body} st.global.v2.b64 [%rd1], {%rd5, %rd6};` };
    const run = (engine: 'interp' | 'jit') => output(source, 1024, { block: 64, engine, uninitialized: 'zero' });
    const found = await run('jit');
    expect(found).toEqual(await run('interp'));
  });
});
