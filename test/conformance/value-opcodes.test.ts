/**
 * Tests opcodes that compute values but that ptxas does not evaluate at compile time. Their results are compared with
 * models that were written from the descriptions in the ISA. The opcodes look up table entries, permute bytes, create
 * masks, compute differences, compare lanes, evaluate half-precision functions, and do 128-bit arithmetic with carries.
 */
import { namedEnvironment } from '../../src/isa/environment.ts';
import { describe, expect, test } from 'vitest';
import type { Bits } from '../../src/base/bits.ts';
import { resolveMnemonic } from '../../src/check/instructions/resolve.ts';
import { evaluator } from '../../src/interp/evaluate.ts';
import { output } from '../device/run.ts';

/**
 * Returns a function that evaluates an instruction: it takes the bits of the source operands, and returns the bits of
 * the instruction's first result.
 */
function instruction(mnemonic: string): (...sources: readonly Bits[]) => Bits {
  const resolution = resolveMnemonic(mnemonic);
  const variant = resolution.kind === 'variants' ? resolution.variants[0] : undefined;
  const made = variant === undefined ? null : evaluator(variant, namedEnvironment('sm_100', '9.0'));
  if (made === null) throw new Error(`${mnemonic} is not evaluated`);
  return (...sources) => made.run(sources)[0] as Bits;
}

const words = [
  0, 1, 0xff, 0x80, 0x7fff, 0x8000, 0x12345678, 0x9abcdef0, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff,
];
const wides = [0n, 1n, 77n, 0x7fffffffffffffffn, 0x8000000000000000n, 0x123456789abcdef0n, 0xffffffffffffffffn];

function everyPair<T>(values: readonly T[]): readonly (readonly [T, T])[] {
  return values.flatMap((x) => values.map((y): readonly [T, T] => [x, y]));
}

describe('bits', () => {
  test('lop3 gives bit 4a + 2b + c of its table, for each of the 256 tables', () => {
    const look = instruction('lop3.b32');
    const [a, b, c] = [0xf0f0a5c3, 0xcc3355aa, 0xaa965a0f];
    for (let table = 0; table < 256; table++) {
      let wanted = 0;
      for (let i = 0; i < 32; i++) {
        const row = ((a >>> i) & 1) * 4 + ((b >>> i) & 1) * 2 + ((c >>> i) & 1);
        if (((table >>> row) & 1) === 1) wanted += 2 ** i;
      }
      expect(look(a, b, c, table)).toBe(wanted);
    }
  });

  test('lop3 with a predicate tells whether the result is nonzero', async () => {
    const body = `mov.pred %p1, 1;
lop3.and.b32 %r1|%p2, 12, 10, 0, 0xc0, %p1;
lop3.or.b32 _|%p3, 12, 3, 0, 0xc0, !%p1;
selp.u32 %r2, 1, 0, %p2; selp.u32 %r3, 1, 0, %p3;
ld.param.u64 %rd1, [out]; st.global.v2.u32 [%rd1], {%r1, %r2}; st.global.u32 [%rd1+8], %r3;`;
    expect(await output({ body }, 12)).toEqual([8, 1, 0]);
  });

  const bytesOf = (a: number, b: number): readonly number[] =>
    [a, b].flatMap((word) => [0, 8, 16, 24].map((shift) => (word >>> shift) & 0xff));
  const wordOf = (bytes: readonly number[]): number => bytes.reduce((sum, byte, i) => sum + byte * 2 ** (8 * i), 0);

  test('prmt selects a byte by each nibble, or repeats the sign of that byte eight times', () => {
    const permute = instruction('prmt.b32');
    for (const [a, b] of everyPair(words)) {
      for (const selector of [0x3210, 0x7654, 0xfedc, 0x0a71, 0x9b4f, 0xffff3210]) {
        const picked = [0, 4, 8, 12].map((shift) => {
          const nibble = (selector >>> shift) & 0xf;
          const byte = bytesOf(a, b)[nibble & 7] as number;
          if (nibble < 8) return byte;
          return byte >= 128 ? 255 : 0;
        });
        expect(permute(a, b, selector)).toBe(wordOf(picked));
      }
    }
  });

  /**
   * For each mode, four lists of bytes: the bytes that are selected by the selectors 0, 1, 2 and 3. The lowest byte
   * comes first.
   */
  const modes: Readonly<Record<string, readonly (readonly number[])[]>> = {
    f4e: [0, 1, 2, 3].map((s) => [s, s + 1, s + 2, s + 3]),
    b4e: [0, 1, 2, 3].map((s) => [s, (s + 7) % 8, (s + 6) % 8, (s + 5) % 8]),
    rc8: [0, 1, 2, 3].map((s) => [s, s, s, s]),
    ecl: [0, 1, 2, 3].map((s) => [0, 1, 2, 3].map((i) => Math.max(i, s))),
    ecr: [0, 1, 2, 3].map((s) => [0, 1, 2, 3].map((i) => Math.min(i, s))),
    rc16: [0, 1, 2, 3].map((s) => (s % 2 === 0 ? [0, 1, 0, 1] : [2, 3, 2, 3])),
  };

  test.each(Object.keys(modes))('prmt.b32.%s', (mode) => {
    const permute = instruction(`prmt.b32.${mode}`);
    modes[mode]?.forEach((places, selector) => {
      const bytes = bytesOf(0x13121110, 0x17161514);
      const wanted = wordOf(places.map((place) => bytes[place] as number));
      expect(permute(0x13121110, 0x17161514, selector + 0x40)).toBe(wanted);
    });
  });

  test('bmsk sets b bits starting at bit a', () => {
    for (const bound of ['clamp', 'wrap']) {
      const mask = instruction(`bmsk.${bound}.b32`);
      for (const [a, b] of everyPair([0, 1, 5, 31, 32, 33, 40, 0xffffffff])) {
        const limited = (n: number): number => (bound === 'wrap' ? n % 32 : Math.min(n, 32));
        let wanted = 0;
        for (let i = limited(a); i < Math.min(32, limited(a) + limited(b)); i++) wanted += 2 ** i;
        expect(mask(a, b), `${bound} ${a} ${b}`).toBe(wanted);
      }
    }
  });
});

