/** Carry-less multiplication, compared with the definition in PTX ISA 9.3, section 9.7.1.5. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { evaluate } from '../../src/evaluate.ts';

const all = 2n ** 64n - 1n;

function product(a: bigint, b: bigint): bigint {
  let sum = 0n;
  for (let i = 0n; i < 64n; i++) if (((a >> i) & 1n) === 1n) sum ^= b << i;
  return sum;
}

const run = (half: string, ...inputs: readonly bigint[]): bigint =>
  BigInt(evaluate(`clmad.${half}.u64`, inputs, { target: 'sm_80' })[0] ?? 0);

// In ordinary multiplication, numbers with many set bits produce the most carries.
const word = fc.oneof(
  fc.bigInt({ min: 0n, max: all }),
  fc.bigInt({ min: 0n, max: all }).map((bits) => bits | (all >> (bits & 63n))),
  fc.constantFrom(0n, 1n, all, 0x8000_0000_0000_0000n, 0x1111_1111_1111_1111n, 0x8888_8888_8888_8888n),
);

test('both halves are those of the product, combined with c', () => {
  fc.assert(
    fc.property(word, word, word, (a, b, c) => {
      const exact = product(a, b);
      expect([run('lo', a, b, c), run('hi', a, b, c)]).toEqual([(exact & all) ^ c, (exact >> 64n) ^ c]);
    }),
  );
});
