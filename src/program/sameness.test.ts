/**
 * Tests which groups of threads are known to have the same value in a register. The values come from special registers,
 * memory and votes, and pass through arithmetic and guarded instructions.
 */
import { expect, test } from 'vitest';
import { loadModule } from '../check/check.ts';
import { FunctionTable } from './function-table.ts';
import { linkKernel } from './link.ts';
import { samenessOfRegisters } from './sameness.ts';

function samenessIn(body: string, hasLocal = false): Readonly<Record<string, string>> {
  const source = `.version 8.0\n.target sm_80\n.address_size 64\n.func (.reg .b32 %f) callee() { mov.u32 %f, 0; ret; }
.entry k(.param .u64 p) { .reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>; .shared .b32 s;\n${body}\n}`;
  const { module, report } = loadModule(source, {});
  if (module === null) throw new Error(report.diagnostics[0]?.message);
  const { entry } = linkKernel(module, new FunctionTable(module), 'k', []);
  const found = samenessOfRegisters(entry, hasLocal);
  return Object.fromEntries(entry.registers.map(({ name, place }) => [name, found.get(place) ?? '?']));
}

const loadPointer = 'ld.param.u64 %rd1, [p];';

test.each([
  ['mov.u32 %r1, %ctaid.x;', 'block'],
  ['mov.u32 %r1, %tid.x;', 'thread'],
  ['mov.u32 %r1, %nctaid.x;', 'grid'],
  ['mov.u32 %r1, %ctaid.x; add.u32 %r2, %r1, 4; mov.u32 %r1, %r2;', 'block'],
  [`${loadPointer} ld.global.u32 %r1, [%rd1];`, 'grid'],
  [`${loadPointer} ld.volatile.global.u32 %r1, [%rd1];`, 'thread'],
  [`${loadPointer} ld.u32 %r1, [%rd1];`, 'block'],
  ['ld.shared.u32 %r1, [s];', 'block'],
  ['atom.shared.add.u32 %r1, [s], 1;', 'thread'],
  ['mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 3; vote.sync.ballot.b32 %r1, %p1, -1;', 'warp'],
  ['mov.u32 %r2, %tid.x; mov.u32 %r3, %tid.x; redux.sync.add.s32 %r1, %r2, %r3;', 'thread'],
  ['mov.u32 %r2, %tid.x; match.any.sync.b32 %r1, %r2, -1;', 'thread'],
  ['mov.u32 %r2, 3; match.any.sync.b32 %r1, %r2, -1;', 'warp'],
  ['mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 3; @%p1 mov.u32 %r1, 1;', 'thread'],
  ['mov.u32 %r2, %tid.x; setp.eq.u32 %p1, %r2, 3; bar.red.popc.u32 %r1, 0, %p1;', 'block'],
  ['call (%r1), callee;', 'thread'],
])('%s leaves %%r1 the same for the %s', (body, sameness) => {
  expect(samenessIn(`${body} ret;`)['%r1']).toBe(sameness);
});

test('a generic address may point to local memory, which is private to a thread', () => {
  expect(samenessIn(`${loadPointer} ld.u32 %r1, [%rd1]; ret;`, true)['%r1']).toBe('thread');
});
