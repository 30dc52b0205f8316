/**
 * Jobs that ask a GPU what wgmma computes: `npx tsx tools/hardware/jobs-wgmma.ts > JOBS.jsonl`. Each block of a launch
 * is one warpgroup, which copies an image to shared memory, multiplies the matrices in the image, and stores D.
 *
 * The name of a job says what it tests:
 * - `data`: random data. Each block has data of a different kind. `negated` and `twice` have random data, too, but A or
 *   B is negated, or two products are added to the same D.
 * - `layout`: matrices with few different numbers in one of the canonical layouts.
 * - `order`: which elements are added in the same step, as in jobs-matrix.ts.
 * - `places of B` and `places of A`: each element in shared memory contains its own address, and the other matrix is a
 *   unit matrix, so D shows the address from which each element was read. Each block has a different descriptor. With
 *   `odd`, the descriptors do not describe any canonical layout.
 * - `kept columns`: B is a unit matrix, so D shows the columns in which the metadata puts the elements of A.
 */
import { addressOf, type Layout, type MatrixSize, offsets } from '../../test/device/canonical-layouts.ts';
import { RandomSource } from '../../test/differential/random-source.ts';
import { keptColumn } from '../../src/isa/matrix-product.ts';
import type { BufferArgument, Job, JobArgument } from '../../test/hardware/job.ts';
import { placeInD } from '../../test/matrix/warpgroup-sums.ts';
import {
  bitsOfElement,
  bytesOf,
  type Element,
  elementOf,
  type FloatElement,
  type FloatKind,
  floatKinds,
  hexOf,
  isFloat,
  metadataWord,
  powerOfTwo,
  putBits,
  randomBits,
} from './matrix-data.ts';

// --- types ------------------------------------------------------------------------------------------------------------

interface Types {
  readonly d: 'f16' | 'f32' | 's32';
  readonly a: Element;
  readonly b: Element;
  /** The text of the mnemonic before and after the types. */
  readonly before?: string;
  readonly after?: string;
}

const fp8 = ['e4m3', 'e5m2'] as const;
const int8 = ['s8', 'u8'] as const;
const pairs = <T>(names: readonly T[]): readonly (readonly [T, T])[] =>
  names.flatMap((a) => names.map((b) => [a, b] as const));

const wideFloats: readonly Types[] = [
  { d: 'f32', a: 'f16', b: 'f16' },
  { d: 'f16', a: 'f16', b: 'f16' },
  { d: 'f32', a: 'bf16', b: 'bf16' },
  { d: 'f32', a: 'tf32', b: 'tf32' },
];
const floats: readonly Types[] = [
  ...wideFloats,
  ...(['f32', 'f16'] as const).flatMap((d) => pairs(fp8).map(([a, b]): Types => ({ d, a, b }))),
];
const byteTypes: readonly Types[] = ['', '.satfinite'].flatMap((before) =>
  pairs(int8).map(([a, b]): Types => ({ d: 's32', a, b, before })),
);
const bits: Types = { d: 's32', a: 'b1', b: 'b1', after: '.and.popc' };
/** Types with elements of each size. */
const f16: Types = { d: 'f32', a: 'f16', b: 'f16' };
const tf32: Types = { d: 'f32', a: 'tf32', b: 'tf32' };
const u8: Types = { d: 's32', a: 'u8', b: 'u8' };
const e4m3: Types = { d: 'f32', a: 'e4m3', b: 'e4m3' };

/** The number of columns of A that are stored. */
const storedIn = ({ a }: Types): number => 256 / bitsOfElement(a);
const isHalf = ({ a }: Types): boolean => a === 'f16' || a === 'bf16';
const isInteger = ({ d }: Types): boolean => d === 's32';

// --- the kernel -------------------------------------------------------------------------------------------------------

interface Kernel {
  readonly types: Types;
  readonly n: number;
  /** Where A is. */
  readonly a: 'registers' | 'shared';
  /** The constant that selects the lanes with metadata, if A is sparse. */
  readonly selector?: number;
  readonly signs?: readonly [1 | -1, 1 | -1];
  readonly transposes?: readonly [a: boolean, b: boolean];
  readonly twice?: boolean;
  /** What shared memory contains before the image is copied. */
  readonly fill?: Fill;
  /** The number of warps that store D; by default, all four. */
  readonly storing?: number;
}

const storingIn = ({ storing = 4 }: Kernel): number => storing;

const isSparse = ({ selector }: Kernel): boolean => selector !== undefined;
const columnsIn = (kernel: Kernel): number => storedIn(kernel.types) * (isSparse(kernel) ? 2 : 1);

function mnemonicOf(kernel: Kernel): string {
  const { d, a, b, before = '', after = '' } = kernel.types;
  const sparse = isSparse(kernel) ? '.sp' : '';
  return `wgmma.mma_async${sparse}.sync.aligned.m64n${kernel.n}k${columnsIn(kernel)}${before}.${d}.${a}.${b}${after}`;
}

