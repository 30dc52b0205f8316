/**
 * Jobs that ask a GPU what mma and wmma compute: `npx tsx tools/hardware/jobs-matrix.ts > JOBS.jsonl`. They cover every
 * form that sm_90 supports.
 *
 * The name of a job says what it tests:
 * - `MNEMONIC: data`: random data. Each warp has data of a different kind. For floats, the kinds are those of
 *   `floatKinds`, in order.
 * - `MNEMONIC: order I J`: which elements are added in the same step. See `orderJobs`.
 * - `MNEMONIC: kept columns`: to which columns the elements of a sparse A belong. B is a unit matrix, so D shows these
 *   columns.
 * - `MNEMONIC: unordered metadata`: metadata whose indices repeat or are not in order.
 * - `MNEMONIC: fragment`: the registers of a wmma fragment. Element i has the value i or, if the type has too few bits
 *   for i, one digit of i: digit w in warp w.
 */
import { namedEnvironment } from '../../src/isa/environment.ts';
import { expand } from '../../src/isa/expand.ts';
import type { Variant } from '../../src/isa/form.ts';
import { elementsOf, type Fragment, type Place, placeOf } from '../../src/isa/fragments.ts';
import { keptColumn, type MatrixProduct } from '../../src/isa/matrix-product.ts';
import { allForms } from '../../src/isa/table.ts';
import { RandomSource } from '../../test/differential/random-source.ts';
import type { BufferArgument, Job } from '../../test/hardware/job.ts';
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
  type Side,
} from './matrix-data.ts';

const environment = namedEnvironment('sm_90a', '9.0');
const head = '.version 9.0\n.target sm_90a\n.address_size 64\n';

// --- the forms --------------------------------------------------------------------------------------------------------

/**
 * Mnemonics that are left out, because sm_90 does not support them, or because they are other spellings of forms that
 * are included.
 */
const left = [
  /kind::|block_scale|e2m1|e3m2|e2m3/,
  /wmma\.(mma(\.\w+\.popc)?|load\.\w)\.sync\.(row|col|m)/,
  /^wmma.*\.f(16|32)\.f(16|32)\.satfinite/,
  // Sparse fp8 with f16 sums needs sm_120.
  /^mma\.sp.*\.f16\.e\dm\d/,
];

interface Product {
  readonly mnemonic: string;
  readonly product: MatrixProduct;
}

function* variantsOf(opcode: RegExp): Generator<Variant> {
  for (const variant of expand(allForms())) {
    if (opcode.test(variant.mnemonic) && !left.some((unwanted) => unwanted.test(variant.mnemonic))) yield variant;
  }
}

function productsOf(opcode: RegExp): readonly Product[] {
  const found = new Map<string, Product>();
  for (const variant of variantsOf(opcode)) {
    const { form, mnemonic } = variant;
    for (const step of form.steps(variant, environment)) {
      if (step.kind !== 'collective' || step.fn.form !== 'mma') continue;
      found.set(mnemonic, { mnemonic, product: step.fn.product });
    }
  }
  return [...found.values()];
}

/** The type of the elements of a matrix. */
function elementsIn(product: MatrixProduct, side: Side): Element {
  return product[side].format as Element;
}

// --- mma: data in registers -------------------------------------------------------------------------------------------

const sides = ['a', 'b', 'c'] as const;

const listOf = (name: string, count: number): string =>
  `{${Array.from({ length: count }, (_, i) => `%${name}${i}`).join(', ')}}`;

/**
 * Code with a line for each register of a matrix. The line moves the register from or to its place in the thread's
 * data.
 */
function moves(
  name: string,
  { registers, registerBits }: Fragment,
  line: (register: string, at: string) => string,
): string {
  const bytes = registerBits / 8;
  const lines = Array.from({ length: registers }, (_, i) => line(`%${name}${i}`, `[%o+${bytes * i}]`));
  return `mul.wide.u32 %o, %id, ${bytes * registers}; add.u64 %o, %o, %p${name};\n${lines.join('\n')}`;
}

