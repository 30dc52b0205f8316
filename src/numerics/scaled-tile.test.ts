/** Compares scaled products with the sums of the terms that the reference engine uses for a block-scaled mma. */
import { describe, expect, test } from 'vitest';
import { floatTerms, scaleTerm } from '../interp/matrix-element.ts';
import { namedEnvironment } from '../isa/environment.ts';
import { expandForm } from '../isa/expand.ts';
import type { ProductOf } from '../isa/matrix-product.ts';
import { allForms } from '../isa/table.ts';
import { RandomSource } from '../../test/differential/random-source.ts';
import { dotProduct } from './dot.ts';
import { tileLines } from './dot-tile.ts';
import { formats } from './formats.ts';
import { groupScaledTile, productScaledTile, tileScales } from './scaled-tile.ts';

const environment = namedEnvironment('sm_120a', '9.1');

/** The product of an mma whose mnemonic contains all of these words. */
function productOf(...words: readonly string[]): ProductOf<'float'> {
  for (const form of allForms()) {
    if (!form.id.startsWith('mma')) continue;
    for (const variant of expandForm(form)) {
      if (!['.block_scale', ...words].every((word) => variant.mnemonic.includes(word))) continue;
      for (const step of variant.form.steps(variant, environment)) {
        if (step.kind === 'collective' && step.fn.form === 'mma' && step.fn.product.kind === 'float')
          return step.fn.product;
      }
    }
  }
  throw new Error(`no mma has ${words.join(' and ')}`);
}

const cases = [
  ['mxf8f6f4', productOf('.kind::mxf8f6f4', '.e4m3.e5m2', '.f32')],
  ['mxf8f6f4 of small formats', productOf('.kind::mxf8f6f4', '.e2m1.e3m2', '.f32')],
  ['mxf4', productOf('m16n8k64', '.kind::mxf4.')],
  ['mxf4nvf4 in blocks of 32', productOf('m16n8k64', '.kind::mxf4nvf4', '.scale_vec::2X', '.ue8m0')],
  ['mxf4nvf4 in blocks of 16', productOf('m16n8k64', '.kind::mxf4nvf4', '.scale_vec::4X', '.ue4m3')],
] as const;

describe.each(cases)('%s', (_name, product) => {
  const { a, b, scaling, arithmetic, k } = product;
  if (scaling === null) throw new Error('the product has no scale factors');
  const { terms, start, add } = floatTerms(product);
  const count = scaling.group === 1 ? 1 : 64 / scaling.block;
  const lines = 24;
  const random = new RandomSource(5);
  const mask = (width: number): number => 2 ** width - 1;
  const codes = (format: typeof a.format): Uint32Array =>
    Uint32Array.from({ length: lines * k }, () =>
      random.below(4) === 0 ? 0 : random.bits() & mask(formats[format].width),
    );
  const factors = (): Uint8Array =>
    Uint8Array.from({ length: lines * count }, () =>
      random.below(20) === 0 ? random.bits() & 255 : 110 + random.below(20),
    );
  const [ofA, ofB, scalesA, scalesB] = [codes(a.format), codes(b.format), factors(), factors()];
  const side = (format: typeof a.format, own: Uint32Array, scales: Uint8Array) => ({
    lines: tileLines(format, own, k, false),
    scales: tileScales(scaling.format, scales, count),
  });
  const tile = scaling.group === 1 ? productScaledTile : groupScaledTile;
  const element = tile(side(a.format, ofA, scalesA), side(b.format, ofB, scalesB), arithmetic);
  const read = scaleTerm(scaling.format);

  test('gives the results of a dot product', () => {
    for (let row = 0; row < lines; row++) {
      for (let column = 0; column < lines; column++) {
        const c = random.pick([0, 0x3f800000, random.bits(), 0x7f800000, 0x00000001]);
        const factorsOf = (own: Uint32Array, line: number, low: number): readonly number[] =>
          Array.from(own.subarray(line * k, (line + 1) * k), (code) => code << low);
        const pairs = Array.from(
          { length: count },
          (__, i) => [read(scalesA[row * count + i] ?? 0), read(scalesB[column * count + i] ?? 0)] as const,
        );
        const added = terms({ a: factorsOf(ofA, row, a.low), b: factorsOf(ofB, column, b.low) }, pairs);
        const wanted = dotProduct(added, start(c), arithmetic, add);
        const found = element(row, column, c);
        if (found !== wanted) expect([row, column, found.toString(16)]).toEqual([row, column, wanted.toString(16)]);
      }
    }
  });
});