/** The operands after the matrices. */
function tailOf({ types, a, signs = [1, 1], transposes = [false, false] }: Kernel): string {
  const ofSigns = isInteger(types) ? '' : `, ${signs.join(', ')}`;
  const [transA, transB] = transposes.map(Number);
  const ofA = a === 'registers' ? '' : `, ${transA}`;
  return `%scaled${ofSigns}${isHalf(types) ? `${ofA}, ${transB}` : ''}`;
}

const countOf = ({ types, n }: Kernel): number => n / (types.d === 'f16' ? 4 : 2);

/** How the memory before the image is filled: with elements that contain their own addresses. */
type Fill = 'halves' | 'words' | 'bytes 0' | 'bytes 1';
/** Computes %w, the word at the address %i. */
const fills: Readonly<Record<Fill, string>> = {
  halves: 'shr.u32 %w, %i, 2; mad.lo.u32 %w, %w, 0x20002, 0x01010100;',
  words: 'shr.u32 %w, %i, 2; add.u32 %w, %w, 0x2000; shl.b32 %w, %w, 13;',
  'bytes 0': 'and.b32 %w, %i, 255; mad.lo.u32 %w, %w, 0x01010101, 0x03020100;',
  'bytes 1': 'shr.u32 %w, %i, 8; and.b32 %w, %w, 255; mul.lo.u32 %w, %w, 0x01010101;',
};
const filledBytes = 61440;

function fillText(fill: Fill): string {
  return `mov.u32 %i, %t4;
fill: ${fills[fill]} add.u32 %x, %base, %i; st.shared.b32 [%x], %w; add.u32 %i, %i, 512; setp.lt.u32 %p, %i, ${filledBytes}; @%p bra fill;
bar.sync 0;`;
}

/** The kernel adds the address of shared memory to the descriptors. */
function sourceOf(kernel: Kernel): string {
  const count = countOf(kernel);
  const list = (name: string, length: number): string =>
    `{${Array.from({ length }, (_, i) => `%${name}${i}`).join(',')}}`;
  const each = (line: (i: number) => string): string => Array.from({ length: count }, (_, i) => line(i)).join(' ');
  const sparse = kernel.selector === undefined ? '' : `%e, ${kernel.selector}, `;
  const product = (a: string, b: string): string =>
    `${mnemonicOf(kernel)} ${list('d', count)}, ${kernel.a === 'registers' ? list('a', 4) : a}, ${b}, ${sparse}${tailOf(kernel)};`;
  const pointer = (name: string): string =>
    `ld.param.u64 %p${name}, [q${name}]; ld.param.u32 %x, [s${name}]; mul.wide.u32 %o, %x, %block; add.u64 %p${name}, %p${name}, %o;`;
  const names = ['i', 'r', 'c', 'e', 'q', 'd'];
  return `.version 9.0\n.target sm_90a\n.address_size 64
.extern .shared .align 1024 .b8 sm[];
.visible .entry k(${names.map((name) => `.param .u64 q${name}, .param .u32 s${name}`).join(', ')}, .param .u32 at, .param .u32 size, .param .u32 scale) .reqntid 128 {
.reg .pred %p, %scaled; .reg .b32 %t, %t4, %i, %w, %x, %base, %block, %size, %e, %d<${count}>, %a<4>; .reg .b64 %o, %u, %v<4>, ${names.map((name) => `%p${name}`).join(', ')};
mov.u32 %t, %tid.x; shl.b32 %t4, %t, 2; mov.u32 %base, sm; mov.u32 %block, %ctaid.x;
${names.map(pointer).join('\n')}
${kernel.fill === undefined ? '' : fillText(kernel.fill)}
ld.param.u32 %size, [size]; mov.u32 %i, %t4;
setp.ge.u32 %p, %i, %size; @%p bra copied;
copy: cvt.u64.u32 %o, %i; add.u64 %o, %o, %pi; ld.global.b32 %w, [%o]; ld.param.u32 %x, [at]; add.u32 %x, %x, %base; add.u32 %x, %x, %i; st.shared.b32 [%x], %w;
add.u32 %i, %i, 512; setp.lt.u32 %p, %i, %size; @%p bra copy;
copied: fence.proxy.async; bar.sync 0;
mul.wide.u32 %o, %t, 16; add.u64 %o, %o, %pr; ld.global.v4.b32 {%a0,%a1,%a2,%a3}, [%o];
mul.wide.u32 %o, %t, 4; add.u64 %o, %o, %pe; ld.global.b32 %e, [%o];
mul.wide.u32 %u, %t, ${4 * count}; add.u64 %o, %u, %pc;
${each((i) => `ld.global.b32 %d${i}, [%o+${4 * i}];`)}
and.b32 %x, %base, 0x3ffff; shr.u32 %x, %x, 4; cvt.u64.u32 %o, %x;
${[0, 1, 2, 3].map((i) => `ld.global.b64 %v${i}, [%pq+${8 * i}]; add.u64 %v${i}, %v${i}, %o;`).join(' ')}
ld.param.u32 %x, [scale]; setp.ne.u32 %scaled, %x, 0;
wgmma.fence.sync.aligned;
${product('%v0', '%v1')}
${kernel.twice === true ? product('%v2', '%v3') : ''}
wgmma.commit_group.sync.aligned;
wgmma.wait_group.sync.aligned 0;
setp.ge.u32 %p, %t, ${32 * storingIn(kernel)}; @%p ret;
add.u64 %o, %u, %pd;
${each((i) => `st.global.b32 [%o+${4 * i}], %d${i};`)}
ret; }
`;
}

