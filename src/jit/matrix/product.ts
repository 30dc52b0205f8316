/**
 * Multiplies matrices whose elements are distributed over the lanes of a warp. The elements are decoded into an area of
 * the frame and multiplied there, and the results are written back to the frame. The generated functions have the
 * parameters of `exchangeType`.
 */
import type { Collective } from '../../isa/collective.ts';
import type { MatrixProduct } from '../../isa/matrix-product.ts';
import { formats } from '../../numerics/formats.ts';
import { plainMode } from '../../numerics/operations.ts';
import type { Code } from '../../wasm/code.ts';
import type { PlainOpcode } from '../../wasm/opcodes.ts';
import { doubleFunction } from '../arithmetic/double-arithmetic.ts';
import type { Carriers } from '../groups/stop.ts';
import type { KernelShape } from '../regions/kernel-shape.ts';
import { context as contextFields, contextSize } from '../layout.ts';
import { factorBytes, first, type ProductContext, productContext, sumBytes, words } from './context.ts';
import { notFinite, undefinedValue } from './decoded.ts';
import { dotFunction } from './dot-product.ts';
import { readFactor, readSums, writeSums } from './fragments.ts';
import { repeat } from './lanes.ts';
import { pushSparsePartner } from './sparsity.ts';
import { ScaleWriter } from './scales.ts';
import { hasVectors, upright } from './vector-layout.ts';
import { writeVectorProduct } from './vector-product.ts';

type Product = Extract<Collective, { readonly form: 'mma' }>;

type ContextOf<Kind extends MatrixProduct['kind']> = ProductContext<Extract<MatrixProduct, { readonly kind: Kind }>>;

export function writeProduct(code: Code, shape: KernelShape, fn: Product, given: Carriers): void {
  const { name } = fn;
  const { product, carriers } = upright(fn.product, given);
  if (hasVectors(product)) {
    const type = { parameters: ['i32', 'i32', 'i32'], results: ['i32'] } as const;
    const vectors = shape.helpers.function(
      `vectors ${name}`,
      type,
      (own) => writeVectorProduct(own, shape, product, carriers),
      true,
    );
    code
      .get(0)
      .get(1)
      .get(2)
      .call(vectors)
      .op('i32.eqz')
      .if(() => code.op('return'));
  }
  countTile(code, shape);
  const context = productContext(code, shape, product, carriers);
  readFactor(context, 'a');
  readFactor(context, 'b');
  readSums(context);
  multiply(context);
  writeSums(context);
}

/** Increments the counter of slow products in the block's context, which is located just before the block's frames. */
function countTile(code: Code, { layout }: KernelShape): void {
  const block = code.local('i32');
  const at = layout.origin + contextFields.slowTiles;
  code.get(words).get(first).i32(2).op('i32.shl', 'i32.sub').i32(contextSize).op('i32.sub').tee(block);
  code.get(block).memory('i32.load', at).i32(1).op('i32.add').memory('i32.store', at);
}

function multiply(context: ProductContext): void {
  const { product } = context;
  switch (product.kind) {
    case 'float':
      multiplyFloats({ ...context, product });
      return;
    case 'double':
      multiplyDoubles({ ...context, product });
      return;
    case 'stepwise':
      multiplyStepwise({ ...context, product });
      return;
    case 'integer':
    case 'bits':
      multiplyIntegers({ ...context, product });
  }
}

/**
 * Locals for the element of D that is being computed: the addresses of its row of A, its column of B and its sum, and
 * the indices of its row and column. The offsets of A, B and the sums, which are constant, have to be added to the
 * addresses.
 */
export interface SumLocals {
  readonly a: number;
  readonly b: number;
  readonly sum: number;
  readonly row: number;
  readonly column: number;
}

/** Calls `body` for each element of D. */
function eachSum({ code, product, room }: ProductContext, body: (at: SumLocals) => void): void {
  const { matrices, columns } = product.a.fragment;
  const bytes = factorBytes(product);
  const local = (): number => code.local('i32');
  const [matrix, row, column, a, b, sum] = [local(), local(), local(), local(), local(), local()];
  const pushIndex = (count: number, within: number): Code =>
    code.get(matrix).i32(count).op('i32.mul').get(within).op('i32.add');
  repeat(code, matrix, matrices, () =>
    repeat(code, row, product.m, () => {
      pushIndex(product.m, row)
        .i32(columns * bytes)
        .op('i32.mul')
        .get(room)
        .op('i32.add')
        .set(a);
      repeat(code, column, product.n, () => {
        pushIndex(product.n, column)
          .i32(product.k * bytes)
          .op('i32.mul')
          .get(room)
          .op('i32.add')
          .set(b);
        pushIndex(product.m, row).i32(product.n).op('i32.mul').get(column).op('i32.add');
        code.i32(sumBytes).op('i32.mul').get(room).op('i32.add').set(sum);
        body({ a, b, sum, row, column });
      });
    }),
  );
}

