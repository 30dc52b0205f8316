/** Explains the first variant of every form in the table. */
import { expect, test } from 'vitest';
import { chop } from '../base/bits.ts';
import { plainStyle } from '../diagnostics/renderers/style.ts';
import { evaluator } from '../interp/evaluate.ts';
import { namedEnvironment } from '../isa/environment.ts';
import { expandForm } from '../isa/expand.ts';
import { allForms, ptxForms } from '../isa/table.ts';
import { boxGlyphs } from './draw.ts';
import { explain } from './explain.ts';
import { lanePictures } from './lanes.ts';
import { plainVariants } from './target-choice.ts';
import { explanationText } from './text.ts';

const anywhere = { target: null, version: null };
const options = { width: 80, style: plainStyle, glyphs: boxGlyphs };

test('every form in the table can be explained within 80 columns', () => {
  let explained = 0;
  const wrong: string[] = [];
  for (const opcode of ptxForms.opcodes()) {
    for (const compiled of ptxForms.forms(opcode)) {
      const [variant] = plainVariants(compiled, anywhere);
      // A few forms exist only in old versions.
      if (variant === undefined) continue;
      explained += 1;
      const lines = explanationText(explain(variant.mnemonic), options).split('\n');
      if (lines[0] !== variant.mnemonic) wrong.push(`${compiled.form.id} begins with ${lines[0]}`);
      // Long mnemonics are not split across lines.
      const broken = lines.slice(1).filter((line) => line.trim().replace(/:$/, '') !== variant.mnemonic);
      wrong.push(...broken.filter(({ length }) => length > 80).map((line) => `${compiled.form.id}: ${line}`));
    }
  }
  expect(wrong).toEqual([]);
  expect(explained).toBeGreaterThan(allForms().length * 0.95);
});

/** Bit patterns of any width: ones, small numbers, and mixtures. */
const patterns = [0xffff_ffff_ffff_ffffn, 3n, 0x8000_0001_8000_8181n, 0x7fed_cba9_8765_4321n];

test('a field is shown as 0 only if its bits are 0 in every result', () => {
  const environment = namedEnvironment('sm_100a', '9.0');
  const wrong = allForms().flatMap((form) => {
    const [variant] = expandForm(form);
    if (variant === undefined) return [];
    const run = evaluator(variant, environment);
    if (run === null) return [];
    const pictures = lanePictures(variant, variant.form.steps(variant, environment));
    return patterns.flatMap((pattern) => {
      const results = run.run(
        run.inputs.map(({ width }, i) => chop(BigInt.asUintN(width, pattern >> BigInt(i)), width)),
      );
      return run.outputs.flatMap(({ name }, at) => {
        const zeros =
          pictures.find(({ operand }) => operand === name)?.fields.filter(({ label }) => label === '0') ?? [];
        const bits = BigInt(results[at] ?? 0);
        return zeros.some(({ high, low }) => BigInt.asUintN(high - low + 1, bits >> BigInt(low)) !== 0n)
          ? [`${variant.mnemonic} ${name}`]
          : [];
      });
    });
  });
  expect([...new Set(wrong)]).toEqual([]);
});