// --- jobs -------------------------------------------------------------------------------------------------------------

/** The data of a block. Anything absent is filled with zeros. */
interface Block {
  readonly image?: Uint8Array;
  readonly registers?: Uint8Array;
  readonly c?: Uint8Array;
  readonly metadata?: Uint8Array;
  readonly descriptors: readonly bigint[];
}

/**
 * A buffer with the parts of all blocks, and the distance between two parts. If all parts are equal, the blocks share
 * one part.
 */
function parts(blocks: readonly (Uint8Array | undefined)[], size: number): readonly JobArgument[] {
  const hexes = blocks.map((bytes) => hexOf(bytes ?? new Uint8Array(0)).padEnd(2 * size, '0'));
  const alike = hexes.every((hex) => hex === hexes[0]);
  const all = (alike ? hexes.slice(0, 1) : hexes).join('');
  const trimmed = all.replace(/(00)*$/, '');
  const contents: BufferArgument = {
    kind: 'buffer',
    size: all.length / 2,
    bytes: trimmed.length % 2 === 0 ? trimmed : `${trimmed}0`,
  };
  return [contents, word(alike ? 0 : size)];
}

const word = (value: number): JobArgument => ({ kind: 'scalar', bytes: hexOf(bytesOf([BigInt(value)], 32)) });

interface BlockJob {
  readonly id: string;
  readonly kernel: Kernel;
  readonly blocks: readonly Block[];
  readonly scale: 0 | 1;
}

/** Extra shared memory, in case a GPU reads from other places than we assume. */
const slack = 32768;

const roundUp = (size: number, to: number): number => Math.ceil(size / to) * to;

function jobOf({ id, kernel, blocks, scale }: BlockJob): Job {
  const image = roundUp(Math.max(4, ...blocks.map((block) => block.image?.length ?? 0)), 512);
  const sizeOfD = 512 * countOf(kernel);
  const stored = (sizeOfD / 4) * storingIn(kernel);
  const descriptors = blocks.map(({ descriptors: [a = 0n, b = 0n, a2 = 0n, b2 = 0n] }) => bytesOf([a, b, a2, b2], 64));
  const at = kernel.fill === undefined ? 0 : filledBytes;
  const where = kernel.a === 'registers' ? 'registers' : 'shared';
  const selected = kernel.selector === undefined ? '' : ` selector ${kernel.selector}`;
  return {
    id: `${mnemonicOf(kernel)} A in ${where}${selected}: ${id}`,
    source: sourceOf(kernel),
    kernel: 'k',
    grid: [blocks.length, 1, 1],
    block: [128, 1, 1],
    shared: at + image + slack,
    args: [
      ...parts(
        blocks.map((block) => block.image),
        image,
      ),
      ...parts(
        blocks.map(({ registers }) => registers),
        2048,
      ),
      ...parts(
        blocks.map(({ c }) => c),
        sizeOfD,
      ),
      ...parts(
        blocks.map(({ metadata }) => metadata),
        512,
      ),
      ...parts(descriptors, 32),
      { kind: 'buffer', size: stored * blocks.length, returned: true },
      word(stored),
      word(at),
      word(image),
      word(scale),
    ],
  };
}

// --- matrices ---------------------------------------------------------------------------------------------------------

type CodeAt = (row: number, column: number) => bigint;

const swizzleCodes = { 1: 0, 2: 3, 4: 2, 8: 1 } as const;

interface Descriptor {
  readonly side: Layout['side'];
  readonly start: number;
  readonly leading: number;
  readonly stride: number;
  readonly base?: number;
}

function descriptorOf({ side, start, leading, stride, base = 0 }: Descriptor): bigint {
  const field = (value: number, low: number): bigint => BigInt(value) << BigInt(low);
  return (
    field(start >> 4, 0) |
    field(leading >> 4, 16) |
    field(stride >> 4, 32) |
    field(base, 49) |
    field(swizzleCodes[side], 62)
  );
}

/** The width of an element in a layout. Elements of type b1 are laid out as bytes. */
const laidOut = (element: Element): number => Math.max(8, bitsOfElement(element));
const lengthOf = (element: Element, k: number): number => (element === 'b1' ? k / 8 : k);

