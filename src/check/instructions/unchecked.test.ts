/**
 * Tests instructions that the table does not contain: they are reported with a note, their version and target
 * requirements are checked, and they are never mistaken for other instructions. The verdicts are those of ptxas 13.0.
 */
import { expect, test } from 'vitest';
import { modifiersOutside } from '../../isa/modifiers.ts';
import { opcodesOutside } from '../../isa/missing-forms.ts';
import { ptxForms } from '../../isa/table.ts';
import { check } from '../check.ts';

function findingsOf(line: string, version: string, target: string): readonly string[] {
  const registers = '.reg .pred %p; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;';
  const text = `.version ${version}\n.target ${target}\n.address_size 64\n.entry k() { ${registers}\n${line}\nret; }\n`;
  return check(text).diagnostics.map(({ code }) => code);
}

/** An instruction, the first version and target that support it, and a version and a target that do not support it. */
const wait = 'fabric.wait [%rd2];';
const lines = [[wait, '9.3', 'sm_100', '9.2', 'sm_90']] as const;

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
  expect(findingsOf(wait.replace('%rd2', '%q'), '9.3', 'sm_100')).toContain('PTX3001');
});

test('every module with an unchecked instruction gets a note', () => {
  const twice = `${wait}\n${wait}\n${wait}`;
  expect(findingsOf(twice, '9.3', 'sm_100')).toEqual(['PTX2002']);
  expect(findingsOf(twice, '9.3', 'sm_100')).toEqual(['PTX2002']);
});

const added = [
  ['a new modifier', 'mbarrier.arrive.multicast::cluster::32b.b64 _, [%r1], %r2;', '9.4', 'sm_107a'],
  ['a new word', 'tcgen05.alloc.exclusive.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 32;', '9.4', 'sm_107a'],
] as const;

test.each(added)('an instruction with %s gets a note from the version on that has it', (_, line, version, target) => {
  expect(findingsOf(line, version, target)).toEqual(['PTX2002']);
  expect(findingsOf(line, '9.2', 'sm_100a')).not.toContain('PTX2002');
});

test.each([
  ['a word that does not exist', 'add.u33 %r1, %r2, %r3;', 'PTX2010'],
  ['a modifier of other types', 'add.rn.u32 %r1, %r2, %r3;', 'PTX2031'],
  ['an operand too few', 'add.u32 %r1, %r2;', 'PTX3002'],
  ['an operand of another kind', 'mbarrier.test_wait.shared.b64 %p, [%r1], %f1;', 'PTX3004'],
])('%s is still an error', (_, line, code) => {
  expect(findingsOf(line, '9.4', 'sm_107a')).toContain(code);
});
