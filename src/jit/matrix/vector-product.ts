/**
 * Products of floats, four columns at a time. If a term is out of reach, the function says so, and the slow way
 * (product.ts) computes the product again.
 */
import { elementAt } from '../../base/element-at.ts';
import { elementsOf, type Fragment, placeOf } from '../../isa/fragments.ts';
import type { MatrixProduct } from '../../isa/matrix-product.ts';
import { halvesOf } from '../../numerics/dot-arithmetic.ts';
import type { Code } from '../../wasm/code.ts';
import type { Carriers } from '../groups/stop.ts';
import type { KernelShape } from '../regions/kernel-shape.ts';
import { productContext, type ProductContext, words } from './context.ts';
import { addSums } from './dot-product.ts';
import { repeat } from './lanes.ts';
import { across, decodeFactors, keptAt, registerPlaces, vectorRooms, type VectorRooms } from './vector-factors.ts';
import { addProducts, beginChunk, endChunk, type FourSums, fourSums } from './vector-sums.ts';

export type FloatProduct = Extract<MatrixProduct, { readonly kind: 'float' }>;

/** Whether four columns at a time can be computed. */
export function hasVectors(product: MatrixProduct): product is FloatProduct {
  if (product.kind !== 'float' || product.scaling !== null || product.sparsity !== null) return false;
  const { a, b, c, d } = product;
  if (c.format !== 'f32' || d.format !== 'f32' || !liesInPairs(d.fragment)) return false;
  return registerPlaces(a.fragment, 'a') !== null && registerPlaces(b.fragment, 'b') !== null;
}

/** Whether a lane has two neighbors of a row, and four lanes have eight. */
function liesInPairs({ row, column, matrices, bits }: Fragment): boolean {
  const isUsual = column.slice(0, 3).join() === 'i0,l0,l1' && row.slice(0, 3).join() === 'l2,l3,l4';
  return isUsual && matrices === 1 && bits === 32;
}

/** Writes the function (as `exchangeType`) → not zero if the product must be computed the slow way. */
export function writeVectorProduct(code: Code, shape: KernelShape, product: FloatProduct, carriers: Carriers): void {
  const rooms = vectorRooms(product);
  const context = productContext(code, shape, product, carriers, rooms.size);
  const bad = decodeFactors(context, rooms);
  code
    .get(bad)
    .vector('v128.any_true')
    .if(() => code.i32(1).op('return'));
  new RowWriter(context, rooms, bad).write();
  code.get(bad).vector('v128.any_true');
}

class RowWriter {
  private readonly context: ProductContext<FloatProduct>;
  private readonly rooms: VectorRooms;
  private readonly bad: number;
  private readonly sums: readonly [even: FourSums, odd: FourSums];
  /** Locals with addresses: of lanes, values of A and exponents of A. */
  private readonly lanes: number;
  private readonly values: number;
  private readonly exponents: number;
  private readonly factor: number;
  private readonly greatest: number;

  constructor(context: ProductContext<FloatProduct>, rooms: VectorRooms, bad: number) {
    const { code, product } = context;
    this.context = context;
    this.rooms = rooms;
    this.bad = bad;
    this.sums = [fourSums(code, product.arithmetic), fourSums(code, product.arithmetic)];
    [this.lanes, this.values, this.exponents] = [code.local('i32'), code.local('i32'), code.local('i32')];
    [this.factor, this.greatest] = [code.local('v128'), code.local('v128')];
  }

  write(): void {
    const { code, product, room } = this.context;
    const { lanes, values, exponents } = this;
    code.get(words).set(lanes).get(room).set(values).get(room).set(exponents);
    repeat(code, code.local('i32'), across, () => {
      for (let row = 0; row < product.m; row += across) {
        for (let column = 0; column < product.n; column += across) this.writeEight(row, column);
      }
      const advance = (local: number, bytes: number): Code => code.get(local).i32(bytes).op('i32.add').set(local);
      advance(lanes, 16);
      advance(values, 4 * product.k);
      advance(exponents, 2 * product.k);
    });
  }