/** A matrix of `across` rows of A or columns of B in shared memory. */
interface Placed {
  readonly layout: Layout;
  readonly element: Element;
  readonly across: number;
  readonly k: number;
  readonly start: number;
  readonly code: (across: number, k: number) => bigint;
}

const sizeOf = ({ element, across, k }: Placed): MatrixSize => ({
  bits: laidOut(element),
  across,
  k: lengthOf(element, k),
});

function place(image: Uint8Array, placed: Placed): bigint {
  const { layout, start, code } = placed;
  const size = sizeOf(placed);
  for (let across = 0; across < size.across; across++) {
    for (let k = 0; k < size.k; k++)
      putBits(image, 8 * (start + addressOf(layout, size, across, k)), size.bits, code(across, k));
  }
  return descriptorOf({ side: layout.side, start, ...offsets(layout, size) });
}

/**
 * The number of bytes from the start of a matrix to the end of its last element, rounded up to a multiple of 1024. With
 * a swizzle, there may be gaps.
 */
function bytesOfPlaced(placed: Placed): number {
  const { layout, start } = placed;
  const size = sizeOf(placed);
  let last = start;
  for (let across = 0; across < size.across; across++) {
    for (let k = 0; k < size.k; k++) last = Math.max(last, start + addressOf(layout, size, across, k));
  }
  return roundUp(last + 4 - start, 1024);
}

/**
 * An image with matrices that follow one another, and the descriptors of the matrices. Each matrix begins at a multiple
 * of 1024.
 */
function imageOf(matrices: readonly Omit<Placed, 'start'>[]): {
  readonly image: Uint8Array;
  readonly descriptors: readonly bigint[];
} {
  let end = 0;
  const placed = matrices.map((matrix): Placed => {
    const one = { ...matrix, start: end };
    end += bytesOfPlaced(one);
    return one;
  });
  const image = new Uint8Array(end);
  return { image, descriptors: placed.map((one) => place(image, one)) };
}

/** The registers of A: four lanes share a row, and a register holds 4 bytes that are adjacent along k. */
function registersOfA(element: Element, stored: number, code: CodeAt): Uint8Array {
  const bitsOfOne = laidOut(element);
  const to = new Uint8Array(2048);
  for (let row = 0; row < 64; row++) {
    for (let column = 0; column < lengthOf(element, stored); column++) {
      const inBytes = (column * bitsOfOne) / 8;
      const lane = 4 * (row % 8) + ((inBytes >> 2) & 3);
      const register = ((row >> 3) & 1) + 2 * (inBytes >> 4);
      putBits(to, 8 * (16 * (32 * (row >> 4) + lane) + 4 * register + (inBytes & 3)), bitsOfOne, code(row, column));
    }
  }
  return to;
}

function registersOfD({ types, n }: Kernel, code: CodeAt): Uint8Array {
  const codes = Array.from({ length: 128 }, (_, thread) =>
    Array.from({ length: n / 2 }, (__, i) => code(...placeInD(thread, i))),
  );
  return bytesOf(codes.flat(), bitsOfElement(types.d));
}

/** Generates the codes of a matrix once, so that the matrix can be laid out twice. */
function matrixOf(rows: number, columns: number, code: () => bigint): CodeAt {
  const codes = Array.from({ length: rows * columns }, code);
  return (row, column) => codes[row * columns + column] ?? 0n;
}

// --- random data ------------------------------------------------------------------------------------------------------

const plain: Layout = { side: 1, alongK: true };

interface Data {
  readonly kernel: Kernel;
  readonly layouts: readonly [a: Layout, b: Layout];
  readonly kind: FloatKind;
  /** The maximum number of different elements in A and in B; C then has at most 8. If absent, there is no limit. */
  readonly variety?: number;
  readonly validMetadata?: boolean;
}

/** Returns a function that returns random codes, with at most `variety` different values. */
function source(random: RandomSource, variety: number | undefined, code: () => bigint): () => bigint {
  if (variety === undefined) return code;
  const codes = Array.from({ length: variety }, code);
  return () => random.pick(codes);
}

function codesOf(
  random: RandomSource,
  element: Element,
  kind: FloatKind,
  side: 'a' | 'b' | 'c',
  variety?: number,
): () => bigint {
  // A code of b1 consists of eight elements with random bits.
  if (element === 'b1') return source(random, variety, () => randomBits(random, 8));
  return source(random, variety, () => elementOf(random, element, kind, side));
}

function randomMetadata(random: RandomSource, element: Element, valid: boolean): Uint8Array {
  return bytesOf(
    Array.from({ length: 128 }, () => BigInt(metadataWord(random, element === 'tf32', valid))),
    32,
  );
}