/**
 * A kernel in which each thread loads its registers of A, B and C and its metadata, multiplies, and stores its
 * registers of D.
 */
function entryOf({ mnemonic, product }: Product, name: string, selector: number): string {
  const all = [...sides, 'd'] as const;
  const type = (fragment: Fragment): string => `b${fragment.registerBits}`;
  const load = (side: Side): string => {
    const { fragment } = product[side];
    return moves(side, fragment, (register, at) => `ld.global.${type(fragment)} ${register}, ${at};`);
  };
  const operands = all.map((side) => listOf(side, product[side].fragment.registers));
  const [a, b, c, d] = operands;
  const sparse = product.sparsity === null ? '' : `, %e, ${selector}`;
  const { fragment: result } = product.d;
  return `.visible .entry ${name}(${[...all, 'e'].map((side) => `.param .u64 q${side}`).join(', ')})
{
.reg .b32 %id, %y, %e; .reg .b64 %o, %pe;
${all.map((side) => `.reg .${type(product[side].fragment)} %${side}<${product[side].fragment.registers}>; .reg .b64 %p${side}; ld.param.u64 %p${side}, [q${side}];`).join('\n')}
mov.u32 %id, %tid.x; mov.u32 %y, %ctaid.x; shl.b32 %y, %y, 5; add.u32 %id, %id, %y;
ld.param.u64 %pe, [qe]; mul.wide.u32 %o, %id, 4; add.u64 %o, %o, %pe; ld.global.b32 %e, [%o];
${sides.map(load).join('\n')}
${mnemonic} ${d}, ${a}, ${b}, ${c}${sparse};
${moves('d', result, (register, at) => `st.global.${type(result)} ${at}, ${register};`)}
ret;
}
`;
}

/** The number of constants that can select the lanes with the metadata. */
const selectorsOf = ({ sparsity }: MatrixProduct): number => (sparsity === null ? 1 : 4 / sparsity.lanes);

/** A module with a kernel for each selector: k0, k1, … */
function moduleOf(of: Product): string {
  const entries = Array.from({ length: selectorsOf(of.product) }, (_, selector) =>
    entryOf(of, `k${selector}`, selector),
  );
  return head + entries.join('');
}

const buffer = (bytes: Uint8Array): BufferArgument => ({ kind: 'buffer', size: bytes.length, bytes: hexOf(bytes) });
const result = (size: number): BufferArgument => ({ kind: 'buffer', size, returned: true });

const bytesOfFragment = ({ registers, registerBits }: Fragment): number => 4 * registers * registerBits;

/** Returns the code of an element in the matrix of a warp. */
type CodeAt = (warp: number, place: Place) => bigint;

interface WarpJob {
  readonly id: string;
  readonly of: Product;
  readonly selector?: number;
  readonly warps: number;
  readonly codes: Readonly<Record<Side, CodeAt>>;
  readonly metadata: (warp: number, lane: number) => number;
}

function registersOf(fragment: Fragment, warps: number, code: CodeAt): Uint8Array {
  const codes: bigint[] = [];
  for (let warp = 0; warp < warps; warp++) {
    for (let lane = 0; lane < 32; lane++) {
      for (let i = 0; i < elementsOf(fragment); i++) codes.push(code(warp, placeOf(fragment, lane, i)));
    }
  }
  return bytesOf(codes, fragment.bits);
}

function warpJob({ id, of, selector = 0, warps, codes, metadata }: WarpJob): Job {
  const { product } = of;
  const words = Array.from({ length: 32 * warps }, (_, i) => BigInt(metadata(i >> 5, i & 31)));
  return {
    id: `${of.mnemonic}${selectorsOf(product) > 1 ? ` selector ${selector}` : ''}: ${id}`,
    source: moduleOf(of),
    kernel: `k${selector}`,
    grid: [warps, 1, 1],
    block: [32, 1, 1],
    args: [
      ...sides.map((side) => buffer(registersOf(product[side].fragment, warps, codes[side]))),
      result(warps * bytesOfFragment(product.d.fragment)),
      buffer(product.sparsity === null ? new Uint8Array(4 * 32 * warps) : bytesOf(words, 32)),
    ],
  };
}

