/** Long functions are cut into parts, and every region lies within one part, wherever branches lead. */
import { describe, expect, test } from 'vitest';
import { loadModule } from '../check/check.ts';
import { RandomSource } from '../../test/differential/random-source.ts';
import { blocksOf } from './flow.ts';
import type { FunctionProgram } from './function-program.ts';
import { FunctionTable } from './function-table.ts';
import { linkKernel } from './link.ts';
import { regionsOf } from './regions.ts';
import { seamsOf } from './seams.ts';

function program(body: string): FunctionProgram {
  const source = `.version 8.0\n.target sm_80\n.address_size 64\n.entry k() {
    .reg .pred %p<4>; .reg .b32 %r<8>;\n${body}\nret; }`;
  const { module, report } = loadModule(source, {});
  if (module === null) throw new Error(report.diagnostics[0]?.message);
  return linkKernel(module, new FunctionTable(module), 'k', []).entry;
}

/** The maximum distance between two instructions of a region. */
function longestRegion(fn: FunctionProgram, seams: ReadonlySet<number>): number {
  const blocks = blocksOf(fn, new Set(), seams);
  const ends = new Map(
    blocks.flatMap(({ start, end }, i) => (end > start && seams.has(start) ? [[i, start] as const] : [])),
  );
  const regions = regionsOf(blocks, { landings: ends.keys(), ends });
  const lengths = regions.map(({ order }) => {
    const own = order.flatMap((block) => blocks[block] ?? []);
    return Math.max(...own.map(({ end }) => end)) - Math.min(...own.map(({ start }) => start));
  });
  return Math.max(...lengths);
}

const lengths = { whole: 200, part: 100 };

test('a short function is not cut', () => {
  const fn = program('add.u32 %r1, %r1, 1;'.repeat(199));
  expect([...seamsOf(fn, new Set(), lengths)]).toEqual([]);
  expect([...seamsOf(fn, new Set())]).toEqual([]);
});

test('a long block is cut', () => {
  const fn = program('add.u32 %r1, %r1, 1;'.repeat(1000));
  const seams = seamsOf(fn, new Set(), lengths);
  expect(seams.size).toBeGreaterThanOrEqual(10);
  expect(longestRegion(fn, seams)).toBeLessThanOrEqual(100);
});

test('a loop is not cut if there is room for a cut before it', () => {
  const filler = (count: number): string => 'add.u32 %r1, %r1, 1;'.repeat(count);
  const loop = `L: ${filler(70)} setp.lt.u32 %p1, %r1, 9; @%p1 bra L;`;
  const fn = program(`${filler(60)} ${loop} ${filler(80)}`);
  const seams = seamsOf(fn, new Set(), lengths);
  expect([...seams].filter((at) => at > 60 && at < 132)).toEqual([]);
  expect(seams.size).toBeGreaterThan(0);
});

describe('random branches', () => {
  test.each(Array.from({ length: 40 }, (_, i) => i + 1))('seed %i', (seed) => {
    const random = new RandomSource(seed);
    const labels = 20 + random.below(200);
    const far = 1 + random.below(labels);
    const body = Array.from({ length: labels }, (_, i) => {
      const target = Math.max(0, Math.min(labels - 1, i - far + random.below(2 * far)));
      return `L${i}: ${'add.u32 %r1, %r1, 1;'.repeat(random.below(12))} setp.lt.u32 %p1, %r1, 9; @%p1 bra L${target};`;
    });
    const fn = program(body.join('\n'));
    const seams = seamsOf(fn, new Set(), lengths);
    if (fn.instructions.length > lengths.whole) expect(longestRegion(fn, seams)).toBeLessThanOrEqual(lengths.part);
    else expect(seams.size).toBe(0);
  });
});