function dataBlock(random: RandomSource, { kernel, layouts, kind, variety, validMetadata = true }: Data): Block {
  const { types, n } = kernel;
  const [stored, k] = [storedIn(types), columnsIn(kernel)];
  const ofA = (): CodeAt => matrixOf(64, lengthOf(types.a, stored), codesOf(random, types.a, kind, 'a', variety));
  const ofB = (): CodeAt => matrixOf(n, lengthOf(types.b, k), codesOf(random, types.b, kind, 'b', variety));
  const inRegisters = kernel.a === 'registers';
  const a = ofA();
  const matrices = (codeA: CodeAt): readonly Omit<Placed, 'start'>[] => [
    { layout: layouts[0], element: types.a, across: inRegisters ? 0 : 64, k: stored, code: codeA },
    { layout: layouts[1], element: types.b, across: n, k, code: ofB() },
  ];
  const all = [...matrices(a), ...(kernel.twice === true ? matrices(ofA()) : [])];
  const sum = codesOf(random, types.d, kind, 'c', variety === undefined ? undefined : 8);
  return {
    ...imageOf(all),
    c: registersOfD(kernel, matrixOf(64, n, sum)),
    ...(inRegisters ? { registers: registersOfA(types.a, stored, a) } : {}),
    ...(isSparse(kernel) ? { metadata: randomMetadata(random, types.a, validMetadata) } : {}),
  };
}

interface DataJob extends Omit<Data, 'kind'> {
  readonly id: string;
  readonly kinds: readonly FloatKind[];
  readonly scale?: 0 | 1;
}

let seed = 5000;

function dataJob({ id, kinds, scale = 1, ...data }: DataJob): Job {
  const random = new RandomSource(seed++);
  const blocks = kinds.map((kind) => dataBlock(random, { ...data, kind }));
  return jobOf({ id, kernel: data.kernel, blocks, scale });
}

const both = ['shared', 'registers'] as const;
const plainBoth = [plain, plain] as const;
const fewKinds: readonly FloatKind[] = ['spread', 'cancelling', 'any bits'];
const sparseKinds: readonly FloatKind[] = [
  'ordinary',
  'spread',
  'powers',
  'cancelling',
  'zeros',
  'special',
  'any bits',
];
const integerKinds: readonly FloatKind[] = ['any bits', 'any bits'];

const kindsFor = (types: Types, kinds: readonly FloatKind[]): readonly FloatKind[] =>
  isInteger(types) ? integerKinds : kinds;

function denseData(): readonly Job[] {
  return [...floats, ...byteTypes, bits].flatMap((types) =>
    both.map((a) =>
      dataJob({
        id: 'data',
        kernel: { types, n: 8, a },
        layouts: plainBoth,
        kinds: kindsFor(types, a === 'shared' && types.a === types.b ? floatKinds : fewKinds),
      }),
    ),
  );
}

const selectorsOf = ({ a }: Types): readonly number[] => (bitsOfElement(a) > 8 ? [0, 1] : [0]);

function sparseData(): readonly Job[] {
  return [...floats, ...byteTypes].flatMap((types) =>
    both.flatMap((a) =>
      selectorsOf(types).map((selector) =>
        dataJob({
          id: 'data',
          kernel: { types, n: 8, a, selector },
          layouts: plainBoth,
          kinds: kindsFor(types, (a === 'shared') === (selector === 0) && types.a === types.b ? sparseKinds : fewKinds),
        }),
      ),
    ),
  );
}

/** Jobs that negate A or B, which is possible only for floats. */
function negated(): readonly Job[] {
  const signs = [
    [-1, 1],
    [1, -1],
    [-1, -1],
  ] as const;
  return floats
    .filter(({ a, b }) => a === b)
    .flatMap((types) =>
      signs.flatMap((one) =>
        both.map((a) =>
          dataJob({
            id: `negated ${one.join(' ')}`,
            kernel: { types, n: 8, a, signs: one },
            layouts: plainBoth,
            kinds: ['zeros', 'special'],
          }),
        ),
      ),
    );
}

function twice(): readonly Job[] {
  return [...floats, ...byteTypes.slice(4, 6), bits].flatMap((types) =>
    both.map((a) =>
      dataJob({
        id: 'twice',
        kernel: { types, n: 8, a, twice: true },
        layouts: plainBoth,
        kinds: kindsFor(types, ['spread', 'cancelling']),
        scale: a === 'shared' ? 1 : 0,
      }),
    ),
  );
}

const columnCounts = [16, 24, 64, 96, 256] as const;

function manyColumns(): readonly Job[] {
  const few = [...wideFloats, floats[5] ?? e4m3, byteTypes[1] ?? u8, bits];
  const dense = few.flatMap((types) =>
    columnCounts.map((n) => ({
      id: 'columns',
      kernel: { types, n, a: n % 32 === 0 ? 'shared' : 'registers' } as const,
    })),
  );
  const sparse = few
    .filter(({ a }) => a !== 'b1')
    .map((types) => ({ id: 'columns', kernel: { types, n: 128, a: 'shared', selector: 0 } as const }));
  return [...dense, ...sparse].map((one) =>
    dataJob({ ...one, layouts: plainBoth, kinds: ['spread'], variety: 32, scale: one.kernel.n === 64 ? 0 : 1 }),
  );
}

