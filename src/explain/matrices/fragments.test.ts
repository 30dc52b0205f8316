import { describe, expect, test } from 'vitest';
import { elementAt } from '../../base/element-at.ts';
import { resolveMnemonic } from '../../check/instructions/resolve.ts';
import { namedEnvironment } from '../../isa/environment.ts';
import { expandCompiled } from '../../isa/expand.ts';
import type { Variant } from '../../isa/form.ts';
import { ptxForms } from '../../isa/table.ts';
import { drawFragment } from './draw-fragment.ts';
import { explainFragments, type FragmentExplanation } from './fragments.ts';

const environment = namedEnvironment('sm_120a', '9.1');

function fragmentsOf(variant: Variant): readonly FragmentExplanation[] {
  return explainFragments(variant, variant.form.steps(variant, environment));
}

function drawn(mnemonic: string, matrix: string): readonly string[] {
  const resolution = resolveMnemonic(mnemonic);
  if (resolution.kind !== 'variants') throw new Error(`${mnemonic} is ${resolution.kind}`);
  const found = fragmentsOf(elementAt(resolution.variants, 0)).find((one) => one.matrix === matrix);
  if (found === undefined) throw new Error(`${mnemonic} has no ${matrix}`);
  return drawFragment(found, 80);
}

const opcodes = ['mma', 'ldmatrix', 'stmatrix', 'movmatrix', 'wmma.load.a', 'wmma.load.b', 'wmma.load.c'];
const variants = [...opcodes, 'wmma.store.d', 'wmma.mma', 'mma.sp', 'wgmma.mma_async'].flatMap((opcode) =>
  ptxForms.forms(opcode).flatMap((form) => [...expandCompiled(form, { optional: 'one' })].slice(0, 4)),
);

describe('every element of every matrix', () => {
  test('the cells of a matrix hold each of its elements', () => {
    expect(variants.length).toBeGreaterThan(300);
    for (const variant of variants) {
      for (const { rows, columns, matrices, cells } of fragmentsOf(variant)) {
        const found = new Set<number>();
        for (const cell of cells) {
          for (let i = 0; i < cell.rows * cell.columns; i++) {
            const row = cell.row + Math.floor(i / cell.columns);
            const column = cell.column + (i % cell.columns);
            found.add((cell.matrix * rows + row) * columns + column);
          }
        }
        expect.soft(found.size, variant.mnemonic).toBe(rows * columns * matrices);
      }
    }
  });

  test('pictures fit into 80 columns and have a line for each row or rows that a register holds', () => {
    for (const variant of variants) {
      for (const fragment of fragmentsOf(variant)) {
        const lines = drawFragment(fragment, 80);
        const height = Math.max(...fragment.cells.map(({ rows }) => rows));
        const pictures = lines.filter((line) => line.startsWith('  col ')).length;
        expect.soft(Math.max(...lines.map((line) => line.length)), variant.mnemonic).toBeLessThanOrEqual(80);
        expect
          .soft(lines.filter((line) => /^ {2}row \d/.test(line)).length, variant.mnemonic)
          .toBe((pictures * fragment.rows) / height);
      }
    }
  });
});

describe('pictures', () => {
  test('A of m16n8k16: pairs of columns in a register, columns 8 to 15 in other registers', () => {
    const lines = drawn('mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32', 'A');
    expect(lines[0]).toBe('A: 16 by 16 of f16 in a.0 to a.3');
    expect(lines).toContain('  row = lane / 4 + 8 * (i / 2 % 2)');
    expect(lines).toContain('            a.1                         a.3');
    expect(lines).toContain('  row 9       4      5      6      7      4      5      6      7');
  });

  test('B of m16n8k32: four rows in a register', () => {
    const lines = drawn('mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32', 'B');
    expect(lines).toContain('  row 20-23   1   5   9  13  17  21  25  29');
  });

  test('m8n8k4 of f16: one of four matrices, and the positions of the others', () => {
    const lines = drawn('mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32', 'C and D');
    expect(lines).toContain('  Matrix 0 is drawn. For matrix m, add 4 * m to the lanes.');
  });

  test('ldmatrix: rows of memory with the lanes that give their addresses', () => {
    const lines = drawn('ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16', 'memory');
    expect(lines.join(' ')).toContain('lane 8 * m + r gives the address');
    expect(lines).toContain('  row 2-3   1   5   9  13  17  21  25  29');
  });

  test('metadata of a sparse product: the lanes that hold the indices of each row', () => {
    const lines = drawn('mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32', 'metadata');
    expect(lines).toContain('  row 1      4     5');
    expect(lines.join(' ')).toContain('add 2 * f to each lane');
  });

  test('wmma fragments that hold elements twice say so', () => {
    const lines = drawn('wmma.load.a.sync.aligned.row.m16n16k16.f16', 'A');
    expect(lines).toContain('  Lanes hold each element 2 times; only the first copy is drawn.');
  });
});
