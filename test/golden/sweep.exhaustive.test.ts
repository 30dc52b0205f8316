/**
 * Tests the forms whose checksums cover every f32, with one chunk of 2^24 inputs per form. The chunks differ from form
 * to form, so that together they cover both signs and nearly every exponent. `ptxlab sweep` computes all 256 chunks of
 * a form.
 */
import { describe, expect, it } from 'vitest';
import { Checksum } from './checksum.ts';
import { conversionOf, evaluator, lanesOf } from './lanes.ts';
import { checksums } from './vectors.ts';

const forms = Object.entries(checksums().f32_sweeps);

/**
 * Returns the chunk for a form. The chunks of the first forms have exponents near the middle of the f32 range, where
 * most formats have their values. The inputs of forms with an odd index are negative.
 */
function chunkOf(index: number): number {
  const exponents = [0x3f, 0x40, 0x3e, 0x47, 0x38, 0x3d, 0x33, 0x00, 0x7f, 0x4e, 0x5f];
  return (exponents[index % exponents.length] as number) + (index % 2 === 1 ? 0x80 : 0);
}

describe('one chunk of', () => {
  it.each(forms.map(([inst, sweep], index) => [inst, chunkOf(index), sweep] as const))('%s', (inst, chunk, sweep) => {
    const evaluate = evaluator(inst);
    const sum = new Checksum();
    const operands = Array.from({ length: lanesOf(inst).lanes }, () => 0);
    expect(conversionOf(inst).from).toBe('f32');
    for (let low = 0; low < 2 ** 24; low++) {
      operands.fill(chunk * 2 ** 24 + low);
      sum.add(evaluate(operands));
    }
    expect(sum.digits()).toBe(sweep.chunks.slice(chunk * 8, chunk * 8 + 8));
  });
});