// --- layouts ----------------------------------------------------------------------------------------------------------

const sides = [1, 2, 4, 8] as const;
const directions = [
  [true, true],
  [true, false],
  [false, true],
  [false, false],
] as const;

function layoutJob(
  types: Types,
  side: Layout['side'],
  [alongA, alongB]: readonly [boolean, boolean],
  selector?: number,
): Job {
  const kernel: Kernel = {
    types,
    n: alongB ? 32 : 128,
    a: 'shared',
    transposes: [!alongA, !alongB],
    ...(selector === undefined ? {} : { selector }),
  };
  const name = (along: boolean): string => (along ? 'along' : 'across');
  return dataJob({
    id: `layout ${16 * side} bytes, A ${name(alongA)} k, B ${name(alongB)} k`,
    kernel,
    layouts: [
      { side, alongK: alongA },
      { side, alongK: alongB },
    ],
    kinds: ['ordinary'],
    variety: 16,
    scale: 0,
  });
}

function layoutJobs(): readonly Job[] {
  const along = [[true, true]] as const;
  return [f16, tf32, u8, e4m3, bits].flatMap((types) =>
    sides.flatMap((side) => {
      const which = isHalf(types) ? directions : along;
      const dense = which.map((one) => layoutJob(types, side, one));
      return types.a === 'b1' ? dense : [...dense, ...which.map((one) => layoutJob(types, side, one, 0))];
    }),
  );
}

// --- the order of additions -------------------------------------------------------------------------------------------

/**
 * The exponents of `Scale` in jobs-matrix.ts. wgmma keeps few bits of fp8 products, so large fp8 products are only 2^10
 * to 2^17 times as large as small ones.
 */
const scaleFor = (element: Element): readonly [largeA: number, largeB: number, smallA: number, smallB: number] =>
  element === 'e4m3' || element === 'e5m2' ? [8, 1, 0, -1] : [0, 8, 0, -14];

const accumulator = -1;
const uniform = 0x4444_4444;

/** The column of the stored element with index `at`, if all pieces of metadata are the same. */
function keptAt(element: Element, at: number, metadata: number): number {
  return keptColumn(element === 'tf32' ? 0.5 : 1, at, metadata);
}

function uniformMetadata(value: number): Uint8Array {
  return bytesOf(
    Array.from({ length: 128 }, () => BigInt(value)),
    32,
  );
}

/** In every second group of rows, the large products have the opposite signs. */
function orderBlock(kernel: Kernel, [i, j]: readonly [number, number]): Block {
  const { types, n } = kernel;
  const [a, b, d] = [types.a as FloatElement, types.b as FloatElement, types.d as FloatElement];
  const [largeA, largeB, smallA, smallB] = scaleFor(types.a);
  const stored = storedIn(types);
  const sign = (row: number): number => Math.floor(row / stored) % 2;
  const rowOfB = (at: number): number => (isSparse(kernel) ? keptAt(types.a, at, uniform) : at);
  const codeA: CodeAt = (row, k) =>
    k === i || k === j ? powerOfTwo(a, largeA, sign(row)) : k === row % stored ? powerOfTwo(a, smallA) : 0n;
  const codeB: CodeAt = (column, k) => {
    if (i !== accumulator && k === rowOfB(i)) return powerOfTwo(b, largeB + column, 0);
    return k === rowOfB(j) ? powerOfTwo(b, largeB + column, 1) : powerOfTwo(b, smallB);
  };
  return {
    registers: registersOfA(types.a, stored, codeA),
    ...withB(imageOf([{ layout: plain, element: types.b, across: n, k: columnsIn(kernel), code: codeB }])),
    c: registersOfD(kernel, (row, column) =>
      i === accumulator ? powerOfTwo(d, largeA + largeB + column, sign(row)) : 0n,
    ),
    ...(isSparse(kernel) ? { metadata: uniformMetadata(uniform) } : {}),
  };
}

/** The image and the descriptors if A is in registers. The descriptor of A is 0. */
function withB({ image, descriptors }: ReturnType<typeof imageOf>): Pick<Block, 'image' | 'descriptors'> {
  return { image, descriptors: [0n, ...descriptors] };
}

function orderJobs(): readonly Job[] {
  return floats
    .filter(({ a, b }) => a === b)
    .flatMap((types) =>
      [{}, { selector: 0 }].flatMap((sparse) => {
        const kernel: Kernel = { types, n: 8, a: 'registers', ...sparse };
        const all = Array.from({ length: storedIn(types) }, (_, i) => i);
        const tried = all.length <= 16 ? all : [0, 1, 2, 3, 4, 7, 8, 15, 16, 18, 31];
        return [accumulator, ...tried].flatMap((i) => {
          const blocks = tried.filter((j) => j > i).map((j) => orderBlock(kernel, [i, j]));
          return blocks.length === 0
            ? []
            : [jobOf({ id: `order ${i === accumulator ? 'c' : i}`, kernel, blocks, scale: 1 })];
        });
      }),
    );
}

