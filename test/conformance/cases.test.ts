/**
 * Makes sure that every form in the instruction table has a recorded case, and that every recorded case is named after
 * a form.
 */
import { describe, expect, test } from 'vitest';
import { expand } from '../../src/isa/expand.ts';
import { allForms } from '../../src/isa/table.ts';
import { caseName, formName } from './case-name.ts';
import { casesOf, goldenMnemonics } from './golden-cases.ts';

const mnemonics = [...goldenMnemonics()];

/**
 * Forms that have no case in `test/golden` because they are covered by other tests. A new form must have a recorded
 * case, so it must not be added to this list.
 */
const unrecorded: readonly string[] = `
  div/f32.unrounded div/f64.unrounded rcp/f32.unrounded sqrt/f32.unrounded sin/f32.unrounded ex2/f32.unrounded
  ld/nc.hint ld/volatile ld/relaxed.hint ld/acquire ld/acquire.hint ld/mmio
  st/hint st/relaxed.hint st/release.hint st/mmio
  cp/async.cg.hint cp/async.cg.part.hint cp/async.cg.ignore.hint
  atom/vector.half atom/vector.pair atom/vector.pair.hint red/vector.pair red/vector.pair.hint
  shfl vote vote/ballot fence/tensormap.acquire trap brkpt
  bar/cta.red.bool.1 bar/cta.red.bool.2 barrier/cta.red.bool.1 barrier/cta.red.bool.2`
  .trim()
  .split(/\s+/);

/** Given the names of all cases, returns the forms that have no case. */
function formsWithoutCase(names: Iterable<string>): readonly string[] {
  const covered = new Set([...names].map((name) => name.split(':', 1)[0]));
  return allForms()
    .map(formName)
    .filter((name) => !covered.has(name));
}

describe('recorded cases', () => {
  const cases = new Set(mnemonics.flatMap((mnemonic) => casesOf(mnemonic) ?? []));

  test('every form has a case, except those listed', () => {
    expect([...formsWithoutCase(cases)].sort()).toEqual([...unrecorded].sort());
  });

  test('every case names a form', () => {
    expect(mnemonics.filter((mnemonic) => casesOf(mnemonic) === null)).toEqual([]);
  });

  test('a form without a case is detected', () => {
    const [first = ''] = cases;
    const form = first.split(':', 1)[0] ?? '';
    const others = [...cases].filter((name) => name.split(':', 1)[0] !== form);
    expect(formsWithoutCase(others)).toContain(form);
    expect(casesOf('avg.up.u32')).toBeNull();
  });
});

describe('names', () => {
  test('come from the choices of a variant', () => {
    expect(casesOf('cvt.rn.satfinite.relu.e4m3x2.f32')).toContain('cvt/f8x2.f32:type=e4m3x2;frnd2=rn;relu');
    expect(casesOf('add.u16')).toContain('add/int:type=u16');
  });

  test('differ between all variants', () => {
    const names = [...expand(allForms())].map(caseName);
    expect(new Set(names).size).toBe(names.length);
  });
});
