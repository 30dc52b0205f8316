/**
 * Control flow of small kernels: blocks, regions between barriers, loops and joins, and the registers that are live at
 * the start of a region.
 */
import { expect, test } from 'vitest';
import { loadModule } from '../check/check.ts';
import { blocksOf } from './flow.ts';
import type { FunctionProgram } from './function-program.ts';
import { FunctionTable } from './function-table.ts';
import { linkKernel } from './link.ts';
import { liveness } from './liveness.ts';
import { regionsOf } from './regions.ts';

function program(body: string): FunctionProgram {
  const source = `.version 8.0\n.target sm_80\n.address_size 64\n.entry k() {
    .reg .pred %p<4>; .reg .b32 %r<8>;\n${body}\n}`;
  const { module, report } = loadModule(source, {});
  if (module === null) throw new Error(report.diagnostics[0]?.message);
  return linkKernel(module, new FunctionTable(module), 'k', []).entry;
}

function liveNames(fn: FunctionProgram, block: number): readonly string[] {
  const live = liveness(fn, blocksOf(fn)).at(block);
  return live.map((place) => fn.registers.find((register) => register.place === place)?.name ?? '?');
}

test('a guarded branch over an instruction creates a join of two paths', () => {
  const fn = program('setp.eq.u32 %p1, %r1, 0; @%p1 bra L; add.u32 %r2, %r1, 1; L: mov.u32 %r3, %r2; ret;');
  const blocks = blocksOf(fn);
  expect(blocks.map(({ exit }) => exit)).toEqual([
    { kind: 'branch', target: 2, next: 1 },
    { kind: 'next', next: 2 },
    { kind: 'end', next: null },
    { kind: 'end', next: null },
  ]);
  const [region] = regionsOf(blocks);
  expect(region).toMatchObject({ entry: 0, order: [0, 1, 2], reducible: true });
  expect([...(region?.joins ?? [])]).toEqual([2]);
  expect(region?.children.get(0)).toEqual([1, 2]);
  expect(liveNames(fn, 0)).toEqual(['%r1', '%r2']);
});

test('a loop is the target of a backward branch, and reads what it wrote in the previous round', () => {
  const fn = program('mov.u32 %r1, 0; L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L; ret;');
  const [region] = regionsOf(blocksOf(fn));
  expect([...(region?.loops ?? [])]).toEqual([1]);
  expect(region?.reducible).toBe(true);
  expect(liveNames(fn, 0)).toEqual([]);
  expect(liveNames(fn, 1)).toEqual(['%r1']);
});

test('a function that begins with a loop starts with a separate block, so that entry and loop have different predecessors', () => {
  const fn = program('L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L; ret;');
  expect(blocksOf(fn)[0]).toEqual({ start: 0, end: 0, exit: { kind: 'next', next: 1 } });
  expect([...(regionsOf(blocksOf(fn))[0]?.loops ?? [])]).toEqual([1]);
});

test('a barrier in a loop makes a second region, which leads back to the first', () => {
  const fn = program('L: add.u32 %r1, %r1, 1; bar.sync 0; setp.lt.u32 %p1, %r1, %r2; @%p1 bra L; ret;');
  const regions = regionsOf(blocksOf(fn));
  expect(regions.map(({ entry, order }) => ({ entry, order }))).toEqual([
    { entry: 0, order: [0, 1] },
    { entry: 2, order: [2, 3, 1] },
  ]);
  expect(liveNames(fn, 2).toSorted()).toEqual(['%r1', '%r2']);
});

test('a register is still live before a guarded write to it', () => {
  const fn = program('@%p1 mov.u32 %r1, 1; mov.u32 %r2, %r1; ret;');
  expect(liveNames(fn, 0).toSorted()).toEqual(['%p1', '%r1']);
});

test('a branch into the middle of a loop makes a region irreducible', () => {
  const fn = program('@%p1 bra B; A: add.u32 %r1, %r1, 1; B: add.u32 %r2, %r2, 1; @%p2 bra A; ret;');
  expect(regionsOf(blocksOf(fn))[0]?.reducible).toBe(false);
});