// --- places -----------------------------------------------------------------------------------------------------------

/** The ways of filling memory that are needed to find the addresses of elements of this type. */
const fillsFor = ({ a }: Types): readonly Fill[] =>
  bitsOfElement(a) === 16 ? ['halves'] : bitsOfElement(a) === 32 ? ['words'] : ['bytes 0', 'bytes 1'];

/** The code of 1. */
const oneOf = (element: Element): bigint => (isFloat(element) ? powerOfTwo(element, 0) : 1n);

type Offsets = ReturnType<typeof offsets>;

/**
 * Descriptors that programs may use, with aligned starts, with starts further along k in a swizzled line, or with other
 * distances.
 */
function usualDescriptors(
  side: Layout['side'],
  { leading, stride }: Offsets,
  random: RandomSource,
): readonly Descriptor[] {
  const far = (): number => 128 * side * (1 + random.below(Math.floor(32 / side)));
  return [
    { side, start: 0, leading, stride },
    { side, start: 1024, leading, stride },
    ...sides.filter((one) => one < side).map((chunk) => ({ side, start: 1024 + 16 * chunk, leading, stride })),
    ...Array.from({ length: 4 }, () => ({ side, start: 1024 * random.below(8), leading: far(), stride: far() })),
    { side, start: 2048, leading: 16, stride },
    { side, start: 2048, leading: 0, stride },
    { side, start: 2048, leading, stride: 0 },
  ];
}

/**
 * Descriptors with starts inside the pattern of a swizzle, with base offsets, or with distances that are not multiples
 * of the pattern.
 */
function oddDescriptors(
  side: Layout['side'],
  { leading, stride }: Offsets,
  random: RandomSource,
): readonly Descriptor[] {
  const any = (count: number): number => 16 * random.below(count);
  return [
    ...[16, 48, 80, 112, 128, 256, 384, 512, 640, 896].map((start) => ({ side, start, leading, stride })),
    ...[1, 2, 3, 4, 5, 6, 7].map((base) => ({ side, start: 1024 + 128 * base, base, leading, stride })),
    ...[1, 2, 4, 7].map((base) => ({ side, start: 1024, base, leading, stride })),
    ...Array.from({ length: 8 }, () => ({
      side,
      start: any(64),
      base: random.below(8),
      leading: any(200),
      stride: any(200),
    })),
    ...Array.from({ length: 4 }, () => ({ side, start: any(64), leading: any(200), stride: any(200) })),
  ];
}

interface Places {
  readonly types: Types;
  readonly side: Layout['side'];
  readonly alongK: boolean;
  readonly odd: boolean;
  readonly n: number;
  /** The metadata of all lanes, if A is sparse. */
  readonly metadata?: number;
}

const describe = ({ side, alongK, odd, metadata }: Places, fill: Fill): string =>
  `${odd ? 'odd, ' : ''}${16 * side} bytes, ${alongK ? 'along' : 'across'} k, ${fill}${metadata === undefined ? '' : `, metadata ${metadata.toString(16)}`}`;

function descriptorsFor(
  { side, alongK, odd, n }: Places,
  bitsOfOne: number,
  across: number,
  k: number,
): readonly Descriptor[] {
  const own = offsets({ side, alongK }, { bits: bitsOfOne, across, k });
  const random = new RandomSource(side + 16 * n + (alongK ? 7 : 0));
  const [first] = usualDescriptors(side, own, random);
  if (n > 64) return first === undefined ? [] : [first];
  return odd ? oddDescriptors(side, own, random) : usualDescriptors(side, own, random);
}

/**
 * Row m of A has a 1 in one stored element, whose index is m modulo the number of stored elements. The rows repeat, so
 * only the warps with the first rows store D.
 */
function placesOfB(places: Places): readonly Job[] {
  const { types, n, metadata } = places;
  const stored = storedIn(types);
  return fillsFor(types).map((fill) => {
    const kernel: Kernel = {
      types,
      n,
      a: 'registers',
      fill,
      storing: Math.ceil(stored / 16),
      transposes: [false, !places.alongK],
      ...(metadata === undefined ? {} : { selector: 0 }),
    };
    const registers = registersOfA(types.a, stored, (row, k) => (k === row % stored ? oneOf(types.a) : 0n));
    const blocks = descriptorsFor(places, bitsOfElement(types.b), n, columnsIn(kernel)).map((one) => ({
      registers,
      descriptors: [0n, descriptorOf(one)],
      ...(metadata === undefined ? {} : { metadata: uniformMetadata(metadata) }),
    }));
    return jobOf({ id: `places of B, ${describe(places, fill)}`, kernel, blocks, scale: 0 });
  });
}

