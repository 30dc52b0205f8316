/**
 * Tests redux of f32, fma.oob, and mad.f32 on sm_1x. The results are compared with models that were written from the
 * descriptions in the ISA. redux is tested on both engines.
 */
import { namedEnvironment } from '../../src/isa/environment.ts';
import { describe, expect, test } from 'vitest';
import { resolveMnemonic } from '../../src/check/instructions/resolve.ts';
import { evaluate } from '../../src/interp/evaluate.ts';
import { output } from '../device/run.ts';

const view = new DataView(new ArrayBuffer(4));

function bitsOf(value: number): number {
  view.setFloat32(0, value);
  return view.getUint32(0);
}

function floatOf(bits: number): number {
  view.setUint32(0, bits);
  return view.getFloat32(0);
}

function run(mnemonic: string, sm: number, ...sources: readonly number[]): number {
  const resolution = resolveMnemonic(mnemonic);
  const variant = resolution.kind === 'variants' ? resolution.variants[0] : undefined;
  const results =
    variant === undefined ? null : evaluate(variant, sources, namedEnvironment(`sm_${sm}`, sm < 20 ? '1.4' : '9.0'));
  if (results === null) throw new Error(`${mnemonic} is not evaluated`);
  return Number(results[0]);
}

// --- redux ----------------------------------------------------------------------------------------------------------

const nans = [0x7fc00000, 0xffffffff, 0x7f800001];
const lists: readonly (readonly number[])[] = [
  [1.5, -2, 3, 0.25].map(bitsOf),
  [bitsOf(0), bitsOf(-0)],
  [bitsOf(-0), bitsOf(-0), bitsOf(0)],
  [bitsOf(Infinity), bitsOf(-Infinity), 1, 0x80000001],
  [1, 0x80000001, 2],
  [...nans, bitsOf(5), bitsOf(-7)],
  nans,
  [bitsOf(-3), 0xffffffff],
  [bitsOf(3.4e38), bitsOf(-3.4e38)],
];

/**
 * A model of redux, which finds the smallest or largest value by comparing each value with all others. -0 is treated as
 * less than +0.
 */
function reduced(mnemonic: string, list: readonly number[]): number {
  const magnitudes = list.map((bits) => (mnemonic.includes('.abs') ? bits & 0x7fffffff : bits));
  const isNaNBits = (bits: number): boolean => Number.isNaN(floatOf(bits));
  if (mnemonic.includes('.NaN') && magnitudes.some(isNaNBits)) return 0x7fffffff;
  const numbers = magnitudes.filter((bits) => !isNaNBits(bits)).map(floatOf);
  if (numbers.length === 0) return 0x7fffffff;
  const below = (x: number, y: number): boolean => x < y || (x === y && Object.is(x, -0) && !Object.is(y, -0));
  const wins = mnemonic.includes('.min') ? below : (x: number, y: number): boolean => below(y, x);
  return bitsOf(numbers.reduce((best, value) => (wins(value, best) ? value : best)));
}

describe.each(['interp', 'jit'] as const)('redux.sync of f32 on %s', (engine) => {
  const names = ['.min', '.max'].flatMap((op) =>
    ['', '.abs', '.NaN', '.abs.NaN'].map((rest) => `redux.sync${op}${rest}.f32`),
  );
  test.each(names)('%s', async (mnemonic) => {
    const module = `.global .b32 lists[${32 * lists.length}] = {${lists
      .flatMap((list) => Array.from({ length: 32 }, (_, lane) => list[lane % list.length] as number))
      .join(', ')}};`;
    const body = `ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u64 %rd2, lists; mad.wide.u32 %rd2, %r1, 4, %rd2;
shr.u32 %r3, %r1, 5; mad.wide.u32 %rd3, %r3, 4, %rd1;
ld.global.f32 %f1, [%rd2]; ${mnemonic} %f2, %f1, -1; st.global.f32 [%rd3], %f2;`;
    const found = await output({ module, body }, 4 * lists.length, { block: 32 * lists.length, engine });
    expect(found).toEqual(lists.map((list) => reduced(mnemonic, list)));
  });
});

// --- fma.oob --------------------------------------------------------------------------------------------------------

describe('fma.oob', () => {
  const [one, two] = [0x3c00, 0x4000];
  test('is +0 if a or b marks an element outside the tensor, in each lane separately', () => {
    expect(run('fma.rn.oob.f16', 90, 0x7ff7, one, two)).toBe(0);
    expect(run('fma.rn.oob.f16', 90, one, 0x7ff7, two | 0x8000)).toBe(0);
    expect(run('fma.rn.oob.f16x2', 90, 0x7ff73c00, 0x3c003c00, 0x40004000)).toBe(0x00004200);
    expect(run('fma.rn.oob.relu.bf16x2', 90, 0x3f807ff7, 0x3f803f80, 0xc0003f80)).toBe(0);
    expect(run('fma.rz.oob.bf16', 90, 0x7ff7, 0x3f80, 0x3f80)).toBe(0);
  });

  test('is fma for everything else, including other NaNs', () => {
    expect(run('fma.rn.oob.f16', 90, one, two, one)).toBe(0x4200);
    expect(run('fma.rn.oob.f16', 90, 0x7e00, one, two)).toBe(0x7fff);
    expect(run('fma.rn.oob.relu.f16', 90, one | 0x8000, two, one)).toBe(0);
    expect(run('fma.rn.oob.sat.f16', 90, one, two, one)).toBe(one);
  });
});