  /** Eight elements of a row, which is that many rows below the current one. */
  private writeEight(row: number, column: number): void {
    const { context, sums, bad } = this;
    const { code, product } = context;
    const { arithmetic, k } = product;
    const ordered = Array.from({ length: k }, (_, at) => at);
    const order = arithmetic.order === 'halves' ? halvesOf(ordered) : ordered;
    sums.forEach(({ sum }, parity) => {
      if (arithmetic.order === 'halves') code.words(0, 0, 0, 0);
      else this.pushC(row, column + parity);
      code.set(sum);
    });
    for (let start = 0; start < k; start += arithmetic.chunk) {
      const chunk = order.slice(start, start + arithmetic.chunk);
      this.findGreatest(row, column, chunk);
      for (const four of sums) beginChunk(code, arithmetic, four, bad);
      chunk.forEach((at, number) => this.multiply(row, column, at, number));
      for (const four of sums) endChunk(code, arithmetic, four, bad);
    }
    sums.forEach(({ sum }, parity) => this.store(row, column + parity, sum));
  }

  /** Finds the greatest exponents of the products in a chunk. */
  private findGreatest(row: number, column: number, chunk: readonly number[]): void {
    const { context, greatest, sums, exponents, rooms } = this;
    const { code, product, room, shape } = context;
    const { origin } = shape.layout;
    chunk.forEach((at, i) => {
      const kept = row * product.k + keptAt(at, product.a.fragment);
      code.get(exponents).vectorMemory('v128.load16_splat', origin + rooms.exponentsA + 2 * kept);
      code.get(room).vectorMemory('v128.load', origin + rooms.exponentsB + 2 * (column * product.k + across * at));
      code.vector('i16x8.add');
      if (i > 0) code.get(greatest).vector('i16x8.max_s');
      code.set(greatest);
    });
    const [even, odd] = sums;
    code.get(greatest).vector('i32x4.extend_low_i16x8_s').set(even.greatest);
    code.get(greatest).vector('i32x4.extend_high_i16x8_s').set(odd.greatest);
  }

  private multiply(row: number, column: number, at: number, number: number): void {
    const { context, values, factor, rooms, sums } = this;
    const { code, product, room, shape } = context;
    const { origin } = shape.layout;
    const kept = row * product.k + keptAt(at, product.a.fragment);
    code
      .get(values)
      .vectorMemory('v128.load32_splat', origin + rooms.a + 4 * kept)
      .set(factor);
    sums.forEach((four, parity) => {
      const from = column * product.k + across * at + 4 * parity;
      code
        .get(factor)
        .get(room)
        .vectorMemory('v128.load', origin + rooms.b + 4 * from)
        .vector('f32x4.mul');
      addProducts(code, product.arithmetic, four, number);
    });
  }

  /** Pushes the accumulators from an element on: those of columns of equal parity. */
  private pushC(row: number, column: number): void {
    const { code, product, carriers, shape } = this.context;
    const { a, b, c } = product;
    const register = a.fragment.registers + b.fragment.registers + registerAt(c.fragment, row, column);
    const { array } = elementAt(carriers.brings, register);
    code.get(this.lanes).vectorMemory('v128.load', shape.layout.origin + array);
  }

  private store(row: number, column: number, sum: number): void {
    const { code, product, carriers, shape } = this.context;
    const { array } = elementAt(carriers.gets, registerAt(product.d.fragment, row, column));
    code.get(this.lanes);
    if (product.arithmetic.order === 'direct') code.get(sum);
    else {
      this.pushC(row, column);
      addSums(code, sum);
    }
    code.vectorMemory('v128.store', shape.layout.origin + array);
  }
}

/** The register whose element in lane 0 has a place. */
function registerAt(fragment: Fragment, row: number, column: number): number {
  return Array.from({ length: elementsOf(fragment) }, (_, element) => placeOf(fragment, 0, element)).findIndex(
    (place) => place.row === row && place.column === column,
  );
}