/** Column n of B has a 1 in the row that belongs to the stored element n of A. */
function placesOfA(places: Places): readonly Job[] {
  const { types, metadata } = places;
  const stored = storedIn(types);
  const n = stored;
  return fillsFor(types).map((fill) => {
    const kernel: Kernel = {
      types,
      n,
      a: 'shared',
      fill,
      transposes: [!places.alongK, false],
      ...(metadata === undefined ? {} : { selector: 0 }),
    };
    const columnOf = (at: number): number => (metadata === undefined ? at : keptAt(types.a, at, metadata));
    const unit: Omit<Placed, 'start'> = {
      layout: plain,
      element: types.b,
      across: n,
      k: columnsIn(kernel),
      code: (column, k) => (k === columnOf(column) ? oneOf(types.b) : 0n),
    };
    const { image, descriptors } = imageOf([unit]);
    const ofB = (descriptors[0] ?? 0n) + BigInt(filledBytes >> 4);
    const blocks = descriptorsFor(places, bitsOfElement(types.a), 64, stored).map((one) => ({
      image,
      descriptors: [descriptorOf(one), ofB],
      ...(metadata === undefined ? {} : { metadata: uniformMetadata(metadata) }),
    }));
    return jobOf({ id: `places of A, ${describe(places, fill)}`, kernel, blocks, scale: 0 });
  });
}

/**
 * Whether lines lie along k. 16-bit elements are tested with lines along k and across k, and all others only along k.
 */
const waysOf = (types: Types): readonly boolean[] => (isHalf(types) ? [true, false] : [true]);

function everyPlace(odd: boolean): readonly Job[] {
  return [f16, tf32, u8].flatMap((types) =>
    waysOf(types).flatMap((alongK) =>
      sides.flatMap((side) => {
        const one: Places = { types, side, alongK, odd, n: 32 };
        // Across k, a swizzled line has up to 64 columns.
        const counts = odd || types.a !== 'f16' ? [32] : [8, 32, 64, 256];
        return [
          ...counts.flatMap((n) => placesOfB({ ...one, n })),
          ...placesOfA(one),
          ...[0x4444_4444, 0xeeee_eeee].flatMap((metadata) => placesOfB({ ...one, metadata })),
          ...(odd ? [] : placesOfA({ ...one, metadata: uniform })),
        ];
      }),
    ),
  );
}

// --- metadata ---------------------------------------------------------------------------------------------------------

/** A code that distinguishes a stored element from the others in its row. */
function markOf(element: Element, at: number): bigint {
  if (element === 'tf32') return powerOfTwo(element, at);
  if (element === 'f16' || element === 'bf16') return powerOfTwo(element, at - 4);
  if (element === 'e4m3') return BigInt(0x20 + 2 * at);
  return BigInt(at + 1);
}

/** Each block has different random metadata. D is A, including the zeros that are not stored. */
function keptJobs(valid: boolean): readonly Job[] {
  return [f16, { ...f16, a: 'bf16', b: 'bf16' } as const, tf32, u8, e4m3].flatMap((types) =>
    selectorsOf(types).map((selector) => {
      const kernel: Kernel = { types, n: 2 * storedIn(types), a: 'registers', selector };
      const random = new RandomSource(seed++);
      const registers = registersOfA(types.a, storedIn(types), (_, k) => markOf(types.a, k));
      const unit = imageOf([
        {
          layout: plain,
          element: types.b,
          across: kernel.n,
          k: kernel.n,
          code: (n, k) => (n === k ? oneOf(types.b) : 0n),
        },
      ]);
      const blocks = [0, 1, 2].map(() => ({
        registers,
        ...withB(unit),
        metadata: randomMetadata(random, types.a, valid),
      }));
      return jobOf({ id: valid ? 'kept columns' : 'kept columns, unordered metadata', kernel, blocks, scale: 0 });
    }),
  );
}

function unorderedData(): readonly Job[] {
  return [f16, tf32, u8, e4m3].map((types) =>
    dataJob({
      id: 'unordered metadata',
      kernel: { types, n: 8, a: 'registers', selector: 0 },
      layouts: plainBoth,
      kinds: kindsFor(types, fewKinds),
      validMetadata: false,
    }),
  );
}

// --- all --------------------------------------------------------------------------------------------------------------

/** Jobs that might fail come last. */
function allJobs(): readonly Job[] {
  return [
    ...denseData(),
    ...sparseData(),
    ...negated(),
    ...twice(),
    ...manyColumns(),
    ...layoutJobs(),
    ...orderJobs(),
    ...keptJobs(true),
    ...everyPlace(false),
    ...everyPlace(true),
    ...keptJobs(false),
    ...unorderedData(),
  ];
}

for (const job of allJobs()) process.stdout.write(`${JSON.stringify(job)}\n`);
