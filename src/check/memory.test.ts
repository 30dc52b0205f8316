import { expect, test } from 'vitest';
import type { Operand } from '../syntax/tree.ts';
import { Checker, check } from './check.ts';
import { CheckMemory } from './memory.ts';
import { Scope } from './symbols.ts';

const at = { start: 0, end: 0 };
const float: Operand = { kind: 'float', form: '0f', bits: 0n, ...at };
const integer: Operand = { kind: 'integer', value: 0n, unsigned: false, ...at };

/**
 * A vector of sixteen constants, each of which is either a float or an integer. Constant i is a float if bit i of
 * `number` is set.
 */
function vectorOf(number: number): Operand {
  const elements = Array.from({ length: 16 }, (_, bit) => ((number >> bit) & 1 ? float : integer));
  return { kind: 'vector', elements, ...at };
}

test('shapes beyond the limit are dropped before the next module', () => {
  const memory = new CheckMemory();
  const scope = new Scope();
  for (let number = 0; number < 30_000; number++) memory.shapes.of(vectorOf(number), scope);
  expect(memory.shapes.size).toBeGreaterThan(30_000);
  memory.begin();
  expect(memory.shapes.size).toBeLessThan(100);
});

test('a checker that has seen other modules reports the same as a new one', () => {
  const source = `.version 9.1\n.target sm_90\n.address_size 64\n.entry k() { .reg .b32 %r<3>;\nadd.u64 %r1, %r2, 1;\n}\n`;
  const used = new Checker();
  for (const target of ['sm_70', 'sm_100', 'sm_90'] as const) used.check(source, { target });
  expect(used.check(source)).toEqual(new Checker().check(source));
  expect(used.check(source)).toEqual(check(source));
});