// --- random data ------------------------------------------------------------------------------------------------------

const integerWarps: readonly FloatKind[] = ['any bits', 'any bits'];
/** The kinds of data for further variants of an instruction. */
const fewKinds: readonly FloatKind[] = ['spread', 'cancelling', 'any bits'];
/** m16n8k16 of f64 takes four times as much data as other shapes. */
const doubleKinds: readonly FloatKind[] = floatKinds.filter(
  (kind) => !['powers', 'leaning', 'ordinary'].includes(kind),
);

function kindsFor({ a }: MatrixProduct, few: boolean): readonly FloatKind[] {
  if (!isFloat(a.format as Element)) return integerWarps;
  return few ? fewKinds : a.format === 'f64' ? doubleKinds : floatKinds;
}

function dataJob(of: Product, selector: number, random: RandomSource, few: boolean, valid: boolean): Job {
  const { product } = of;
  const kinds = kindsFor(product, few);
  const code =
    (side: Side): CodeAt =>
    (warp) =>
      elementOf(random, elementsIn(product, side), kinds[warp] ?? 'any bits', side);
  return warpJob({
    id: valid ? 'data' : 'unordered metadata',
    of,
    selector,
    warps: kinds.length,
    codes: { a: code('a'), b: code('b'), c: code('c') },
    metadata: () => metadataWord(random, product.a.format === 'tf32', valid),
  });
}

/** Plain `.sp` computes the same results as `.sp::ordered_metadata`, so it is tested with less data. */
const isPlainSparse = (mnemonic: string): boolean => mnemonic.startsWith('mma.sp.');

function dataJobs(of: Product, seed: number): readonly Job[] {
  const random = new RandomSource(seed);
  const few = isPlainSparse(of.mnemonic) || /\.r[zmp]\.f64/.test(of.mnemonic);
  return Array.from({ length: selectorsOf(of.product) }, (_, selector) =>
    dataJob(of, selector, random, few || selector > 0, true),
  );
}

function unorderedJobs(of: Product, seed: number): readonly Job[] {
  if (!isPlainSparse(of.mnemonic)) return [];
  return [dataJob(of, 0, new RandomSource(seed), true, false)];
}

// --- the order of additions -------------------------------------------------------------------------------------------

/**
 * The exponents of factors with large products, and of factors with small products. B has eight large factors, one for
 * each column, and one small factor for all other elements. Large products are 2^22 to 2^29 times as large as small
 * ones (f64: 2^50 to 2^57).
 */
interface Scale {
  readonly largeA: number;
  readonly largeB: number;
  readonly smallA: number;
  readonly smallB: number;
}

const halfScale: Scale = { largeA: 0, largeB: 8, smallA: 0, smallB: -14 };
const scales: Readonly<Partial<Record<Element, Scale>>> = {
  f16: halfScale,
  bf16: halfScale,
  tf32: halfScale,
  f64: { largeA: 0, largeB: 50, smallA: 0, smallB: 0 },
  e5m2: { largeA: 8, largeB: 1, smallA: -6, smallB: -7 },
  e4m3: { largeA: 8, largeB: 1, smallA: -6, smallB: -7 },
};

/** Stands for the accumulator, in place of the index of an element in a row of A. */
const accumulator = -1;

/**
 * In each row of A, element i has a large product, and element j has a product that cancels it. Row r also has a small
 * product, with element r (in other warps, element r + 16, and so on). The small product affects the sum only if it is
 * added after the large ones have canceled each other, or if the large ones are not large enough in this column.
 * Element -1 is the accumulator. For a sparse A, only the stored elements are counted.
 */