describe('integers', () => {
  test.each(['u32', 's32', 'u64', 's64', 'u16', 's16'])('sad.%s and rem', (type) => {
    const width = Number(type.slice(1));
    const read = (bits: bigint): bigint => (type[0] === 's' ? BigInt.asIntN(width, bits) : BigInt.asUintN(width, bits));
    const bits = (value: bigint): Bits => {
      const low = BigInt.asUintN(width, value);
      return width === 64 ? low : Number(low);
    };
    const sad = instruction(`sad.${type}`);
    const rem = instruction(`rem.${type}`);
    for (const [a, b] of everyPair(width === 64 ? wides : words.map(BigInt))) {
      const [x, y] = [read(a), read(b)];
      expect(sad(bits(a), bits(b), bits(5n))).toBe(bits(5n + (x < y ? y - x : x - y)));
      if (y !== 0n) expect(rem(bits(a), bits(b))).toBe(bits(x % y));
    }
  });

  test.each(['u32', 's32'])('dp4a and dp2a with %s b', (btype) => {
    for (const atype of ['u32', 's32']) {
      const lane = (word: number, type: string, width: number, i: number): number => {
        const bits = Math.floor(word / 2 ** (width * i)) % 2 ** width;
        return type === 's32' && bits >= 2 ** (width - 1) ? bits - 2 ** width : bits;
      };
      for (const [a, b] of everyPair(words)) {
        const dot = (width: number, first: number): number =>
          [0, 1, 2, 3]
            .slice(0, 32 / width)
            .reduce((sum, i) => sum + lane(a, atype, width, i) * lane(b, btype, 8, i + first), 0x7ffffff0) >>> 0;
        expect(instruction(`dp4a.${atype}.${btype}`)(a, b, 0x7ffffff0)).toBe(dot(8, 0));
        expect(instruction(`dp2a.lo.${atype}.${btype}`)(a, b, 0x7ffffff0)).toBe(dot(16, 0));
        expect(instruction(`dp2a.hi.${atype}.${btype}`)(a, b, 0x7ffffff0)).toBe(dot(16, 2));
      }
    }
  });
});

describe('set, lane by lane', () => {
  test('each lane becomes a mask for integers, and 1.0 for halves', () => {
    const [one, two, nan] = [0x3c00, 0x4000, 0x7e00];
    const pair = (high: number, low: number): number => high * 0x10000 + low;
    expect(instruction('set.lt.u32.f16x2')(pair(one, two), pair(two, one))).toBe(0xffff0000);
    expect(instruction('set.ltu.s32.f16x2')(pair(two, nan), pair(one, one))).toBe(0x0000ffff);
    expect(instruction('set.lt.f16x2.f16x2')(pair(two, one), pair(one, two))).toBe(pair(0, one));
    expect(instruction('set.ge.bf16x2.bf16x2')(pair(0x3f80, 0x4000), pair(0x3f80, 0x4040))).toBe(pair(0x3f80, 0));
    expect(instruction('set.eq.u16.bf16')(0x8000, 0)).toBe(0xffff);
    expect(instruction('set.hs.bf16.u64')(5n, 5n)).toBe(0x3f80);
  });

  test('the boolean operation is applied to each lane', () => {
    const xor = instruction('set.eq.xor.u32.f16x2');
    expect(xor(0x3c004000, 0x3c003c00, 1)).toBe(0x0000ffff);
    expect(xor(0x3c004000, 0x3c003c00, 0)).toBe(0xffff0000);
  });

  test('.ftz compares subnormal halves as zeros', () => {
    expect(instruction('set.gt.u32.f16x2')(0x00010001, 0)).toBe(0xffffffff);
    expect(instruction('set.gt.ftz.u32.f16x2')(0x00010001, 0)).toBe(0);
  });
});

