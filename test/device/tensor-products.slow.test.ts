/**
 * tcgen05.mma on one block. The matrices consist of small integers, so every sum is exact, and the expected product
 * does not depend on how the hardware rounds.
 */
import { describe, expect, test } from 'vitest';
import { Device } from '../../src/device.ts';
import { readNumber } from '../../src/numbers.ts';
import { addressOf, type Layout, type MatrixSize, offsets } from './canonical-layouts.ts';
import { ways } from './run.ts';

type Format = 'packed fp4' | 'f16' | 'bf16' | 'tf32' | 'e4m3' | 'e5m2' | 'e2m3' | 'e3m2' | 'e2m1' | 's8' | 'u8';

/**
 * For each format: the kind, the code in the instruction descriptor, the width of an element in memory, and the width
 * of the format itself.
 */
const formats: Readonly<Record<Format, readonly [kind: string, code: number, bits: number, width: number]>> = {
  f16: ['f16', 0, 16, 16],
  bf16: ['f16', 1, 16, 16],
  tf32: ['tf32', 2, 32, 32],
  e4m3: ['f8f6f4', 0, 8, 8],
  e5m2: ['f8f6f4', 1, 8, 8],
  e2m3: ['f8f6f4', 3, 8, 6],
  e3m2: ['f8f6f4', 4, 8, 6],
  e2m1: ['f8f6f4', 5, 8, 4],
  'packed fp4': ['mxf4', 1, 4, 4],
  s8: ['i8', 1, 8, 8],
  u8: ['i8', 0, 8, 8],
};

const swizzles = { 1: 0, 2: 6, 4: 4, 8: 2 } as const;

/**
 * The scale factors of a product. The code for 1 is 127 in ue8m0 and 0x38 in ue4m3. The factor doubles if the code
 * increases by 1 in ue8m0 or by 8 in ue4m3.
 */
interface Scaling {
  readonly words: string;
  readonly count: 1 | 2 | 4;
  readonly format: 'ue8m0' | 'ue4m3';
  /** The factors of a line begin at this byte (0 to 3) of each word. */
  readonly first: number;
}

interface Job {
  readonly a: Format;
  readonly b: Format;
  readonly d: 'f32' | 'f16' | 's32';
  readonly m: 64 | 128;
  readonly n: number;
  readonly layouts: readonly [a: Layout | 'tensor memory', b: Layout];
  /** Bits of the instruction descriptor in addition to the types and the shape. */
  readonly flags?: number;
  /** Whether the previous value of D is added to the product. */
  readonly adds?: boolean;
  /** `mask` and `scale` are the operands before and after the predicate that corresponds to `adds`. */
  readonly mask?: string;
  readonly scale?: number;
  readonly scaling?: Scaling;
  /** Whether A is sparse. The first two of every four columns are kept. */
  readonly sparse?: boolean;
  /** The instruction's modifiers between `mma` and `.cta_group`. With `.ws`, B is kept for later products. */
  readonly words?: string;
  /** A zero-column mask descriptor. */
  readonly zeroColumns?: bigint;
  /** The bits of each element of D before the product. */
  readonly before?: number;
}

const along = (side: Layout['side']): Layout => ({ side, alongK: true });
const across = (side: Layout['side']): Layout => ({ side, alongK: false });
const plain: Job = { a: 'f16', b: 'f16', d: 'f32', m: 128, n: 32, layouts: [along(8), along(8)] };