function orderJob(of: Product, pairs: readonly (readonly [number, number])[], name: string): Job | null {
  const { product } = of;
  const scale = scales[elementsIn(product, 'a')];
  if (scale === undefined) return null;
  const { rows, columns: stored } = product.a.fragment;
  const parts = Math.ceil(stored / rows);
  const [factorA, factorB] = [product.a.format as FloatElement, product.b.format as FloatElement];
  const sum = product.c.format as FloatElement;
  const smallAt = (warp: number, row: number): number => row + rows * (warp % parts);
  const pairOf = (warp: number): readonly [number, number] => pairs[Math.floor(warp / parts)] ?? [0, 1];
  const large = (column: number): number => scale.largeB + column;
  const unit = product.sparsity?.unit ?? null;
  const patterns = unit === 0.5 ? [0x4444_4444, 0xeeee_eeee] : [0x4444_4444, 0xeeee_eeee, 0x9999_9999, 0xdddd_dddd];
  const metadata = (warp: number): number => patterns[warp % patterns.length] ?? 0;
  const columnOf = (warp: number, at: number): number => {
    if (unit === null) return at;
    const bits = metadata(warp);
    return keptColumn(unit, at, bits);
  };
  return warpJob({
    id: `order ${name}`,
    of,
    warps: pairs.length * parts,
    metadata,
    codes: {
      a: (warp, { row, column }) => {
        if (pairOf(warp).includes(column)) return powerOfTwo(factorA, scale.largeA);
        return column === smallAt(warp, row) ? powerOfTwo(factorA, scale.smallA) : 0n;
      },
      b: (warp, { row, column }) => {
        const [i, j] = pairOf(warp);
        const isAt = (at: number): boolean => at !== accumulator && columnOf(warp, at) === row;
        if (isAt(i)) return powerOfTwo(factorB, large(column), 0);
        if (isAt(j)) return powerOfTwo(factorB, large(column), 1);
        return powerOfTwo(factorB, scale.smallB);
      },
      c: (warp, { column }) => {
        const [i, j] = pairOf(warp);
        if (i === accumulator) return powerOfTwo(sum, scale.largeA + large(column), 0);
        return j === accumulator ? powerOfTwo(sum, scale.largeA + large(column), 1) : 0n;
      },
    },
  });
}

/** The elements that are tried as large products: all of them if there are at most 16; otherwise, a selection. */
function positions(stored: number): readonly number[] {
  const all = Array.from({ length: stored }, (_, i) => i);
  return stored <= 16 ? all : [0, 1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 18, 31].filter((i) => i < stored);
}

/**
 * Whether the order of additions is tested for this product. It is tested only once for each kind of hardware
 * instruction.
 */
function asksOrder({ mnemonic, product }: Product): boolean {
  if (product.kind === 'double') return mnemonic.includes('.row.col.f64');
  if (product.kind !== 'float' || isPlainSparse(mnemonic)) return false;
  if (mnemonic.includes('.m8n8k4.')) return /row\.col|col\.row/.test(mnemonic);
  return product.a.format === product.b.format;
}

function orderJobs(of: Product): readonly Job[] {
  if (!asksOrder(of)) return [];
  const all = positions(of.product.a.fragment.columns);
  return [accumulator, ...all].flatMap((i) => {
    const pairs = all.filter((j) => j > i).map((j) => [i, j] as const);
    const job = pairs.length === 0 ? null : orderJob(of, pairs, i === accumulator ? 'c' : String(i));
    return job === null ? [] : [job];
  });
}

// --- the columns of a sparse A ----------------------------------------------------------------------------------------

/** The code of a positive whole number. */
function numberCode(element: Element, value: number): bigint {
  if (!isFloat(element)) return BigInt(value);
  const exponent = Math.floor(Math.log2(value));
  const fraction = value / 2 ** exponent - 1;
  const fractionBits = { f16: 10, bf16: 7, tf32: 23, e4m3: 3, e5m2: 2, f32: 23, f64: 52 }[element];
  return powerOfTwo(element, exponent) | BigInt(Math.round(fraction * 2 ** fractionBits));
}

/** A value that distinguishes a stored element from the others in its row, as far as the type allows. */
function markOf(element: Element, at: number): bigint {
  if (element === 'e5m2') return powerOfTwo(element, (at % 28) - 14);
  if (element === 's4' || element === 'u4') return BigInt((at % 7) + 1);
  return numberCode(element, element === 'e4m3' ? (at % 16) + 1 : at + 1);
}

