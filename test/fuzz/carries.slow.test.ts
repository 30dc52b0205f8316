/**
 * Compares random chains of carry instructions with sums of integers. A subtraction is modeled as adding the complement
 * and a carry of 1.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { output } from '../device/run.ts';

const opcodes = ['add', 'sub', 'mad.lo', 'mad.hi'] as const;

const link = fc.record({
  opcode: fc.constantFrom(...opcodes),
  sources: fc.tuple(fc.bigInt(0n, 2n ** 64n - 1n), fc.bigInt(0n, 2n ** 64n - 1n), fc.bigInt(0n, 2n ** 64n - 1n)),
  reads: fc.boolean(),
  writes: fc.boolean(),
  /** Small numbers make every kind of carry more likely. */
  small: fc.boolean(),
});

type Link = typeof link extends fc.Arbitrary<infer T> ? T : never;

const chain = fc.array(link, { minLength: 1, maxLength: 6 });

function sourcesOf({ opcode, sources, small }: Link, width: 32 | 64): readonly bigint[] {
  const used = opcode.startsWith('mad') ? sources : sources.slice(0, 2);
  return used.map((source) => (small ? source % 3n : BigInt.asUintN(width, source)));
}

function lineOf(one: Link, width: 32 | 64, i: number): string {
  const [name = '', half] = one.opcode.split('.');
  const mnemonic = `${name}${one.reads ? 'c' : ''}${half === undefined ? '' : `.${half}`}${one.writes ? '.cc' : ''}`;
  const register = width === 64 ? '%rd2' : '%r2';
  const sources = sourcesOf(one, width).map((source) => BigInt.asIntN(width, source));
  return `${mnemonic}.u${width} ${register}, ${sources.join(', ')}; st.global.u${width} [%rd1+${8 * i}], ${register};`;
}

/** The expected results of a chain of instructions. The carry is 0 before the first instruction. */
function modelOf(links: readonly Link[], width: 32 | 64): readonly bigint[] {
  let carry = 0n;
  return links.map((one) => {
    const [a = 0n, b = 0n, c = 0n] = sourcesOf(one, width);
    const isProduct = one.opcode.startsWith('mad');
    const product = one.opcode === 'mad.hi' ? (a * b) >> BigInt(width) : BigInt.asUintN(width, a * b);
    const from = isProduct ? product : a;
    const other = isProduct ? c : one.opcode === 'sub' ? BigInt.asUintN(width, ~b) : b;
    const idle = one.opcode === 'sub' ? 1n : 0n;
    const sum = from + other + (one.reads ? carry : idle);
    if (one.writes) carry = sum >> BigInt(width);
    return BigInt.asUintN(width, sum);
  });
}

test.each([32, 64] as const)('chains of %i bits', async (width) => {
  await fc.assert(
    fc.asyncProperty(chain, async (links) => {
      const body = `ld.param.u64 %rd1, [out];\n${links.map((one, i) => lineOf(one, width, i)).join('\n')}`;
      for (const engine of ['interp', 'jit'] as const) {
        const words = await output({ body }, 8 * links.length, { engine });
        expect([...new BigUint64Array(Uint32Array.from(words).buffer)], engine).toEqual(modelOf(links, width));
      }
    }),
    { numRuns: 60 },
  );
});
