/**
 * To add an instruction to ptxlab, it is enough to add one entry. This test adds a form that PTX does not have; every
 * part of ptxlab must pick it up without further changes.
 */
import { namedEnvironment } from '../../src/isa/environment.ts';
import { describe, expect, test } from 'vitest';
import { rowsOf } from '../../src/check/availability.ts';
import { matchOperands } from '../../src/check/instructions/match.ts';
import { resolveIn } from '../../src/check/instructions/resolve.ts';
import { ShapeTable } from '../../src/check/instructions/shape-table.ts';
import { Scope } from '../../src/check/symbols.ts';
import { evaluate } from '../../src/interp/evaluate.ts';
import { expandForm } from '../../src/isa/expand.ts';
import type { InstructionForm, Variant } from '../../src/isa/form.ts';
import { read, write } from '../../src/isa/operand-patterns.ts';
import { has } from '../../src/isa/variant.ts';
import type { Step } from '../../src/isa/steps/step.ts';
import { family, FormTable } from '../../src/isa/table.ts';
import { at, isAvailable, parseVersion, targets } from '../../src/isa/targets.ts';
import { typeOf } from '../../src/isa/types.ts';
import { parseInstruction } from '../../src/syntax/parser.ts';

/** The average of two integers. It is rounded up with `.up`, and rounded down otherwise. */
const average: InstructionForm = {
  id: 'avg.int',
  section: '0',
  syntax: 'avg{.up}.type  d, a, b',
  summary: 'Average of two integers.',
  sets: { type: ['.u16', '.u32'] },
  regime: 'exact',
  availability: [{ subject: 'avg', ways: [at('9.1', 100)] }],
  operands: [write('d', 0), read('a', 0), read('b', 0)],
  steps: (variant: Variant): readonly Step[] => {
    const width = variant.types[0]?.width ?? 0;
    const fn = has(variant, '.up') ? 'or' : 'and';
    const type = width === 16 ? 'u16' : 'u32';
    return [
      { kind: 'bits', fn: 'xor', width, to: '$differ', from: ['$a', '$b'] },
      { kind: 'constant', to: '$one', value: 1 },
      { kind: 'bits', fn: 'shr.u', width, to: '$half', from: ['$differ', '$one'] },
      { kind: 'bits', fn, width, to: '$same', from: ['$a', '$b'] },
      { kind: 'integer', fn: fn === 'and' ? 'add' : 'sub', type, sat: false, to: '$d', from: ['$same', '$half'] },
    ];
  },
};

const table = new FormTable([family('avg', () => [average])]);

function variantOf(mnemonic: string): Variant {
  const resolution = resolveIn(table, mnemonic);
  if (resolution.kind !== 'variants') throw new Error(`${mnemonic} does not resolve`);
  return resolution.variants[0] as Variant;
}

describe('a form that was added to the table', () => {
  test('is listed with all its variants', () => {
    const mnemonics = [...expandForm(average)].map((variant) => variant.mnemonic);
    expect(mnemonics).toEqual(['avg.u16', 'avg.up.u16', 'avg.u32', 'avg.up.u32']);
  });

  test('resolves, with modifiers in any order, and explains what it refuses', () => {
    expect(variantOf('avg.u32.up').mnemonic).toBe('avg.up.u32');
    const refused = resolveIn(table, 'avg.sat.u32');
    expect(refused.kind === 'refused' && refused.problems.map((found) => found.code)).toEqual(['PTX2011']);
    const wrongType = resolveIn(table, 'avg.f32');
    expect(wrongType.kind === 'refused' && wrongType.problems[0]?.help).toBe('the type can be .u16 or .u32');
  });

  test('its operands are checked', () => {
    const scope = new Scope();
    for (const [name, type] of [
      ['%r', '.b32'],
      ['%f', '.f32'],
    ] as const) {
      scope.declare({ kind: 'register', type: typeOf(type), lanes: 1, name, count: 4, declared: { start: 0, end: 0 } });
    }
    const codes = (line: string): readonly string[] => {
      const { instruction } = parseInstruction(line);
      const shapes = (instruction?.operands ?? []).map((operand) => new ShapeTable().of(operand, scope));
      const variant = variantOf('avg.u32');
      return matchOperands({ variant, opcode: 'avg', what: 'avg.u32', texmode: 'unified' }, shapes).map(
        (found) => found.code,
      );
    };
    expect(codes('avg.u32 %r0, %r1, 7;')).toEqual([]);
    expect(codes('avg.u32 %r0, %f1, %r2;')).toEqual(['PTX3004']);
    expect(codes('avg.u32 %r0, %r1;')).toEqual(['PTX3002']);
  });

  test('is available in the versions and on the targets of its row', () => {
    const rows = rowsOf(variantOf('avg.u16'));
    const able = targets.filter((target) => rows.every((row) => isAvailable(row.ways, parseVersion('9.1'), target)));
    expect(able[0]?.name).toBe('sm_100');
  });

  test('computes', () => {
    const environment = namedEnvironment('sm_100', '9.1');
    expect(evaluate(variantOf('avg.u32'), [7, 10], environment)).toEqual([8]);
    expect(evaluate(variantOf('avg.up.u32'), [7, 10], environment)).toEqual([9]);
    expect(evaluate(variantOf('avg.u16'), [0xffff, 0xfffd], environment)).toEqual([0xfffe]);
  });
});
