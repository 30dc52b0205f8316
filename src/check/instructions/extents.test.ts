/** Accesses by name that extend beyond the variable, and accesses to variables whose size is not known. */
import { expect, test } from 'vitest';
import { check } from '../check.ts';

const before = `.version 9.0
.target sm_90
.address_size 64
.global .b32 word; .global .v4 .b32 vector; .global .b8 bytes[6]; .const .b64 table[] = {1, 2};
.extern .shared .b8 open[]; .extern .global .b32 elsewhere; .common .global .b32 shared;
.entry k(.param .u32 n, .param .align 8 .b8 s[16]) {
  .reg .b32 %r<5>; .reg .b64 %rd<5>; .local .b16 l;`;

function warnings(instruction: string): readonly string[] {
  return check(`${before}\n${instruction}\nret;\n}`).diagnostics.map(({ message }) => message);
}

test.each([
  ['ld.param.u64 %rd1, [n];', "ld.u64 reads bytes 0 to 7 of 'n', which has 4"],
  ['ld.param.v2.u64 {%rd1, %rd2}, [s+8];', "ld.u64 reads bytes 8 to 23 of 's', which has 16"],
  ['ld.param.u32 %r1, [s+-4];', "ld.u32 reads bytes -4 to -1 of 's', which has 16"],
  ['ld.global.u32 %r1, [bytes+4];', "ld.u32 reads bytes 4 to 7 of 'bytes', which has 6"],
  ['ld.const.b64 %rd1, [table+16];', "ld.b64 reads bytes 16 to 23 of 'table', which has 16"],
  ['st.local.u32 [l], %r1;', "st.u32 writes bytes 0 to 3 of 'l', which has 2"],
  ['atom.global.add.u64 %rd1, [word], %rd2;', "atom.u64 writes bytes 0 to 7 of 'word', which has 4"],
  ['red.global.add.u64 [word], %rd2;', "red.u64 writes bytes 0 to 7 of 'word', which has 4"],
])('%s', (instruction, warning) => {
  expect(warnings(instruction)).toEqual([warning]);
});

test.each([
  'ld.param.u32 %r1, [n];',
  'ld.param.v2.u64 {%rd1, %rd2}, [s];',
  'ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [vector];',
  'ld.global.u16 %r1, [bytes+4];',
  'ld.const.b64 %rd1, [table+8];',
  'ld.shared.u32 %r1, [open+1000];',
  'ld.global.u64 %rd1, [elsewhere];',
  'ld.global.u64 %rd1, [shared];',
  'ld.global.u64 %rd1, [%rd2+4];',
])('%s lies within the variable, or may do so', (instruction) => {
  expect(warnings(instruction)).toEqual([]);
});
