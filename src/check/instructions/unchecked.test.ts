/**
 * Tests instructions that the table does not contain: they are reported with a note, their version and target
 * requirements are checked, and they are never mistaken for other instructions (verdicts of ptxas 13.0).
 */
import { expect, test } from 'vitest';
import { modifiersOutside } from '../../isa/modifiers.ts';
import { opcodesOutside } from '../../isa/opcodes.ts';
import { ptxForms } from '../../isa/table.ts';
import { check } from '../check.ts';

function findingsOf(line: string, version: string, target: string): readonly string[] {
  const registers = '.reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;';
  const text = `.version ${version}\n.target ${target}\n.address_size 64\n.entry k() { ${registers}\n${line}\nret; }\n`;
  return check(text).diagnostics.map(({ code }) => code);
}

/** An instruction, the first version and target that support it, and a version and a target that do not support it. */
const copy = 'multimem.cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%rd2], 16;';
const lines = [[copy, '9.1', 'sm_90', '9.0', 'sm_89']] as const;

test.each(lines)('%s gets a note in %s on %s and an error in %s or on %s', (line, version, target, before, without) => {
  expect(findingsOf(line, version, target)).toEqual(['PTX2002']);
  expect(findingsOf(line, before, target)).toContain('PTX4001');
  expect(findingsOf(line, version, without)).toContainEqual(expect.stringMatching(/^PTX400[123]$/));
});

test('no instruction is both in the table and outside it', () => {
  expect([...opcodesOutside.keys()].filter((opcode) => ptxForms.forms(opcode).length > 0)).toEqual([]);
});

test('no modifier is both in the table and outside it', () => {
  const used = ptxForms.opcodes().flatMap((opcode) => ptxForms.forms(opcode).flatMap(({ axes }) => axes));
  const values = new Set(used.flatMap((axis) => axis.values));
  expect([...modifiersOutside].filter((modifier) => values.has(modifier))).toEqual([]);
});

test('names in an unchecked instruction must still be declared', () => {
  expect(findingsOf(copy.replace('%rd2', '%q'), '9.1', 'sm_90')).toContain('PTX3001');
});

test('every module with an unchecked instruction gets a note', () => {
  const twice = `${copy}\n${copy}\n${copy}`;
  expect(findingsOf(twice, '9.1', 'sm_90')).toEqual(['PTX2002']);
  expect(findingsOf(twice, '9.1', 'sm_90')).toEqual(['PTX2002']);
});