/**
 * Pushes the address of the element of B that is multiplied by an element of the current row of A. The local `at`
 * contains the index of the element of A.
 */
function pushPartner(context: ProductContext, { b, row }: SumLocals, at: number): void {
  const { code, product } = context;
  if (product.sparsity !== null) {
    pushSparsePartner(context, product.sparsity, { b, row }, at);
    return;
  }
  code.get(b).get(at).i32(factorBytes(product)).op('i32.mul', 'i32.add');
}

// --- integers and bits ----------------------------------------------------------------------------------------------

function multiplyIntegers(context: ContextOf<'integer' | 'bits'>): void {
  const { code, product, rooms, shape } = context;
  const { origin } = shape.layout;
  const [at, total] = [code.local('i32'), code.local('i64')];
  const combine: PlainOpcode = product.kind === 'bits' ? `i32.${product.op}` : 'i32.mul';
  eachSum(context, (sums) => {
    const { a, sum } = sums;
    code
      .get(sum)
      .memory('i32.load', origin + rooms.sums)
      .op('i64.extend_i32_s')
      .set(total);
    repeat(code, at, product.a.fragment.columns, () => {
      code
        .get(total)
        .get(a)
        .get(at)
        .i32(2)
        .op('i32.shl', 'i32.add')
        .memory('i32.load', origin + rooms.a);
      pushPartner(context, sums, at);
      code
        .memory('i32.load', origin + rooms.b)
        .op(combine, 'i64.extend_i32_s', 'i64.add')
        .set(total);
    });
    if (product.kind === 'integer' && product.satfinite) clampWord(code, total);
    code
      .get(sum)
      .get(total)
      .op('i32.wrap_i64')
      .memory('i32.store', origin + rooms.sums);
  });
}

/** Clamps a local to the range of s32. */
function clampWord(code: Code, total: number): void {
  for (const [limit, beyond] of [
    [0x7fffffffn, 'i64.gt_s'],
    [-0x80000000n, 'i64.lt_s'],
  ] as const) {
    code.i64(limit).get(total).get(total).i64(limit).op(beyond, 'select').set(total);
  }
}

// --- floats ---------------------------------------------------------------------------------------------------------

function multiplyFloats(context: ContextOf<'float'>): void {
  const { code, product, rooms, room, shape } = context;
  const { origin } = shape.layout;
  const { arithmetic, scaling } = product;
  const terms = code.local('i32');
  code.get(room).i32(rooms.terms).op('i32.add').set(terms);
  const scales = scaling === null ? null : new ScaleWriter(context, scaling);
  const { group = 1, format = null } = scaling ?? {};
  const ofScales = group > 1 && format === 'ue4m3' ? 6 : 0;
  const fractionBits = formats[product.a.format].fractionBits + formats[product.b.format].fractionBits + ofScales;
  const dot = dotFunction(
    shape.helpers,
    { arithmetic, count: product.a.fragment.columns / group, fractionBits },
    origin,
  );
  eachSum(context, (sums) => {
    scales?.find(sums.row, sums.column);
    writeTerms(context, sums, terms);
    scales?.apply(terms);
    code
      .get(sums.sum)
      .get(terms)
      .get(sums.sum)
      .memory('i32.load', origin + rooms.sums);
    code.call(dot).memory('i32.store', origin + rooms.sums);
  });
}

/**
 * Writes code that multiplies the elements of a row of A by the elements of a column of B and stores the products as
 * terms.
 */