/** Warp w multiplies by columns `8 * w` to `8 * w + 7` of a unit matrix, so D shows those columns of A. */
function keptJobs(of: Product, seed: number): readonly Job[] {
  const { product } = of;
  if (product.sparsity === null || of.mnemonic.includes('satfinite')) return [];
  const random = new RandomSource(seed);
  const [elementA, elementB] = [elementsIn(product, 'a'), elementsIn(product, 'b')];
  const warps = product.k / 8;
  const words = Array.from({ length: 32 }, () => metadataWord(random, product.a.format === 'tf32', true));
  return Array.from({ length: selectorsOf(product) }, (_, selector) =>
    warpJob({
      id: 'kept columns',
      of,
      selector,
      warps,
      metadata: (_warp, lane) => words[lane] ?? 0,
      codes: {
        a: (_warp, { column }) => markOf(elementA, column),
        b: (warp, { row, column }) => (row === 8 * warp + column ? numberCode(elementB, 1) : 0n),
        c: () => 0n,
      },
    }),
  );
}

// --- wmma -------------------------------------------------------------------------------------------------------------

type Layout = 'row' | 'col';

function wmmaLayouts(mnemonic: string): readonly [Layout, Layout] {
  const [, a, b] = /aligned\.(row|col)\.(row|col)/.exec(mnemonic) ?? [];
  return [a === 'col' ? 'col' : 'row', b === 'col' ? 'col' : 'row'];
}

const shapeIn = (mnemonic: string): string => /m\d+n\d+k\d+/.exec(mnemonic)?.[0] ?? '';

/** The number of bytes of a matrix in memory. */
function bytesInMemory(product: MatrixProduct, side: Side | 'd'): number {
  const { rows, columns } = product[side].fragment;
  return (rows * columns * bitsOfElement(product[side].format as Element)) / 8;
}

/** A kernel in which each warp loads three matrices, multiplies them, and stores the result. */
function wmmaModule({ mnemonic, product }: Product, layoutOfC: Layout, layoutOfD: Layout): string {
  const all = [...sides, 'd'] as const;
  const shape = shapeIn(mnemonic);
  const [layoutA, layoutB] = wmmaLayouts(mnemonic);
  const layout = { a: layoutA, b: layoutB, c: layoutOfC, d: layoutOfD };
  const list = (side: Side | 'd'): string => listOf(side, product[side].fragment.registers);
  const place = (side: Side | 'd'): string =>
    `mul.wide.u32 %o, %id, ${bytesInMemory(product, side)}; add.u64 %o, %o, %p${side};`;
  const load = (side: Side): string =>
    `${place(side)} wmma.load.${side}.sync.aligned.${layout[side]}.${shape}.global.${product[side].format} ${list(side)}, [%o];`;
  return `${head}.visible .entry k(${all.map((side) => `.param .u64 q${side}`).join(', ')})
{
.reg .b32 %id; .reg .b64 %o;
${all.map((side) => `.reg .b${product[side].fragment.registerBits} %${side}<${product[side].fragment.registers}>; .reg .b64 %p${side}; ld.param.u64 %p${side}, [q${side}];`).join('\n')}
mov.u32 %id, %ctaid.x;
${sides.map(load).join('\n')}
${mnemonic} ${list('d')}, ${list('a')}, ${list('b')}, ${list('c')};
${place('d')} wmma.store.d.sync.aligned.${layout.d}.${shape}.global.${product.d.format} [%o], ${list('d')};
ret;
}
`;
}

