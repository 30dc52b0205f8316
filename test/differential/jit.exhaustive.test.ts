/** The fast engine against the reference engine on every golden row and every value instruction of the table; `npm test` takes samples. */
import { describe, expect, it } from 'vitest';
import { differences } from './engines.ts';
import { compareGoldenConversions } from './golden.ts';
import { inputsFor } from './instructions.ts';
import { instructionOf, variantsByForm } from './variants.ts';

compareGoldenConversions(1);

describe('every value instruction of the table on both engines', () => {
  it.each([...variantsByForm()])('%s', async (_, variants) => {
    for (const variant of variants) {
      const instruction = instructionOf(variant);
      expect(await differences(instruction, inputsFor(instruction)), variant.mnemonic).toEqual([]);
    }
  });
});