// --- half precision -------------------------------------------------------------------------------------------------

interface Half {
  readonly fractionBits: number;
  readonly bias: number;
}

const halves: Readonly<Record<string, Half>> = {
  f16: { fractionBits: 10, bias: 15 },
  bf16: { fractionBits: 7, bias: 127 },
};

function valueOf(bits: number, { fractionBits, bias }: Half): number {
  const field = (bits & 0x7fff) >>> fractionBits;
  const fraction = bits % 2 ** fractionBits;
  const sign = bits >= 0x8000 ? -1 : 1;
  if (field === 2 * bias + 1) return fraction === 0 ? sign * Infinity : Number.NaN;
  if (field === 0) return sign * fraction * 2 ** (1 - bias - fractionBits);
  return sign * (fraction + 2 ** fractionBits) * 2 ** (field - bias - fractionBits);
}

const largest = ({ fractionBits, bias }: Half): number => (2 - 2 ** -fractionBits) * 2 ** bias;

/**
 * The distance between a half-precision number and a value, in units of the number's last place. The distance is at
 * most 1/2 if the number is the half-precision number nearest to the value.
 */
function distance(bits: number, value: number, half: Half): number {
  const unit = valueOf((bits & 0x7fff) + 1, half) - valueOf(bits & 0x7fff, half);
  return Math.abs(valueOf(bits, half) - value) / unit;
}

describe('functions of halves', () => {
  const functions: readonly (readonly [mnemonic: string, format: string, compute: (x: number) => number])[] = [
    ['ex2.approx.f16', 'f16', (x) => 2 ** x],
    ['ex2.approx.ftz.bf16', 'bf16', (x) => 2 ** x],
    ['tanh.approx.f16', 'f16', Math.tanh],
    ['tanh.approx.bf16', 'bf16', Math.tanh],
  ];

  test.each(functions)('%s is the nearest half to the value', (mnemonic, format, compute) => {
    const half = halves[format] as Half;
    const run = instruction(mnemonic);
    for (let bits = 0; bits < 0x10000; bits += 5) {
      const wanted = compute(valueOf(bits, half));
      const found = run(bits) as number;
      if (Number.isNaN(wanted)) expect(found, bits.toString(16)).toBe(0x7fff);
      else if (Math.abs(wanted) > largest(half) || wanted === Infinity || wanted === 0) continue;
      else if (mnemonic.includes('.ftz') && Math.abs(wanted) < 2 ** -126) expect(found & 0x7fff).toBe(0);
      else if (Math.abs(wanted) >= 2 ** -100)
        expect(distance(found, wanted, half), bits.toString(16)).toBeLessThan(0.5001);
    }
  });

  test('ex2 and tanh at the ends of their ranges', () => {
    expect([0x7c00, 0xfc00, 0x4c00, 0, 0x8000].map((bits) => instruction('ex2.approx.f16')(bits))).toEqual([
      0x7c00, 0, 0x7c00, 0x3c00, 0x3c00,
    ]);
    expect([0x7f80, 0xff80, 0, 0x8000].map((bits) => instruction('tanh.approx.bf16')(bits))).toEqual([
      0x3f80, 0xbf80, 0, 0x8000,
    ]);
  });
});