/** Only one combination of layouts is tested with all kinds of data. */
function wmmaJob(of: Product, seed: number): Job {
  const { product, mnemonic } = of;
  const random = new RandomSource(seed);
  const few = !mnemonic.includes('row.col') || /\.r[zmp]\.f64/.test(mnemonic);
  const kinds = few ? kindsFor(product, true).slice(-2) : kindsFor(product, false);
  const matrix = (side: Side): BufferArgument => {
    const element = elementsIn(product, side);
    const { rows, columns } = product[side].fragment;
    const codes = kinds.flatMap((kind) =>
      Array.from({ length: rows * columns }, () => elementOf(random, element, kind, side)),
    );
    return buffer(bytesOf(codes, bitsOfElement(element)));
  };
  const [layoutC, layoutD] = [random.pick(['row', 'col'] as const), random.pick(['row', 'col'] as const)];
  return {
    id: `${mnemonic}: data`,
    source: wmmaModule(of, layoutC, layoutD),
    kernel: 'k',
    grid: [kinds.length, 1, 1],
    block: [32, 1, 1],
    args: [...sides.map(matrix), result(kinds.length * bytesInMemory(product, 'd'))],
  };
}

// --- fragments of wmma ------------------------------------------------------------------------------------------------

interface LoadedFragment {
  readonly mnemonic: string;
  readonly element: Element;
  readonly side: Side;
  readonly fragment: Fragment;
}

/** Every wmma.load from global memory, without duplicates. */
function loadedFragments(products: readonly Product[]): readonly LoadedFragment[] {
  const found = new Map<string, LoadedFragment>();
  for (const { mnemonic, product } of products) {
    for (const side of sides) {
      const layouts = side === 'c' ? (['row', 'col'] as const) : [wmmaLayouts(mnemonic)[side === 'a' ? 0 : 1]];
      for (const layout of layouts) {
        const element = elementsIn(product, side);
        const load = `wmma.load.${side}.sync.aligned.${layout}.${shapeIn(mnemonic)}.global.${element}`;
        found.set(load, { mnemonic: load, element, side, fragment: product[side].fragment });
      }
    }
  }
  return [...found.values()];
}

function fragmentJob({ mnemonic, element, fragment }: LoadedFragment): Job {
  const bits = bitsOfElement(element);
  const count = fragment.rows * fragment.columns;
  const digits = bits >= 16 ? 1 : Math.ceil(Math.log2(count) / bits);
  const codes = Array.from({ length: digits }, (_, digit) =>
    Array.from({ length: count }, (__, i) => BigInt.asUintN(bits, BigInt(i) >> BigInt(digit * bits))),
  ).flat();
  const type = `b${fragment.registerBits}`;
  const source = `${head}.visible .entry k(.param .u64 qm, .param .u64 qr)
{
.reg .b32 %id, %y, %z; .reg .b64 %o, %pm, %pr; .reg .${type} %r<${fragment.registers}>;
ld.param.u64 %pm, [qm]; ld.param.u64 %pr, [qr];
mov.u32 %y, %ctaid.x; mul.wide.u32 %o, %y, ${(count * bits) / 8}; add.u64 %o, %o, %pm;
${mnemonic} ${listOf('r', fragment.registers)}, [%o];
mov.u32 %z, %tid.x; shl.b32 %y, %y, 5; add.u32 %id, %y, %z;
${moves('r', fragment, (register, at) => `st.global.${type} ${at}, ${register};`)}
ret;
}
`;
  return {
    id: `${mnemonic}: fragment`,
    source,
    kernel: 'k',
    grid: [digits, 1, 1],
    block: [32, 1, 1],
    args: [buffer(bytesOf(codes, bits)), result(digits * bytesOfFragment(fragment))],
  };
}

// --- all --------------------------------------------------------------------------------------------------------------

function allJobs(): readonly Job[] {
  const mma = productsOf(/^mma\./);
  const wmma = productsOf(/^wmma\.mma/);
  return [
    ...mma.flatMap((of, i) => dataJobs(of, 1000 + i)),
    ...mma.flatMap(orderJobs),
    ...mma.flatMap((of, i) => keptJobs(of, 2000 + i)),
    ...wmma.map((of, i) => wmmaJob(of, 3000 + i)),
    ...loadedFragments(wmma).map(fragmentJob),
    ...mma.flatMap((of, i) => unorderedJobs(of, 4000 + i)),
  ];
}

for (const job of allJobs()) process.stdout.write(`${JSON.stringify(job)}\n`);