// --- mad.f32 of sm_1x -----------------------------------------------------------------------------------------------

describe('mad.f32 of sm_1x', () => {
  const mad = (a: number, b: number, c: number): number => floatOf(run('mad.f32', 13, ...[a, b, c].map(bitsOf)));
  const ulp = 2 ** -23;

  test('cuts the product to 24 bits, toward zero', () => {
    expect(mad(1 + ulp, 1 + ulp, -1)).toBe(2 * ulp);
    expect(mad(-1 - ulp, 1 + ulp, 1)).toBe(-2 * ulp);
    expect(mad(1 + ulp, 1.5, -1.5)).toBe(ulp);
    expect(mad(1 + ulp, 1 + ulp, -1 - 2 * ulp)).toBe(0);
    expect(floatOf(run('mad.f32', 20, ...[1 + ulp, 1 + ulp, -1 - 2 * ulp].map(bitsOf)))).toBe(ulp * ulp);
  });

  test('is the same on both engines', async () => {
    const words = [1 + ulp, -1.5, 3e38, 2 ** -100, 0, -0, Infinity, NaN, -7].map(bitsOf).concat(1, 0x807fffff);
    const module = `.global .b32 words[${words.length}] = {${words.join(', ')}};`;
    const body = `ld.param.u64 %rd1, [out]; mov.u32 %r1, %tid.x; mov.u64 %rd2, words;
rem.u32 %r2, %r1, ${words.length}; mad.wide.u32 %rd3, %r2, 4, %rd2; ld.global.f32 %f1, [%rd3];
div.u32 %r2, %r1, ${words.length}; mad.wide.u32 %rd3, %r2, 4, %rd2; ld.global.f32 %f2, [%rd3];
mad.f32 %f3, %f1, %f2, %f2; mad.sat.f32 %f4, %f1, %f1, %f2; mul.wide.u32 %rd4, %r1, 8; add.u64 %rd4, %rd4, %rd1;
st.global.f32 [%rd4], %f3; st.global.f32 [%rd4+4], %f4;`;
    const block = words.length ** 2;
    const [interp, jit] = await Promise.all(
      (['interp', 'jit'] as const).map((engine) =>
        output({ module, body, target: 'sm_13' }, 8 * block, { block, engine }),
      ),
    );
    expect(jit).toEqual(interp);
    expect(interp?.slice(0, 2)).toEqual([run('mad.f32', 13, ...[1 + ulp, 1 + ulp, 1 + ulp].map(bitsOf)), bitsOf(1)]);
  });

  test('keeps the exponent of a product beyond the range', () => {
    expect(mad(2 ** 64, 2 ** 64, -(2 ** 127))).toBe(2 ** 127);
    expect(mad(2 ** 64, 2 ** 64, 0)).toBe(Infinity);
    expect(mad(2 ** -100, 2 ** -49, 2 ** -125)).toBe(2 ** -125);
  });

  test('rounds the sum once, to nearest even', () => {
    expect(mad(3, 2 ** -24, 1)).toBe(1 + 2 * ulp);
    expect(mad(1, 2 ** -24, 1)).toBe(1);
    expect(mad(1 + ulp, 2 ** -24, 1)).toBe(1 + ulp);
  });

  test('rounds the product if c is zero', () => {
    expect(mad(1 + ulp, 1.5, 0)).toBe(Math.fround(1.5 + 1.5 * ulp));
    expect(mad(1, -0, -0)).toBe(-0);
  });

  test('flushes subnormals to zero, saturates, and gives NaN for NaN', () => {
    expect(run('mad.f32', 13, 1, bitsOf(2 ** 100), bitsOf(1))).toBe(bitsOf(1));
    expect(mad(2 ** -80, 2 ** -80, 2 ** -126)).toBe(2 ** -126);
    expect(run('mad.sat.f32', 13, bitsOf(3), bitsOf(3), bitsOf(1))).toBe(bitsOf(1));
    expect(run('mad.sat.f32', 13, bitsOf(-3), bitsOf(3), bitsOf(0))).toBe(0);
    expect(run('mad.f32', 13, bitsOf(Infinity), bitsOf(0), bitsOf(1))).toBe(0x7fffffff);
  });
});
