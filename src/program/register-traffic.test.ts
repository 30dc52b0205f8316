/**
 * Tests which registers the code of a region loads and stores. Each test kernel is short and has a barrier before the
 * code under test.
 */
import { describe, expect, test } from 'vitest';
import { loadModule } from '../check/check.ts';
import { blocksOf } from './flow.ts';
import { FunctionTable } from './function-table.ts';
import { linkKernel } from './link.ts';
import { liveness } from './liveness.ts';
import { regionsOf } from './regions.ts';
import { TrafficAnalysis } from './register-traffic.ts';

/**
 * Analyzes the region after the kernel's only barrier. Returns the registers that it loads, by block, and the registers
 * that it has changed when it stops or ends.
 */
function traffic(before: string, behind: string) {
  const source = `.version 8.0\n.target sm_80\n.address_size 64\n.entry k() {
    .reg .pred %p<4>; .reg .b32 %a, %b, %c, %i;\n${before} bar.sync 0; ${behind}\n}`;
  const { module, report } = loadModule(source, {});
  if (module === null) throw new Error(report.diagnostics[0]?.message);
  const program = linkKernel(module, new FunctionTable(module), 'k', []).entry;
  const blocks = blocksOf(program);
  const live = liveness(program, blocks);
  const stop = blocks.findIndex(({ exit }) => exit.kind === 'park');
  const region = regionsOf(blocks).find(({ entry }) => entry === stop + 1);
  if (region === undefined) throw new Error('no region after the barrier');
  const kept = live.at(region.entry);
  const found = new TrafficAnalysis(program, blocks, live, kept).of(region, []);
  const names = (places: readonly number[]): string =>
    places
      .map((place) => program.registers.find((register) => register.place === place)?.name ?? '?')
      .toSorted()
      .join(' ');
  const named = (taken: ReadonlyMap<number, readonly number[]>): Readonly<Record<number, string>> =>
    Object.fromEntries([...taken].map(([block, places]) => [block - stop - 1, names(places)]));
  return {
    entry: names(found.atEntry),
    starts: named(found.atStart),
    loops: named(found.beforeLoop),
    changed: names(found.changedAfter(region.order.at(-1) ?? -1, region.entry)),
  };
}

describe('registers are loaded', () => {
  test('where they are first read; registers that are never read stay in the frame', () => {
    const found = traffic('', 'add.u32 %a, %b, 1; @%p1 bra L; add.u32 %c, %c, %a; L: st.shared.b32 [%i], %c; ret;');
    expect(found).toEqual({ entry: '', starts: { 0: '%b %c %p1', 2: '%i' }, loops: {}, changed: '%c' });
  });

  test('before a loop that reads them', () => {
    const found = traffic('', 'mov.u32 %i, 0; L: add.u32 %i, %i, %b; setp.lt.u32 %p1, %i, 9; @%p1 bra L; ret;');
    expect(found.loops).toEqual({ 1: '%b' });
  });

  test('before a branch if only one path changes them', () => {
    const found = traffic('', '@%p1 bra L; mov.u32 %a, 1; L: st.shared.b32 [%i], %a; ret;');
    expect(found.starts).toEqual({ 0: '%a %p1', 2: '%i' });
  });

  test('before a loop if only one path in it changes them', () => {
    const body = 'L: @%p2 bra M; mov.u32 %a, 1; M: @%p1 bra L; st.shared.b32 [%i], %a; ret;';
    expect(traffic('', body).loops).toEqual({ 1: '%a %p1 %p2' });
  });

  test('under a guard, because the old value may remain', () => {
    expect(traffic('', '@%p1 mov.u32 %a, 1; st.shared.b32 [%i], %a; ret;').starts).toEqual({ 0: '%a %i %p1' });
  });

  test('immediately if loops are not properly nested', () => {
    const body = '@%p1 bra B; A: add.u32 %a, %a, 1; B: add.u32 %b, %b, 1; @%p2 bra A; st.shared.b32 [%i], %a; ret;';
    expect(traffic('', body)).toMatchObject({ entry: '%a %b %i %p1 %p2', starts: {}, loops: {} });
  });
});

test('a register that is only read does not count as changed at the next stop', () => {
  const loop = 'L: add.u32 %a, %a, %b;';
  expect(traffic(loop, 'setp.lt.u32 %p1, %a, %c; @%p1 bra L; ret;')).toMatchObject({
    starts: { 0: '%a %c' },
    changed: '%a',
  });
});