describe('roots and signs', () => {
  const single = (value: number): number => new Uint32Array(Float32Array.of(value).buffer)[0] as number;

  test('the argument lies between the squares of the neighbors of the rounded root', () => {
    const [down, up, near] = ['rm', 'rp', 'rn'].map((mode) => instruction(`sqrt.${mode}.f32`));
    for (const value of [2, 3, 0.1, 1e-40, 3e38, 1.0000001, 65535]) {
      const bits = single(value);
      const exact = Math.fround(value);
      const [low, high, middle] = [down, up, near].map((root) => root?.(bits) as number);
      const square = (root: number): number => (new Float32Array(Uint32Array.of(root).buffer)[0] as number) ** 2;
      expect(high).toBe((low as number) + 1);
      expect(square(low as number)).toBeLessThan(exact);
      expect(square(high as number)).toBeGreaterThan(exact);
      expect([low, high]).toContain(middle);
    }
    expect(down?.(single(4))).toBe(single(2));
    expect(down?.(single(-1))).toBe(0x7fffffff);
    expect(down?.(0x80000000)).toBe(0x80000000);
  });

  test('rsqrt.approx.ftz.f64 leaves the lower half of its result zero', () => {
    const gross = instruction('rsqrt.approx.ftz.f64');
    expect(gross(0x4010000000000001n)).toBe(0x3fe0000000000000n);
    expect((gross(0x4000000000000000n) as bigint) % 2n ** 32n).toBe(0n);
    expect(gross(1n)).toBe(0x7ff0000000000000n);
  });

  test('copysign takes the sign of a and the rest of b, including NaNs', () => {
    const copy = instruction('copysign.f32');
    expect([copy(0x80000000, 0x3f800000), copy(0, 0xffc12345)]).toEqual([0xbf800000, 0x7fc12345]);
    expect(instruction('copysign.f64')(1n << 63n, 5n)).toBe((1n << 63n) | 5n);
  });
});

// --- carries --------------------------------------------------------------------------------------------------------

describe('128-bit arithmetic with the condition code', () => {
  const values = [
    0n,
    1n,
    2n ** 32n - 1n,
    2n ** 64n - 1n,
    2n ** 64n,
    2n ** 127n + 12345n,
    2n ** 128n - 1n,
    0xdeadbeef00000000ffffffffn,
  ];
  const limb = (value: bigint, i: number): bigint => BigInt.asUintN(32, value >> BigInt(32 * i));
  const limbs = (value: bigint): readonly number[] => [0, 1, 2, 3].map((i) => Number(limb(value, i)));

  function chain(name: 'add' | 'sub', x: bigint, y: bigint): string {
    const opcodes = [`${name}.cc`, `${name}c.cc`, `${name}c.cc`, `${name}c`];
    const lines = opcodes.map((opcode, i) => `${opcode}.u32 %r${i}, ${limb(x, i)}, ${limb(y, i)};`);
    return `${lines.join(' ')} ld.param.u64 %rd1, [out]; st.global.v4.u32 [%rd1], {%r0, %r1, %r2, %r3};`;
  }

  test.each(['add', 'sub'] as const)('%s.cc, then %sc', async (name) => {
    for (const [x, y] of everyPair(values)) {
      const wanted = name === 'add' ? x + y : x - y;
      expect(await output({ body: chain(name, x, y) }, 16), `${x} ${y}`).toEqual(limbs(wanted));
    }
  });

  test('mad.lo.cc, then madc.hi: a 64-bit product added to a sum', async () => {
    for (const [x, y] of everyPair([0n, 1n, 0xffffffffn, 0x80000001n, 0xdeadbeefn])) {
      const sum = 0xfffffffe_fffffff7n;
      const body = `mad.lo.cc.u32 %r0, ${x}, ${y}, ${limb(sum, 0)}; madc.hi.cc.u32 %r1, ${x}, ${y}, ${limb(sum, 1)};
addc.u32 %r2, 0, 0; mov.b32 %r3, 0; ld.param.u64 %rd1, [out]; st.global.v4.u32 [%rd1], {%r0, %r1, %r2, %r3};`;
      expect(await output({ body }, 16), `${x} ${y}`).toEqual(limbs(x * y + sum));
    }
  });

  test('64-bit limbs also carry, and a result may be a source', async () => {
    const body = `mov.u64 %rd1, -1; mov.u64 %rd2, 7; add.cc.u64 %rd1, %rd1, %rd1; addc.u64 %rd2, %rd2, %rd2;
ld.param.u64 %rd3, [out]; st.global.v2.u64 [%rd3], {%rd1, %rd2};`;
    expect(await output({ body }, 16)).toEqual([0xfffffffe, 0xffffffff, 15, 0]);
  });

  test('.sat clamps the whole sum, including the carry', async () => {
    const body = `add.cc.u32 %r0, -1, 1; addc.sat.s32 %r1, 0x7fffffff, 0; addc.sat.s32 %r2, 0x80000000, -1;
sub.cc.u32 %r0, 0, 1; subc.sat.s32 %r3, 0x80000000, 0;
ld.param.u64 %rd1, [out]; st.global.v4.u32 [%rd1], {%r0, %r1, %r2, %r3};`;
    expect(await output({ body }, 16)).toEqual([0xffffffff, 0x7fffffff, 0x80000000, 0x80000000]);
  });

  test('a thread begins without a carry', async () => {
    const body = 'addc.u32 %r1, 1, 1; ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], %r1;';
    expect(await output({ body }, 4)).toEqual([2]);
  });
});
