/**
 * Compares the fast engine with the reference engine, on every golden row and on every instruction of the table that
 * only computes values. `npm test` runs samples of these comparisons.
 */
import { describe, expect, it } from 'vitest';
import { differences } from './engines.ts';
import { compareGoldenConversions } from './golden.ts';
import { inputsFor, randomBits } from './instructions.ts';
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

const mnemonics = (pattern: RegExp) =>
  [...variantsByForm().values()]
    .flat()
    .filter(({ mnemonic }) => pattern.test(mnemonic))
    .map((variant) => [variant.mnemonic, instructionOf(variant)] as const);

describe('every pattern of 16 bits', () => {
  const unary = mnemonics(/^(ex2|tanh|abs|neg|cvt)\..*(f16|bf16)$/).filter(
    ([, { sources }]) => sources.length === 1 && sources[0]?.width === 16,
  );
  it.each(unary)('%s', async (_, instruction) => {
    const rows = Array.from({ length: 0x10000 }, (_row, bits) => [BigInt(bits)]);
    expect(await differences(instruction, rows)).toEqual([]);
  });
});

describe('a million f32', () => {
  it.each(mnemonics(/^(rcp|sqrt|rsqrt|sin|cos|lg2|ex2|tanh)\.approx.*f32$/))('%s', async (_, instruction) => {
    const numbers = randomBits(32n);
    for (let part = 0; part < 20; part++) {
      const rows = Array.from({ length: 50_000 }, () => [BigInt.asUintN(32, numbers.next().value)]);
      expect(await differences(instruction, rows)).toEqual([]);
    }
  });
});
