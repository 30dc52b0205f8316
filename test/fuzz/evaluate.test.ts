/** Every input is either used unchanged or rejected with a typed error. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evaluate, evaluateValues, PtxlabError, type Value } from '../../src/index.ts';

const mnemonics = [
  'cvt.rn.satfinite.e4m3x2.f32',
  'add.f32',
  'add.s32',
  'add.u64',
  'add.f64',
  'cvt.f64.f32',
  'add.f16x2',
];

function result<T>(run: () => T): T | null {
  try {
    return run();
  } catch (error) {
    expect(error).toBeInstanceOf(PtxlabError);
    return null;
  }
}

test('only valid bits are accepted as bits', () => {
  fc.assert(
    fc.property(fc.constantFrom(...mnemonics), fc.array(fc.anything(), { maxLength: 3 }), (mnemonic, inputs) => {
      if (result(() => evaluate(mnemonic, inputs as number[])) === null) return;
      for (const input of inputs) {
        expect(['number', 'bigint']).toContain(typeof input);
        expect(BigInt(input as number)).toBeGreaterThanOrEqual(0n);
        expect(BigInt(input as number) >> 64n).toBe(0n);
      }
    }),
    { numRuns: 2000 },
  );
});

test('values are used unchanged or rejected', () => {
  const input = fc.oneof(
    fc.anything(),
    fc.double(),
    fc.integer(),
    fc.bigInt(),
    fc.array(fc.double(), { maxLength: 3 }),
  );
  const inputs = fc.array(input, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.constantFrom(...mnemonics), inputs, (mnemonic, given) => {
      result(() => evaluateValues(mnemonic, given as Value[]));
    }),
    { numRuns: 2000 },
  );
});

test('sums of values agree with JavaScript', () => {
  const single = fc.float({ noNaN: true });
  const double = fc.double({ noNaN: true });
  const integer = fc.maxSafeInteger();
  fc.assert(
    fc.property(
      fc.tuple(single, single),
      fc.tuple(double, double),
      fc.tuple(integer, integer),
      ([a, b], [c, d], [i, k]) => {
        expect(evaluateValues('add.f32', [a, b])).toEqual([Math.fround(a + b)]);
        expect(evaluateValues('add.f64', [c, d])).toEqual([c + d]);
        expect(evaluateValues('add.s64', [i, k])).toEqual([BigInt.asIntN(64, BigInt(i) + BigInt(k))]);
        expect(evaluateValues('add.s32', [i | 0, k | 0])).toEqual([((i | 0) + (k | 0)) | 0]);
      },
    ),
  );
});
