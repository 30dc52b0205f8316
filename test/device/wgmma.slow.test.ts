/**
 * wgmma on one warpgroup. The matrices consist of small integers, so every sum is exact, and the expected product does
 * not depend on how the hardware rounds.
 */
import { describe, expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { readNumber } from '../../src/numbers.ts';
import { linearCongruential } from '../linear-congruential.ts';
import { columnOf, warpMetadata } from '../matrix/metadata.ts';
import { placeInD } from '../matrix/warpgroup-sums.ts';
import { addressOf, type Layout, type MatrixSize, offsets } from './canonical-layouts.ts';
import { ways } from './run.ts';

type TypeName = 'f16' | 'bf16' | 'tf32' | 'e4m3' | 's8' | 'u8';

const elementBits: Readonly<Record<TypeName, number>> = { f16: 16, bf16: 16, tf32: 32, e4m3: 8, s8: 8, u8: 8 };

const codes = { 1: 0, 2: 3, 4: 2, 8: 1 } as const;

const knownBits = new Map<string, number>();

/** The bits of a number. They are cached, because the matrices contain few different numbers. */
function bitsOf(format: 'f16' | 'bf16' | 'f32' | 'e4m3', value: number): number {
  const key = `${format} ${value}`;
  const bits = knownBits.get(key) ?? Number(readNumber(String(value), format).bits);
  knownBits.set(key, bits);
  return bits;
}

function codeOf(type: TypeName, value: number): number {
  if (type === 's8' || type === 'u8') return value & 0xff;
  return bitsOf(type === 'tf32' ? 'f32' : type, value);
}

interface Job {
  readonly type: TypeName;
  readonly d: 'f32' | 'f16' | 's32';
  readonly n: number;
  readonly a: Layout | 'registers';
  readonly b: Layout;
  readonly tail: string;
  readonly transposes: boolean;
  /** If A is sparse, the constant that selects the lanes whose metadata is used. */
  readonly selector?: number;
  /** Instructions to run after the product is complete. */
  readonly after?: string;
}

/** The number of columns that are stored for A. */
const columnsOf = (type: TypeName): number => 256 / elementBits[type];
/** Both matrices begin at addresses that are multiples of 1024. */
const roomOf = 32768;

function moduleOf({ type, d, n, a, tail, b, selector, after = '' }: Job): string {
  const k = columnsOf(type) * (selector === undefined ? 1 : 2);
  const bits = elementBits[type];
  const count = n / (d === 'f16' ? 4 : 2);
  const list = Array.from({ length: count }, (_, i) => `%d${i}`).join();
  const types = `.${d}.${type}.${type}`;
  const word = (layout: Layout, size: MatrixSize): string => {
    const { leading, stride } = offsets(layout, size);
    return `0x${((BigInt(codes[layout.side]) << 62n) | (BigInt(stride >> 4) << 32n) | (BigInt(leading >> 4) << 16n)).toString(16)}`;
  };
  const descriptor = (to: string, matrix: string, layout: Layout, size: MatrixSize): string => `mov.u32 %r9, ${matrix};
and.b32 %r9, %r9, 0x3ffff; shr.u32 %r9, %r9, 4; cvt.u64.u32 ${to}, %r9; or.b64 ${to}, ${to}, ${word(layout, size)};`;
  const operandA = a === 'registers' ? '{%a0,%a1,%a2,%a3}' : '%rd5';
  const metadata = selector === undefined ? '' : `%e, ${selector}, `;
  return `.version 8.4
.target sm_90a
.address_size 64
.shared .align 1024 .b8 sa[${roomOf}];
.shared .align 1024 .b8 sb[${roomOf}];
.visible .entry k(.param .u64 pa, .param .u64 pb, .param .u64 pc, .param .u64 pd, .param .u32 scale, .param .u64 pe) .reqntid 128 {
.reg .pred %p<4>; .reg .b32 %r<12>; .reg .b64 %rd<12>; .reg .b32 %d<${count}>; .reg .b32 %a<4>; .reg .b32 %e;
ld.param.u64 %rd1, [pa]; ld.param.u64 %rd2, [pb]; ld.param.u64 %rd3, [pc]; ld.param.u64 %rd4, [pd];
mov.u32 %r1, %tid.x; mov.u32 %r2, sa; mov.u32 %r3, sb; shl.b32 %r4, %r1, 2; cvt.u64.u32 %rd7, %r4;
add.u32 %r2, %r2, %r4; add.u32 %r3, %r3, %r4; add.u64 %rd8, %rd1, %rd7; add.u64 %rd9, %rd2, %rd7; mov.u32 %r5, 0;
copy: ld.global.b32 %r6, [%rd8]; st.shared.b32 [%r2], %r6; ld.global.b32 %r6, [%rd9]; st.shared.b32 [%r3], %r6;
add.u32 %r2, %r2, 512; add.u32 %r3, %r3, 512; add.u64 %rd8, %rd8, 512; add.u64 %rd9, %rd9, 512; add.u32 %r5, %r5, 512;
setp.lt.u32 %p1, %r5, ${roomOf}; @%p1 bra copy;
fence.proxy.async; bar.sync 0;
mul.lo.u32 %r7, %r1, ${4 * count}; cvt.u64.u32 %rd10, %r7; add.u64 %rd3, %rd3, %rd10; add.u64 %rd4, %rd4, %rd10;
${Array.from({ length: count }, (_, i) => `ld.global.b32 %d${i}, [%rd3+${4 * i}];`).join(' ')}
${a === 'registers' ? `shl.b32 %r8, %r1, 4; cvt.u64.u32 %rd11, %r8; add.u64 %rd1, %rd1, %rd11; ld.global.v4.b32 {%a0,%a1,%a2,%a3}, [%rd1];` : descriptor('%rd5', 'sa', a, { bits, across: 64, k: columnsOf(type) })}
${descriptor('%rd6', 'sb', b, { bits, across: n, k })}
ld.param.u64 %rd11, [pe]; add.u64 %rd11, %rd11, %rd7; ld.global.b32 %e, [%rd11];
ld.param.u32 %r10, [scale]; setp.ne.u32 %p2, %r10, 0;
wgmma.fence.sync.aligned;
wgmma.mma_async${selector === undefined ? '' : '.sp'}.sync.aligned.m64n${n}k${k}${types} {${list}}, ${operandA}, %rd6, ${metadata}${tail};
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
${after}
${Array.from({ length: count }, (_, i) => `st.global.b32 [%rd4+${4 * i}], %d${i};`).join(' ')}
ret; }
`;
}

/** Small numbers that all types can represent. */
function numbers(count: number, seed: number, type: TypeName): readonly number[] {
  const word = linearCongruential(seed);
  return Array.from({ length: count }, () => {
    const value = (word() >>> 24) % 9;
    return type === 'u8' ? value : value - 4;
  });
}

function place(bytes: Uint8Array, at: number, bits: number, code: number): void {
  for (let i = 0; i < bits / 8; i++) bytes[at + i] = code >>> (8 * i);
}

async function check(job: Job, scale: 0 | 1, sign = 1): Promise<void> {
  const { type, d, n, a, b, selector } = job;
  const bits = elementBits[type];
  const kept = columnsOf(type);
  const k = selector === undefined ? kept : 2 * kept;
  const columnOfKept = (row: number, i: number): number => (selector === undefined ? i : columnOf(type, row, i));
  const [valuesA, valuesB, valuesC] = [numbers(64 * kept, 1, type), numbers(k * n, 2, type), numbers(64 * n, 3, 'u8')];
  const at = (values: readonly number[], i: number): number => values[i] ?? 0;
  const bytesA = new Uint8Array(roomOf);
  const bytesB = new Uint8Array(roomOf);
  for (let row = 0; row < 64; row++) {
    for (let column = 0; column < kept; column++) {
      const code = codeOf(type, at(valuesA, row * kept + column));
      if (a !== 'registers') place(bytesA, addressOf(a, { bits, across: 64, k: kept }, row, column), bits, code);
      else {
        // Each row is divided among four lanes. A register contains 4 bytes that are adjacent along k.
        const inBytes = (column * bits) / 8;
        const [half, lane] = [inBytes >> 4, 4 * (row % 8) + ((inBytes >> 2) & 3)];
        const register = ((row >> 3) & 1) + 2 * half;
        place(bytesA, 16 * (32 * (row >> 4) + lane) + 4 * register + (inBytes & 3), bits, code);
      }
    }
  }
  for (let row = 0; row < k; row++) {
    for (let column = 0; column < n; column++)
      place(
        bytesB,
        addressOf(b, { bits, across: n, k }, column, row),
        bits,
        codeOf(type, at(valuesB, row * n + column)),
      );
  }
  const perRegister = d === 'f16' ? 2 : 1;
  const elements = n / 2;
  const codeOfSum = (value: number): number => (d === 's32' ? value | 0 : bitsOf(d, value));
  const registersOf = (element: (row: number, column: number) => number): Uint32Array => {
    const words = new Uint32Array((128 * elements) / perRegister);
    for (let thread = 0; thread < 128; thread++) {
      for (let i = 0; i < elements; i++) {
        const index = Math.floor((thread * elements + i) / perRegister);
        words[index] =
          ((words[index] ?? 0) | (codeOfSum(element(...placeInD(thread, i))) << (16 * (i % perRegister)))) >>> 0;
      }
    }
    return words;
  };
  const c = registersOf((row, column) => at(valuesC, row * n + column));
  const expected = registersOf((row, column) => {
    let sum = scale * at(valuesC, row * n + column);
    for (let i = 0; i < kept; i++)
      sum += sign * at(valuesA, row * kept + i) * at(valuesB, columnOfKept(row, i) * n + column);
    return sum;
  });
  const metadata = Uint32Array.from(
    [0, 16, 32, 48].flatMap((first) => warpMetadata({ k, a: type }, selector ?? 0, first)),
    ([word]) => Number(word),
  );
  for (const [way, words] of await resultsOf(job, [bytesA, bytesB, c, metadata], scale))
    expect(words, way).toEqual([...expected]);
}

/** Runs a job on all engines with the given contents of A, B and C, and returns D. */
async function resultsOf(
  job: Job,
  [a, b, c, metadata]: readonly [Uint8Array, Uint8Array, Uint32Array, Uint32Array],
  scale: 0 | 1,
): Promise<readonly (readonly [way: string, words: readonly number[]])[]> {
  const text = moduleOf(job);
  return Promise.all(
    Object.entries(ways).map(async ([way, options]) => {
      const device = await Device.create({ gpu: 'H100' });
      const out = device.alloc(c.byteLength);
      const args = [device.alloc(a), device.alloc(b), device.alloc(c), out, scale, device.alloc(metadata)];
      const result = await device
        .load(text)
        .kernel('k')
        .launch({ block: 128, args, ...options });
      expect(result, way).toMatchObject({ ok: true });
      return [way, [...new Uint32Array(out.read().buffer)]] as const;
    }),
  );
}

const plain: Layout = { side: 1, alongK: true };
const half = { type: 'f16', d: 'f32', n: 16, a: plain, b: plain, tail: '%p2, 1, 1, 0, 0', transposes: true } as const;

describe('matrices in shared memory', () => {
  for (const side of [1, 2, 4, 8] as const) {
    for (const [alongA, alongB] of [
      [true, true],
      [true, false],
      [false, true],
      [false, false],
    ] as const) {
      const tail = `%p2, 1, 1, ${alongA ? 0 : 1}, ${alongB ? 0 : 1}`;
      const name = `${side} chunks in a line, A ${alongA ? 'along' : 'across'} k, B ${alongB ? 'along' : 'across'} k`;
      // If the lines of B lie across k, each line covers up to 64 columns.
      const n = alongB ? 32 : 128;
      test(name, () => check({ ...half, n, a: { side, alongK: alongA }, b: { side, alongK: alongB }, tail }, 1));
    }
  }
});

describe('types', () => {
  for (const type of ['f16', 'bf16', 'tf32', 'e4m3', 's8', 'u8'] as const) {
    for (const a of ['registers', { side: 4, alongK: true }] as const) {
      const isInteger = type === 's8' || type === 'u8';
      const isHalf = type === 'f16' || type === 'bf16';
      const tail = `%p2${isInteger ? '' : ', 1, 1'}${isHalf ? (a === 'registers' ? ', 0' : ', 0, 0') : ''}`;
      const d = isInteger ? 's32' : 'f32';
      const name = `${type}, A in ${a === 'registers' ? 'registers' : 'shared memory'}`;
      test(name, () => check({ type, d, n: 32, a, b: { side: 2, alongK: true }, tail, transposes: isHalf }, 1));
    }
  }
  test('f16 sums', () => check({ ...half, d: 'f16', n: 24 }, 1));
  test('f16 sums of e4m3', () => check({ ...half, type: 'e4m3', d: 'f16', tail: '%p2, 1, 1', transposes: false }, 1));
});

describe('sparse products', () => {
  for (const type of ['f16', 'bf16', 'tf32', 'e4m3', 's8', 'u8'] as const) {
    const isInteger = type === 's8' || type === 'u8';
    const transposes = type === 'f16' || type === 'bf16';
    const d = isInteger ? 's32' : 'f32';
    for (const a of ['registers', { side: 2, alongK: true }] as const) {
      for (const selector of elementBits[type] > 8 ? [0, 1] : [0]) {
        const tail = `%p2${isInteger ? '' : ', 1, 1'}${transposes ? (a === 'registers' ? ', 0' : ', 0, 0') : ''}`;
        const job: Job = { type, d, n: 32, a, b: { side: 4, alongK: true }, tail, transposes, selector };
        const where = a === 'registers' ? 'registers' : 'shared memory';
        test(`${type}, A in ${where}, metadata of selector ${selector}`, () => check(job, 1));
      }
    }
  }
  for (const side of [1, 2, 4, 8] as const) {
    for (const alongK of [true, false]) {
      const tail = `%p2, 1, 1, 0, ${alongK ? 0 : 1}`;
      const name = `${side} chunks in a line of B, ${alongK ? 'along' : 'across'} k`;
      test(name, () => check({ ...half, n: alongK ? 32 : 128, b: { side, alongK }, tail, selector: 0 }, 1));
    }
  }
});

describe('other operands', () => {
  for (const n of [8, 24, 40, 256]) test(`${n} columns`, () => check({ ...half, n }, 1));
  test('D is not added if scale-d is false', () => check(half, 0));
  test('D is not added if scale-d is 0', () => check({ ...half, tail: '0, 1, 1, 0, 0' }, 0));
  test('D is added if scale-d is 1', () => check({ ...half, tail: '1, 1, 1, 0, 0' }, 1));
  test('A is negated', () => check({ ...half, tail: '%p2, -1, 1, 0, 0' }, 1, -1));
  test('a warp waits until all warps of the warpgroup have computed their parts', () => {
    const clear = Array.from({ length: 1024 }, (_, i) => `st.shared.b32 [sa+${4 * i}], 0;`).join(' ');
    return check({ ...half, after: `setp.ge.u32 %p1, %r1, 32; @%p1 bra done; ${clear} done:` }, 1);
  });
  test('B is negated', () => check({ ...half, tail: '%p2, 1, -1, 0, 0' }, 1, -1));
  test('A and B are negated', () => check({ ...half, tail: '%p2, -1, -1, 0, 0' }, 1));
});

/** Random bits that include NaNs, infinities and subnormals. */
function randomBytes(count: number, seed: number): Uint8Array {
  const word = linearCongruential(seed);
  return Uint8Array.from({ length: count }, () => word() >>> 24);
}

describe('random bits: both engines compute the same', () => {
  for (const [type, d] of [
    ['f16', 'f32'],
    ['f16', 'f16'],
    ['bf16', 'f32'],
    ['tf32', 'f32'],
    ['e4m3', 'f32'],
    ['e4m3', 'f16'],
  ] as const) {
    const transposes = type === 'f16' || type === 'bf16';
    const job: Job = { ...half, type, d, n: 24, tail: `%p2, 1, 1${transposes ? ', 0, 0' : ''}`, transposes };
    test(`${d} sums of ${type}`, async () => {
      for (let seed = 1; seed <= 4; seed++) {
        const c = new Uint32Array(randomBytes(4 * 128 * 12, 3 * seed).buffer).subarray(0, d === 'f16' ? 768 : 1536);
        const [[, first] = [], ...others] = await resultsOf(
          job,
          [randomBytes(roomOf, seed), randomBytes(roomOf, 7 * seed), c, new Uint32Array(128)],
          1,
        );
        for (const [way, words] of others) expect(words, way).toEqual(first);
      }
    });
  }
});
