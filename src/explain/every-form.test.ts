/** Explains the first variant of every form in the table. */
import { expect, test } from 'vitest';
import { plainStyle } from '../diagnostics/renderers/style.ts';
import { allForms, ptxForms } from '../isa/table.ts';
import { boxGlyphs } from './draw.ts';
import { explain } from './explain.ts';
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
