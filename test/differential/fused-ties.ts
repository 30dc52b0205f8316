/**
 * Tests fma.f32 on the fast engine, in code for one thread and in code for four threads at a time. The inputs are
 * chosen so that the result computed in f64 is halfway between two f32 values or in the range of f32 subnormals. Some
 * of these f64 results are exact, and others have been rounded. The expected results come from the reference engine.
 */
import { expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { ternaryBlock, ternaryKernel } from './ternary-kernel.ts';

/** Number of threads. */
const count = 16_384;

const powers = [0, -1, -12, -23, -24, -25, -30, -60];
/**
 * Significands with few bits, significands with all 24 bits, and significands next to a power of two. The products of
 * significands next to a power of two are next to a power of two as well.
 */
const significands = [
  1,
  1.5,
  1 + 2 ** -22,
  1 + 2 ** -23,
  2 - 2 ** -22,
  2 - 2 ** -23,
  1 + 2 ** -12,
  1 + 2 ** -11 + 2 ** -23,
];

/**
 * Triples of values for a, b and c. The distance between the last bit of the product and the last bit of the addend
 * varies widely. The product is smaller than the addend in some triples and larger in others.
 */
const triples: readonly (readonly [number, number, number])[] = significands.flatMap((a) =>
  significands.flatMap((b) =>
    significands.flatMap((c) =>
      powers.flatMap((power) =>
        [1, -1].flatMap((sign): [number, number, number][] => [
          [a * 2 ** power, b * sign, c],
          [a, b * sign, c * 2 ** power],
        ]),
      ),
    ),
  ),
);

/**
 * The operands of all threads: first all values for a, then all values for b, then all values for c. The product a * b
 * and the addend c are scaled by the same power of two.
 */
function operands(power: number): Float32Array {
  const all = new Float32Array(3 * count);
  const half = Math.ceil(power / 2);
  triples.forEach(([a, b, c], i) => {
    all[i] = a * 2 ** half;
    all[count + i] = b * 2 ** (power - half);
    all[2 * count + i] = c * 2 ** power;
  });
  return all;
}

const scales = { ordinary: 0, 'nearly subnormal': -126, 'barely subnormal': -127, subnormal: -140 };

const mnemonics = ['fma.rn.f32', 'fma.rn.ftz.f32'];

export function testTies(): void {
  const cases = mnemonics.flatMap((mnemonic) => Object.entries(scales).map((scale) => [mnemonic, ...scale] as const));
  test.each(cases)('%s of %s numbers', (mnemonic, _, power) => compareTies(mnemonic, power));
}

async function compareTies(mnemonic: string, power: number): Promise<void> {
  expect(triples).toHaveLength(count);
  const device = await Device.create();
  const ties = device.load(ternaryKernel('f32', count, `${mnemonic} %d, %a, %b, %c;`)).kernel('ternary');
  const from = device.alloc(operands(power));
  const results: Uint8Array[] = [];
  for (const way of [{ engine: 'interp' }, { simd: true }, { simd: false }] as const) {
    const to = device.alloc(4 * count);
    const ended = await ties.launch({ ...way, grid: count / ternaryBlock, block: ternaryBlock, args: [from, to] });
    expect(ended).toMatchObject({ ok: true });
    results.push(to.read());
  }
  expect(results[1]).toEqual(results[0]);
  expect(results[2]).toEqual(results[0]);
}
