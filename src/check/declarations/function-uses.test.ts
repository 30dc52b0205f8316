/**
 * The size of shared memory is computed for each kernel, even if its lines are identical to those of a kernel that has
 * already been checked.
 */
import { expect, test } from 'vitest';
import { check } from '../check.ts';

const body = 'st.shared.b32 [s], %r0;\nst.shared.b32 [s], %r0;\nst.shared.b32 [s], %r0;\n';
const kernel = (name: string): string => `.entry ${name}() {\n.reg .b32 %r<2>;\n${body}ret;\n}\n`;

test('a module variable counts for every kernel that names it', () => {
  const header = '.version 8.0\n.target sm_90\n.address_size 64\n.shared .align 4 .b8 s[50000];\n';
  const { diagnostics } = check(`${header}${kernel('a')}${kernel('b')}.entry c() { ret; }\n`);
  expect(diagnostics.map(({ code }) => code)).toEqual(['PTX5025', 'PTX5025']);
});