function writeTerms(context: ContextOf<'float'>, sums: SumLocals, terms: number): void {
  const { code, product, rooms, shape } = context;
  const { origin } = shape.layout;
  const local = (): number => code.local('i32');
  const [at, factor, partner, significand, exponent, to] = [local(), local(), local(), local(), local(), local()];
  repeat(code, at, product.a.fragment.columns, () => {
    code.get(sums.a).get(at).i32(3).op('i32.shl', 'i32.add').set(factor);
    pushPartner(context, sums, at);
    code.set(partner);
    code
      .get(factor)
      .memory('i32.load', origin + rooms.a)
      .get(partner)
      .memory('i32.load', origin + rooms.b);
    code.op('i32.mul').set(significand);
    code
      .get(factor)
      .memory('i32.load', origin + rooms.a + 4)
      .get(partner)
      .memory('i32.load', origin + rooms.b + 4);
    code.op('i32.add').set(exponent);
    code
      .get(significand)
      .op('i32.eqz')
      .if(() => {
        // If one of the factors is an infinity or NaN, the product is NaN. Otherwise, it is zero.
        code.i32(undefinedValue).i32(product.arithmetic.zeroExponent).get(exponent).i32(notFinite).op('i32.ge_s');
        code.op('select').set(exponent);
      });
    code.get(terms);
    pushPlace(context, at);
    code.i32(3).op('i32.shl', 'i32.add').tee(to).get(significand).memory('i32.store', origin);
    code
      .get(to)
      .get(exponent)
      .memory('i32.store', origin + 4);
  });
}

/**
 * Pushes the position at which a term is stored, chosen so that terms of the same chunk are adjacent. `at` contains the
 * index of the term along k.
 */
function pushPlace({ code, product }: ContextOf<'float'>, at: number): void {
  code.get(at);
  if (product.arithmetic.order === 'direct') return;
  // The bit of the index that selects the half becomes the highest bit of the position.
  const half = product.a.fragment.columns / 2;
  code.i32(1).op('i32.and').get(at).i32(2).op('i32.shr_u').i32(1).op('i32.shl', 'i32.or');
  code.get(at).i32(1).op('i32.shr_u').i32(1).op('i32.and').i32(half).op('i32.mul', 'i32.or');
}

// --- sums that are rounded after every addition ---------------------------------------------------------------------

/** The factors and the sums in the scratch memory are f32 numbers. */
function multiplyStepwise(context: ContextOf<'stepwise'>): void {
  const { code, product, rooms, shape } = context;
  const { origin } = shape.layout;
  const { group, start } = product.arithmetic;
  const total = code.local('f32');
  eachSum(context, ({ a, b, sum }) => {
    const load = (from: number, offset: number): Code => code.get(from).memory('f32.load', origin + offset);
    const pushProduct = (at: number): void => {
      load(a, rooms.a + 4 * at);
      load(b, rooms.b + 4 * at).op('f32.mul');
    };
    if (start === 'c') load(sum, rooms.sums).set(total);
    else code.i32(0).op('f32.reinterpret_i32').set(total);
    for (let at = 0; at < product.k; at += group) {
      code.get(total);
      pushProduct(at);
      for (let i = 1; i < group; i++) {
        pushProduct(at + i);
        code.op('f32.add');
      }
      code.op('f32.add').set(total);
    }
    if (start === 'zero') load(sum, rooms.sums).get(total).op('f32.add').set(total);
    code.get(sum).i32(singleNan).get(total).op('i32.reinterpret_f32').get(total).get(total).op('f32.ne', 'select');
    code.memory('i32.store', origin + rooms.sums);
  });
}

const singleNan = 0x7fff_ffff;

// --- doubles --------------------------------------------------------------------------------------------------------

const magnitude = 0x7fff_ffff_ffff_ffffn;
const infiniteDouble = 0x7ff0_0000_0000_0000n;

function multiplyDoubles(context: ContextOf<'double'>): void {
  const { code, product, rooms, shape } = context;
  const { origin } = shape.layout;
  const mode = { ...plainMode, rounding: product.rounding };
  const fma = doubleFunction(shape.helpers, 'fma', mode, 3);
  const at = code.local('i32');
  const load = (factor: number, offset: number): Code =>
    code
      .get(factor)
      .get(at)
      .i32(3)
      .op('i32.shl', 'i32.add')
      .memory('i64.load', origin + offset);
  eachSum(context, ({ a, b, sum }) => {
    const pushSum = (): Code => code.get(sum).memory('i64.load', origin + rooms.sums);
    repeat(code, at, product.k, () => {
      code.get(sum);
      load(a, rooms.a);
      load(b, rooms.b);
      pushSum()
        .call(fma)
        .memory('i64.store', origin + rooms.sums);
    });
    const { nan } = product;
    if (nan === null) return;
    pushSum().i64(magnitude).op('i64.and').i64(infiniteDouble).op('i64.gt_u');
    code.if(() =>
      code
        .get(sum)
        .i64(nan)
        .memory('i64.store', origin + rooms.sums),
    );
  });
}
