/** Short branches over cheap instructions become guards, so that threads in lockstep do not diverge. */
import { expect, test } from 'vitest';
import { loadModule } from '../check/check.ts';
import { FunctionTable } from './function-table.ts';
import { convertBranches } from './if-conversion.ts';
import { linkKernel } from './link.ts';
import { varyingPlaces } from './varying.ts';

/** Returns the instructions of a kernel after the conversion, each with its guard; the operands are left out. */
function converted(body: string): readonly string[] {
  const source = `.version 8.0\n.target sm_80\n.address_size 64\n.entry k() {
    .reg .pred %p, %q; .reg .b32 %r<9>; .reg .f32 %f<4>; .reg .b64 %d<4>;
    mov.u32 %r1, %tid.x; setp.gt.u32 %p, %r1, 5;\n${body}\nret; }`;
  const { module, report } = loadModule(source, {});
  if (module === null) throw new Error(report.diagnostics[0]?.message);
  const { entry } = linkKernel(module, new FunctionTable(module), 'k', []);
  const { instructions } = convertBranches(entry, varyingPlaces(entry, false));
  return instructions.slice(2, -1).map(({ guard, steps, variant }) => {
    const sign = guard === null ? '' : `${guard.negated ? '@!' : '@'}p `;
    return sign + (steps.length === 0 ? 'nothing' : variant.mnemonic);
  });
}

test.each([
  ['a side', '@%p bra L; add.u32 %r2, %r2, 1; L:', ['@p nothing', '@!p add.u32']],
  ['a negated condition', '@!%p bra L; add.u32 %r2, %r2, 1; L:', ['@!p nothing', '@p add.u32']],
  [
    'two sides',
    '@%p bra E; add.u32 %r2, %r2, 1; bra.uni L; E: sub.u32 %r2, %r2, 1; L:',
    ['@p nothing', '@!p add.u32', '@!p nothing', '@p sub.u32'],
  ],
  [
    'jumps to the next instruction, as nvcc writes them',
    '@%p bra L; bra.uni M; M: add.u32 %r2, %r2, 1; L:',
    ['@p nothing', '@!p nothing', '@!p add.u32'],
  ],
  ['an empty side', '@%p bra L; L: add.u32 %r2, %r2, 1;', ['@p bra', 'add.u32']],
  ['a store', '@%p bra L; st.global.u32 [%d1], %r2; L:', ['@p nothing', '@!p st.global.u32']],
  ['a load', '@%p bra L; ld.global.u32 %r2, [%d1]; L:', ['@p nothing', '@!p ld.global.u32']],
  ['a volatile load', '@%p bra L; ld.volatile.global.u32 %r2, [%d1]; L:', ['@p bra', 'ld.volatile.global.u32']],
  ['an atomic operation', '@%p bra L; red.global.add.u32 [%d1], 1; L:', ['@p bra', 'red.global.add.u32']],
  ['a division', '@%p bra L; div.u32 %r2, %r2, %r1; L:', ['@p bra', 'div.u32']],
  ['a special register', '@%p bra L; mov.u32 %r2, %clock; L:', ['@p bra', 'mov.u32']],
  ['an instruction that has a guard', '@%p bra L; @%q add.u32 %r2, %r2, 1; L:', ['@p bra', '@p add.u32']],
  ['an instruction that changes the condition', '@%p bra L; setp.eq.u32 %p, %r1, 1; L:', ['@p bra', 'setp.eq.u32']],
  ['a jump into the side', 'bra M; @%p bra L; M: add.u32 %r2, %r2, 1; L:', ['bra', '@p bra', 'add.u32']],
  ['a loop', 'L: add.u32 %r2, %r2, 1; @%p bra L;', ['add.u32', '@p bra']],
  [
    'a condition that is the same for all threads',
    'setp.eq.u32 %q, %r3, 0; @%q bra L; add.u32 %r2, %r2, 1; L:',
    ['setp.eq.u32', '@p bra', 'add.u32'],
  ],
])('%s', (_, body, expected) => {
  expect(converted(body)).toEqual(expected);
});

test('more than four accesses', () => {
  const side = (count: number): readonly string[] => converted(`@%p bra L; ${'st.u32 [%d1], %r2;'.repeat(count)} L:`);
  expect(side(4)[0]).toBe('@p nothing');
  expect(side(5)[0]).toBe('@p bra');
});

test('more than eight instructions', () => {
  const side = (count: number): readonly string[] => converted(`@%p bra L; ${'add.u32 %r2, %r2, 1;'.repeat(count)} L:`);
  expect(side(8)[0]).toBe('@p nothing');
  expect(side(9)[0]).toBe('@p bra');
});
