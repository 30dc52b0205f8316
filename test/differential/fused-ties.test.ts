/**
 * Tests fma.f32 on the fast engine, four threads at a time, for inputs whose sum in f64 is a tie between two f32 or is
 * subnormal as an f32. Some of these sums are exact, others have already been rounded. The reference engine gives the
 * expected results.
 */
import { expect, test } from 'vitest';
import { Device } from '../../src/device.ts';

/** Number of threads, a multiple of the block size of 256. */
const count = 16_384;

const kernel = (mnemonic: string): string => `
.version 8.0
.target sm_80
.address_size 64
.visible .entry ties(.param .u64 from, .param .u64 to)
{
  .reg .f32 %a, %b, %c, %d;
  .reg .u32 %i, %block;
  .reg .b64 %from, %to, %offset;
  ld.param.u64 %from, [from];
  ld.param.u64 %to, [to];
  mov.u32 %i, %tid.x;
  mov.u32 %block, %ctaid.x;
  mad.lo.u32 %i, %block, 256, %i;
  mul.wide.u32 %offset, %i, 4;
  add.u64 %from, %from, %offset;
  add.u64 %to, %to, %offset;
  ld.global.f32 %a, [%from];
  ld.global.f32 %b, [%from + ${4 * count}];
  ld.global.f32 %c, [%from + ${8 * count}];
  ${mnemonic} %d, %a, %b, %c;
  st.global.f32 [%to], %d;
  ret;
}`;

const powers = [0, -1, -12, -23, -24, -25, -30, -60];
/** Significands with few bits, with all 24 bits, and next to a power of two, which makes products close to one, too. */
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

/** a, b, and c such that the last bits of product and addend meet in many ways; either of them may be the smaller. */
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

/** All a, then all b, then all c; the product and c are scaled by the same power of two. */
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

test.each(
  ['fma.rn.f32', 'fma.rn.ftz.f32'].flatMap((mnemonic) =>
    Object.entries(scales).map((scale) => [mnemonic, ...scale] as const),
  ),
)('%s of %s numbers', async (mnemonic, _, power) => {
  expect(triples).toHaveLength(count);
  const device = await Device.create({ simd: true });
  const ties = device.load(kernel(mnemonic)).kernel('ties');
  const from = device.alloc(operands(power));
  const results: Uint8Array[] = [];
  for (const engine of ['interp', 'jit'] as const) {
    const to = device.alloc(4 * count);
    const ended = await ties.launch({ engine, grid: count / 256, block: 256, args: [from, to] });
    expect(ended).toMatchObject({ ok: true });
    results.push(to.read());
  }
  expect(results[1]).toEqual(results[0]);
});
