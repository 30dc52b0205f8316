/** If several regions would contain copies of the same blocks, each of them ends before these blocks. */
import { describe, expect, test } from 'vitest';
import { loadModule } from '../check/check.ts';
import { RandomSource } from '../../test/differential/random-source.ts';
import { blocksOf } from './flow.ts';
import type { FunctionProgram } from './function-program.ts';
import { FunctionTable } from './function-table.ts';
import { linkKernel } from './link.ts';
import { regionsOf } from './regions.ts';
import { type CopyLimits, sharedCode } from './shared-code.ts';

function program(body: string): FunctionProgram {
  const source = `.version 8.0\n.target sm_80\n.address_size 64
.func f() { ret; }
.entry k() { .reg .pred %p<4>; .reg .b32 %r<8>;\n${body}\nret; }`;
  const { module, report } = loadModule(source, {});
  if (module === null) throw new Error(report.diagnostics[0]?.message);
  return linkKernel(module, new FunctionTable(module), 'k', []).entry;
}

const none: ReadonlySet<number> = new Set();
const always: CopyLimits = { total: 0, each: 0 };

/**
 * The number of blocks in a function, and the total number of blocks in its regions. Blocks without instructions are
 * not counted.
 */
function sizes(fn: FunctionProgram, ends: ReadonlySet<number>): readonly [blocks: number, inRegions: number] {
  const blocks = blocksOf(fn, none, ends);
  const isFull = (number: number): boolean => {
    const block = blocks[number];
    return block !== undefined && block.end > block.start;
  };
  const full = blocks.flatMap((_, i) => (isFull(i) ? [i] : []));
  const places = new Map(
    full.flatMap((i): readonly (readonly [number, number])[] => {
      const start = blocks[i]?.start ?? 0;
      return ends.has(start) ? [[i, start]] : [];
    }),
  );
  const regions = regionsOf(blocks, { landings: places.keys(), ends: places });
  return [full.length, regions.reduce((sum, { order }) => sum + order.filter(isFull).length, 0)];
}

/** A loop around a switch whose cases call a function. */
function interpreter(cases: number): string {
  const labels = Array.from({ length: cases }, (_, i) => `C${i}`);
  const bodies = labels.map((label, i) => `${label}: add.u32 %r1, %r1, ${i}; call f; bra next;`);
  return `table: .branchtargets ${labels.join(', ')};
again: and.b32 %r2, %r1, 7; brx.idx %r2, table;
${bodies.join('\n')}
next: setp.lt.u32 %p1, %r1, 999; @%p1 bra again;`;
}

test('regions that copy few blocks are left alone', () => {
  expect(sharedCode(program(interpreter(20)), none, none)).toEqual(none);
});

test('an interpreter is not copied for each of its calls', () => {
  const fn = program(interpreter(100));
  const [blocks, copied] = sizes(fn, none);
  expect(copied).toBeGreaterThan(50 * blocks);
  const ends = sharedCode(fn, none, none);
  expect(ends.size).toBeLessThanOrEqual(2);
  const [, left] = sizes(fn, ends);
  expect(left).toBeLessThanOrEqual(2 * blocks);
});

test('calls under conditions do not copy all that follows', () => {
  const fn = program(
    Array.from(
      { length: 120 },
      (_, i) => `setp.eq.u32 %p1, %r1, ${i}; @%p1 bra C${i}; bra N${i};\nC${i}: call f; N${i}:`,
    ).join('\n'),
  );
  const [blocks, copied] = sizes(fn, none);
  expect(copied).toBeGreaterThan(20 * blocks);
  const [, left] = sizes(fn, sharedCode(fn, none, none));
  expect(left).toBeLessThanOrEqual(2 * blocks);
});

describe('random branches, calls and barriers', () => {
  const lines = [
    'bra L#;',
    '@%p1 bra L#;',
    '@!%p2 bra L#;',
    'call f;',
    '@%p1 call f;',
    'bar.sync 0;',
    'not.b32 %r1, %r1;',
  ];

  test.each(Array.from({ length: 60 }, (_, i) => i + 1))('seed %i', (seed) => {
    const random = new RandomSource(seed);
    const count = 40;
    const body = Array.from({ length: count }, (_, i) => {
      const line = lines[random.below(lines.length)] ?? '';
      return `L${i}: ${line.replace('#', String(random.below(count)))}`;
    });
    const fn = program(body.join('\n'));
    // Each block belongs to only one region, which begins at the last place before the block where threads resume.
    const [blocks, inRegions] = sizes(fn, sharedCode(fn, none, none, always));
    expect(inRegions).toBeLessThanOrEqual(blocks);
  });
});