/** A cache for the bits of numbers, which is useful because the matrices contain few different numbers. */
const known = new Map<string, number>();
function codeOf(format: Format | 'f32', value: number): number {
  const key = `${format} ${value}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const named = format === 'packed fp4' ? 'e2m1' : format;
  const bits =
    format === 's8' || format === 'u8'
      ? value & 0xff
      : Number(readNumber(String(value), named === 'tf32' ? 'f32' : named).bits);
  known.set(key, bits);
  return bits;
}

/** Values from -2 to 2, or from 0 to 4 for u8. */
function valuesOf(format: Format, count: number, seed: number): readonly number[] {
  const least = format === 'u8' ? 0 : -2;
  return Array.from({ length: count }, (_, i) => (((i * seed + (i >> 5)) * 7) % 5) + least);
}

const kOf = (format: Format): number => 256 / formats[format][2];

/** The bytes of a matrix in shared memory. */
function sharedImage(format: Format, layout: Layout, values: readonly number[], lines: number): Uint8Array {
  const [, , bits, width] = formats[format];
  const k = values.length / lines;
  const size = { bits, across: lines, k };
  const image = new Uint8Array(32768);
  for (let line = 0; line < lines; line++) {
    for (let at = 0; at < k; at++) {
      const code = codeOf(format, values[line * k + at] ?? 0);
      if (width >= 8) {
        const address = addressOf(layout, size, line, at);
        for (let byte = 0; byte < bits / 8; byte++) image[address + byte] = code >>> (8 * byte);
      } else {
        const inChunk = at % (128 / bits);
        putSmall(image, addressOf(layout, size, line, at - inChunk), inChunk * width, code, width);
      }
    }
  }
  return image;
}

/**
 * Writes the bits of an element into a 16-byte chunk, starting at bit `low`. Small elements are packed at the start of
 * a chunk.
 */
function putSmall(image: Uint8Array, chunk: number, low: number, code: number, width: number): void {
  for (let bit = 0; bit < width; bit++) {
    const at = low + bit;
    image[chunk + (at >> 3)] = (image[chunk + (at >> 3)] ?? 0) | (((code >>> bit) & 1) << (at & 7));
  }
}

/**
 * The offset at which the scale factors are stored in the image of A. Each of 32 lanes has 4 words for A, followed by 4
 * words for B.
 */
const scaleImage = 16384;

/** The base-2 logarithm of the scale factor that applies to a block in a line. */
const scaleOf = (line: number, block: number): number => ((line + block) % 3) - 1;

function putScales(image: Uint8Array, { count, format, first }: Scaling): void {
  for (let lane = 0; lane < 32; lane++) {
    for (let column = 0; column < 8; column++) {
      for (let block = 0; block < count; block++) {
        const power = scaleOf(lane + 32 * (column % 4), block);
        const code = format === 'ue8m0' ? 127 + power : 0x38 + 8 * power;
        image[scaleImage + 32 * lane + 4 * column + first + block] = code;
      }
    }
  }
}

/** The words of A in tensor memory, 8 for each row. A 4-bit number is in bits 2 to 5 of its byte. */
function tensorWords(format: Format, values: readonly number[], lines: number): Uint32Array {
  const [, , bits, width] = formats[format];
  const words = new Uint32Array(lines * 8);
  const perWord = 32 / bits;
  values.forEach((value, i) => {
    const code = codeOf(format, value) << (width === 4 ? 2 : 0);
    words[Math.floor(i / perWord)] = ((words[Math.floor(i / perWord)] ?? 0) | (code << (bits * (i % perWord)))) >>> 0;
  });
  return words;
}

function descriptor(start: string, layout: Layout, size: MatrixSize): string {
  const { leading, stride } = offsets(layout, size);
  const fixed = (1n << 46n) | (BigInt(swizzles[layout.side]) << 61n);
  const word = fixed | (BigInt(leading / 16) << 16n) | (BigInt(stride / 16) << 32n);
  return `mov.u32 %r4, ${start}; shr.u32 %r4, %r4, 4; cvt.u64.u32 %${start}, %r4; or.b64 %${start}, %${start}, ${word};`;
}

const lanesOf = ({ m }: Job): string => (m === 128 ? '%t' : '%row');

/** Loads A into shared memory or tensor memory, multiplies, and stores the columns of D, row by row. */
function moduleOf(job: Job): string {
  const { a, b, d, m, n, layouts, flags = 0, adds = true, mask = '', scale, scaling, before = 0 } = job;
  const { sparse = false, words: own = '', zeroColumns } = job;
  const [ofA, ofB] = layouts;
  const sum = { f16: 0, f32: 1, s32: 2 }[d];
  const transposed = (layout: Job['layouts'][number], bit: number): number =>
    layout !== 'tensor memory' && !layout.alongK ? bit : 0;
  const word =
    flags |
    (sparse ? 4 : 0) |
    ((scaling === undefined ? sum : scaling.first) << 4) |
    (formats[a][1] << 7) |
    (formats[b][1] << 10) |
    ((n / 8) << 17) |
    ((m / 16) << 24) |
    transposed(ofA, 1 << 15) |
    transposed(ofB, 1 << 16) |
    (scaling === undefined ? 0 : ((scaling.format === 'ue8m0' ? 1 : 0) << 23) | (scaling.first << 29));
  const words = Array.from({ length: 8 }, (_, i) => `%w${i}`);
  const count = 2 ** Math.ceil(Math.log2(n));
  const inTensor = ofA === 'tensor memory';
  const start = Array.from({ length: count }, () => '%v');
  return `.version 9.0
.target sm_100a
.address_size 64
.shared .align 1024 .b8 sa[32768]; .shared .align 1024 .b8 sb[32768]; .shared .b32 base; .shared .align 8 .b64 bar;
.visible .entry k(.param .u64 a, .param .u64 b, .param .u64 out) {
.reg .pred %p, %q, %has; .reg .b32 %t, %row, %r<9>, %v, %w<8>; .reg .b64 %pa, %pb, %po, %at, %sa, %sb; .reg .b128 %x;
mov.u32 %t, %tid.x;
ld.param.u64 %pa, [a]; ld.param.u64 %pb, [b]; ld.param.u64 %po, [out];
setp.lt.u32 %p, %t, 32;
@%p tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [base], 512;
setp.eq.u32 %q, %t, 0;
@%q mbarrier.init.shared::cta.b64 [bar], 1;
mul.lo.u32 %r0, %t, 256; cvt.u64.u32 %at, %r0;
add.u64 %pa, %pa, %at; add.u64 %pb, %pb, %at;
mov.u32 %r1, sa; add.u32 %r1, %r1, %r0; mov.u32 %r2, sb; add.u32 %r2, %r2, %r0;
${Array.from({ length: 16 }, (_, i) => `ld.global.b128 %x, [%pa+${16 * i}]; st.shared.b128 [%r1+${16 * i}], %x; ld.global.b128 %x, [%pb+${16 * i}]; st.shared.b128 [%r2+${16 * i}], %x;`).join('\n')}
// The row of D that is in the lane of the thread.
and.b32 %row, %t, 15; shr.u32 %r0, %t, 5; mad.lo.u32 %row, %r0, 16, %row;
and.b32 %r3, %t, 16; setp.eq.u32 %has, %r3, 0;
bar.sync 0;
ld.shared.b32 %r5, [base]; shl.b32 %r0, %r0, 21; add.u32 %r6, %r5, %r0;
mov.b32 %v, 0x44444444;
tcgen05.st.sync.aligned.32x32b.x2.b32 [%r6+308], {%v, %v};
mov.b32 %v, ${before};
tcgen05.st.sync.aligned.32x32b.x${count}.b32 [%r6], {${start.join(', ')}};
mul.lo.u32 %r3, ${lanesOf(job)}, 32; mov.u32 %r4, sa; add.u32 %r4, %r4, %r3;
ld.shared.v4.b32 {${words.slice(0, 4).join(', ')}}, [%r4]; ld.shared.v4.b32 {${words.slice(4).join(', ')}}, [%r4+16];
tcgen05.st.sync.aligned.32x32b.x8.b32 [%r6+256], {${words.join(', ')}};
and.b32 %r3, %t, 31; shl.b32 %r3, %r3, 5; mov.u32 %r4, sa; add.u32 %r4, %r4, %r3;
ld.shared.v4.b32 {${words.slice(0, 4).join(', ')}}, [%r4+${scaleImage}]; ld.shared.v4.b32 {${words.slice(4).join(', ')}}, [%r4+${scaleImage + 16}];
tcgen05.st.sync.aligned.32x32b.x8.b32 [%r6+300], {${words.join(', ')}};
tcgen05.wait::st.sync.aligned;
tcgen05.fence::before_thread_sync;
bar.sync 0;
${inTensor ? 'add.u32 %r7, %r5, 256;' : descriptor('sa', ofA, { bits: formats[a][2], across: m, k: kOf(a) })}
${descriptor('sb', ofB, { bits: formats[b][2], across: n, k: kOf(b) * (sparse ? 2 : 1) })}
add.u32 %r2, %r5, 300; add.u32 %r3, %r5, 304; add.u32 %r4, %r5, 308; mov.b64 %at, ${zeroColumns ?? 0n};
mov.b32 %r8, ${word}; mov.b32 %r0, 0xf; mov.b32 %r1, 0;
setp.eq.u32 %p, ${adds ? 1 : 0}, 1;
@%q tcgen05.mma${own}.cta_group::1.kind::${scaling?.words ?? formats[a][0]} [%r5], ${inTensor ? '[%r7]' : '%sa'}, %sb, ${sparse ? '[%r4], ' : ''}%r8, ${scaling === undefined ? mask : '[%r2], [%r3], '}%p${scale === undefined ? '' : `, ${scale}`}${zeroColumns === undefined ? '' : ', %at'};
@%q tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];
again:
mbarrier.try_wait.parity.shared::cta.b64 %p, [bar], 0;
@!%p bra again;
tcgen05.fence::after_thread_sync;
mul.lo.u32 %r3, ${lanesOf(job)}, ${4 * n}; cvt.u64.u32 %at, %r3; add.u64 %po, %po, %at;
${Array.from({ length: n }, (_, i) => `tcgen05.ld.sync.aligned.32x32b.x1.b32 {%v}, [%r6+${i}]; ${m === 64 ? '@%has ' : ''}st.global.b32 [%po+${4 * i}], %v;`).join('\n')}
ret; }
`;
}

interface Result {
  readonly found: Uint32Array;
  /** The elements of the exact product. */
  readonly products: readonly number[];
}

async function run(job: Job, way: object, gpu = 'B200'): Promise<Result> {
  const { a, b, m, n, layouts } = job;
  const k = kOf(a);
  const all = job.sparse === true ? 2 * k : k;
  const [inA, inB] = [valuesOf(a, m * k, 3), valuesOf(b, n * all, 11)];
  const inColumn = (at: number): number => (job.sparse === true ? 4 * Math.floor(at / 2) + (at % 2) : at);
  const [ofA, ofB] = layouts;
  const imageA = new Uint8Array(32768);
  if (ofA === 'tensor memory') imageA.set(new Uint8Array(tensorWords(a, inA, m).buffer));
  else imageA.set(sharedImage(a, ofA, inA, m));
  if (job.scaling !== undefined) putScales(imageA, job.scaling);
  const device = await Device.create({ gpu: gpu as 'B200' });
  const out = device.alloc(4 * m * n);
  const args = [device.alloc(imageA), device.alloc(sharedImage(b, ofB, inB, n)), out];
  const result = await device
    .load(moduleOf(job))
    .kernel('k')
    .launch({ block: 128, args, ...way });
  expect(result).toMatchObject({ ok: true });
  const products = Array.from({ length: m * n }, (_, i) => {
    const [row, column] = [Math.floor(i / n) * k, (i % n) * all];
    const power = (at: number): number => {
      if (job.scaling === undefined) return 1;
      const block = Math.floor((at * job.scaling.count) / k);
      return 2 ** (scaleOf(Math.floor(i / n), block) + scaleOf(i % n, block));
    };
    return Array.from(
      { length: k },
      (__, at) => (inA[row + at] ?? 0) * (inB[column + inColumn(at)] ?? 0) * power(at),
    ).reduce((x, y) => x + y, 0);
  });
  return { found: new Uint32Array(out.read().buffer), products };
}

async function check(job: Job, way: object, valueOf = (product: number): number => product): Promise<void> {
  const { found, products } = await run(job, way);
  const encode = (value: number): number => {
    if (job.d === 's32') return value >>> 0;
    return job.d === 'f32' ? codeOf('f32', value) : codeOf('f16', value);
  };
  const wanted = products.map((product) => encode(valueOf(product)));
  const i = wanted.findIndex((bits, at) => bits !== found[at]);
  expect([i, found[i]?.toString(16), wanted[i]?.toString(16)]).toEqual([-1, undefined, undefined]);
}

const scaled = (a: Format, words: string, more: Omit<Scaling, 'words'>): Job => ({
  ...plain,
  a,
  b: a,
  n: 64,
  scaling: { ...more, words: `${words.split('.')[0]}.block_scale${words.slice(words.indexOf('.'))}` },
});

const jobs: readonly (readonly [string, Job])[] = [
  ...([1, 2, 4, 8] as const).flatMap((side): (readonly [string, Job])[] => [
    [`f16, swizzle of ${16 * side} bytes`, { ...plain, layouts: [along(side), along(side)] }],
    [`f16, both transposed, swizzle of ${16 * side} bytes`, { ...plain, n: 64, layouts: [across(side), across(side)] }],
    [
      `e4m3, both transposed, swizzle of ${16 * side} bytes`,
      { ...plain, a: 'e4m3', b: 'e4m3', n: 128, layouts: [across(side), across(side)] },
    ],
  ]),
  ['f16 to f16', { ...plain, d: 'f16' }],
  ['bf16, 64 rows', { ...plain, a: 'bf16', b: 'bf16', m: 64, n: 24 }],
  ['tf32', { ...plain, a: 'tf32', b: 'tf32' }],
  ['fp8 of two formats', { ...plain, a: 'e4m3', b: 'e5m2' }],
  ['fp6 of two formats', { ...plain, a: 'e2m3', b: 'e3m2' }],
  ['fp4 and fp8', { ...plain, a: 'e2m1', b: 'e4m3' }],
  ['s8 and u8', { ...plain, a: 's8', b: 'u8', d: 's32' }],
  ['A in tensor memory', { ...plain, layouts: ['tensor memory', along(8)] }],
  ['A in tensor memory, 64 rows', { ...plain, m: 64, layouts: ['tensor memory', along(8)] }],
  ['fp4 in tensor memory', { ...plain, a: 'e2m1', b: 'e2m1', layouts: ['tensor memory', along(8)] }],
  ['mxf8f6f4', scaled('e4m3', 'mxf8f6f4.scale_vec::1X', { count: 1, format: 'ue8m0', first: 0 })],
  [
    'mxf8f6f4 of fp6, scale factors in byte 2',
    scaled('e3m2', 'mxf8f6f4.block32', { count: 1, format: 'ue8m0', first: 2 }),
  ],
  ['mxf4', scaled('packed fp4', 'mxf4.block32', { count: 2, format: 'ue8m0', first: 0 })],
  ['mxf4, upper scale factors', scaled('packed fp4', 'mxf4.scale_vec::2X', { count: 2, format: 'ue8m0', first: 2 })],
  ['mxf4nvf4 in blocks of 16', scaled('packed fp4', 'mxf4nvf4.scale_vec::4X', { count: 4, format: 'ue4m3', first: 0 })],
  ['mxf4nvf4 in blocks of 32', scaled('packed fp4', 'mxf4nvf4.block32', { count: 2, format: 'ue8m0', first: 0 })],
  ['a sparse A', { ...plain, words: '.sp', sparse: true, layouts: [along(2), along(4)] }],
  [
    'a sparse A of fp8 in tensor memory',
    { ...plain, a: 'e4m3', b: 'e4m3', words: '.sp', sparse: true, layouts: ['tensor memory', along(8)] },
  ],
  ['B is kept', { ...plain, words: '.ws', n: 64 }],
  ['B is kept, a sparse A', { ...plain, words: '.ws.sp', sparse: true, n: 64 }],
  ['B is kept, no columns of zeros', { ...plain, words: '.ws', n: 64, zeroColumns: 0n }],
  ['s8 in tensor memory', { ...plain, a: 's8', b: 's8', d: 's32', layouts: ['tensor memory', along(8)] }],
];

describe.each(Object.entries(ways))('%s', (name, way) => {
  // The reference engine uses the same code for all products, so a few products are enough.
  const own = name === 'interp' ? jobs.filter((_, i) => i % 6 === 0) : jobs;
  test.each(own)('%s', (_, job) => check(job, way));

  test('D without its previous value', () => check({ ...plain, before: 0x4100_0000, adds: false }, way));
  test('D with its previous value', () => check({ ...plain, before: 0x4100_0000 }, way, (product) => product + 8));
  test('D with its previous value, divided by a power of two', () =>
    check({ ...plain, before: 0x4100_0000, scale: 2 }, way, (product) => product + 2));
  test('negated factors', () => check({ ...plain, flags: 1 << 13 }, way, (product) => -product || 0));
  test('both factors negated', () => check({ ...plain, flags: 3 << 13 }, way));
});

test('columns of zeros', async () => {
  // Of every four columns, the first two are used, and the last two are replaced with zeros.
  const zeroColumns = (1n << 39n) | (1n << 40n) | (1n << 48n);
  const { found, products } = await run({ ...plain, words: '.ws', n: 64, zeroColumns }, {});
  const wanted = products.map((product, i) => codeOf('f32', i % 4 < 2 ? product : 0));
  expect([...found]).toEqual(wanted);
});

test('lanes that remain unchanged', async () => {
  const { found, products } = await run({ ...plain, before: 7, adds: false, mask: '{%r0, %r1, %r1, %r1}, ' }, {});
  const rows = [0, 1, 2, 3, 4, 5].map((row) => found[row * plain.n + 1]);
  const at = (row: number): number => codeOf('f32', products[row * plain.n + 1] ?? 0);
  expect(rows).toEqual([7, 7, 7, 7, at(4), at(5)]);
});

const mistakes: readonly (readonly [name: string, flags: number, message: string])[] = [
  ['a shape that does not exist', 1 << 24, 'no product with 144 rows'],
  ['a sparse product', 1 << 2, 'for a sparse product'],
  ['a format of D that the kind does not have', 2 << 4, 'unknown type 3 of D'],
  ['a format of A that the kind does not have', 2 << 7, 'unknown element type 2'],
];

test('a product with K = 96 is refused', async () => {
  const [, job] = jobs.find(([name]) => name === 'mxf4') ?? [];
  if (job === undefined) throw new Error('there is no such product');
  const device = await Device.create({ gpu: 'B200' });
  const args = [32768, 32768, 16384].map((bytes) => device.alloc(bytes));
  const result = await device
    .load(moduleOf({ ...job, n: 16, flags: 1 << 31 }))
    .kernel('k')
    .launch({ block: 128, args });
  expect(result).toMatchObject({ ok: false, fault: { message: expect.stringContaining('K = 96') } });
});

test.each(mistakes)('an instruction descriptor with %s is a fault', async (_, flags, message) => {
  const device = await Device.create({ gpu: 'B200' });
  const args = [32768, 32768, 16384].map((bytes) => device.alloc(bytes));
  const result = await device
    .load(moduleOf({ ...plain, flags }))
    .kernel('k')
    .launch({ block: 128, args });
  expect(result).toMatchObject({ ok: false, fault: { code: 'PTX6036', message: expect.stringContaining(message) } });
});
