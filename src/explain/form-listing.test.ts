/** A listing for a target and version shows only what both support. */
import { describe, expect, test } from 'vitest';
import { compileForm } from '../isa/notation.ts';
import { allForms } from '../isa/table.ts';
import { findTarget, parseVersion } from '../isa/targets.ts';
import { describeForm, type FormEntry, formsAt, opcodesNamed } from './form-listing.ts';

function entry(id: string, target: string, version: string): FormEntry | undefined {
  const place = { target: findTarget(target) ?? null, version: parseVersion(version) };
  const form = allForms().find((one) => one.id === id);
  const opcode = form === undefined ? null : compileForm(form).opcode;
  const found = formsAt(place, opcode).find((compiled) => compiled.form === form);
  return found === undefined ? undefined : describeForm(found, place);
}

function wordsOf(found: FormEntry | undefined): readonly string[] {
  if (found === undefined) return [];
  return [...found.types.flatMap(({ types }) => types), ...found.modifiers.flatMap(({ values }) => values)];
}

describe('the forms of a version and target', () => {
  test.each<[id: string, word: string, without: readonly [string, string], having: readonly [string, string]]>([
    ['cvt.pack.c', '.u4', ['sm_72', '9.0'], ['sm_75', '9.0']],
    ['cvt.bf16x2.f32', '.satfinite', ['sm_80', '7.0'], ['sm_80', '9.0']],
    ['cvta', '.shared::cluster', ['sm_80', '9.0'], ['sm_90', '9.0']],
    ['cvta', '.param', ['sm_60', '9.0'], ['sm_70', '9.0']],
    ['ld', '.L2::128B', ['sm_75', '7.3'], ['sm_80', '9.0']],
  ])('%s does not have %s on %j but does on %j', (id, word, without, having) => {
    expect(entry(id, ...without), `${id} on ${without}`).toBeDefined();
    expect(wordsOf(entry(id, ...without))).not.toContain(word);
    expect(wordsOf(entry(id, ...having))).toContain(word);
  });

  test('the first word of several opcodes stands for all of them, unless it is an opcode itself', () => {
    expect(opcodesNamed('wgmma')).toEqual(expect.arrayContaining(['wgmma.fence', 'wgmma.mma_async']));
    expect(opcodesNamed('cvt')).toEqual(['cvt']);
    expect(opcodesNamed('wg')).toEqual([]);
  });

  test('the syntax line omits an optional modifier that the target or version lacks', () => {
    expect(entry('cvt.bf16x2.f32', 'sm_80', '7.0')?.syntax).not.toContain('.satfinite');
    expect(entry('cvt.bf16x2.f32', 'sm_80', '9.0')?.syntax).toContain('{.satfinite}');
  });
});
