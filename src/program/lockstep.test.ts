/** Tests that the threads of a warp wait for each other before the right instructions. */
import { expect, test } from 'vitest';
import { elementAt } from '../base/element-at.ts';
import { loadModule } from '../check/check.ts';
import { FunctionTable } from './function-table.ts';
import { linkKernel } from './link.ts';
import { lockstepPoints } from './lockstep.ts';

/**
 * Returns the texts of the instructions before which threads wait. If the place of an instruction is another
 * instruction, the text of that instruction is appended.
 */
function points(...body: readonly string[]): readonly string[] {
  const source = `.version 8.0\n.target sm_75\n.address_size 64\n.entry k() {
    .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>; .shared .b32 s[64];
    ${body.join('\n')}\n}`;
  const { module, report } = loadModule(source, {});
  if (module === null) throw new Error(report.diagnostics[0]?.message);
  const { entry } = linkKernel(module, new FunctionTable(module), 'k', []);
  const textAt = (at: number): string => elementAt(entry.instructions, at).text;
  return [...lockstepPoints(entry, new Set(), 'volatile')]
    .sort(([a], [b]) => a - b)
    .map(([at, place]) => (place === at ? textAt(at) : `${textAt(at)} after ${textAt(place)}`));
}

const load = 'ld.volatile.shared.u32 %r1, [%r0];';
const loadNext = 'ld.volatile.shared.u32 %r2, [%r0+4];';
const store = 'st.volatile.shared.u32 [%r0], %r1;';

test('a store after a load, and a load after a store', () => {
  expect(points(load, loadNext, store, load)).toEqual([store, load]);
});

test('an access that is not volatile counts if the other one is', () => {
  const plain = 'ld.shared.u32 %r3, [%r0];';
  expect(points(store, plain)).toEqual([plain]);
  expect(points(plain, store)).toEqual([store]);
});

test('an address that may be in shared memory counts', () => {
  const generic = 'ld.volatile.u32 %r3, [%rd0];';
  expect(points(store, generic)).toEqual([generic]);
});

test.each([
  ['only loads', [load, loadNext]],
  ['no volatile access', ['st.shared.u32 [%r0], %r1;', 'ld.shared.u32 %r1, [%r0];']],
  ['global memory', ['st.volatile.global.u32 [%rd0], %r1;', 'ld.volatile.global.u32 %r1, [%rd0];']],
  ['a barrier in between', [store, 'bar.sync 0;', load]],
  ['a loop that only waits', [store, 'L:', load, 'setp.eq.u32 %p1, %r1, 0;', '@%p1 bra L;']],
])('none: %s', (_, body) => {
  expect(points(...body)).toEqual([]);
});

test('threads converge after a branch with an access, if more accesses follow', () => {
  const branch = ['setp.eq.u32 %p1, %r2, 0;', '@%p1 bra L;', load, store, 'L:', 'add.u32 %r3, %r3, 1;'];
  expect(points(...branch)).toEqual([store]);
  expect(points(...branch, loadNext)).toEqual([store, 'add.u32 %r3, %r3, 1;', loadNext]);
});

test('threads converge after a loop that some of them leave early', () => {
  const loop = ['L:', load, store, 'add.u32 %r3, %r3, 1;', 'setp.lt.u32 %p1, %r3, %r4;', '@%p1 bra L;'];
  const next = 'add.u32 %r5, %r5, 1;';
  expect(points(...loop, next, loadNext)).toEqual([load, store, next, loadNext]);
});

test('a thread that begins another round waits for those in the middle of the loop', () => {
  const rounds = 'setp.ge.u32 %p1, %r3, %r4;';
  const skip = ['setp.eq.u32 %p2, %r5, 0;', '@%p2 bra L;', load, store, 'bra L;'];
  expect(points('L:', 'add.u32 %r3, %r3, 1;', rounds, '@%p1 bra M;', ...skip, 'M:')).toEqual([
    'add.u32 %r3, %r3, 1; after bra L;',
    load,
    store,
  ]);
});
