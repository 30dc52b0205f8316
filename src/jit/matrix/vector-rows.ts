/** Loops over the rows of a product, and the entries of A, B, C and D for eight columns of a row. */
import { elementAt } from '../../base/element-at.ts';
import type { MatrixProduct } from '../../isa/matrix-product.ts';
import type { Code } from '../../wasm/code.ts';
import { type ProductContext, words } from './context.ts';
import { repeat } from './lanes.ts';
import { advance } from './vector-factors.ts';
import { across, registerAt, type VectorRooms } from './vector-layout.ts';

/**
 * Eight elements of D in a row. `row` is relative to the current row; `sums` are locals for the even and the odd
 * columns.
 */
export interface Eight {
  readonly row: number;
  readonly column: number;
  readonly sums: readonly [even: number, odd: number];
}

export class VectorRows<Product extends MatrixProduct> {
  readonly context: ProductContext<Product>;
  readonly rooms: VectorRooms;
  /** Locals with addresses: the words of four lanes, the values of A, and the exponents of A. */
  private readonly lanes: number;
  private readonly values: number;
  private readonly exponents: number;

  constructor(context: ProductContext<Product>, rooms: VectorRooms) {
    const { code } = context;
    this.context = context;
    this.rooms = rooms;
    [this.lanes, this.values, this.exponents] = [code.local('i32'), code.local('i32'), code.local('i32')];
  }

  /**
   * Writes a loop over the first eight rows. For each, calls `body` with all eights of that row and of every eighth row
   * after it.
   */
  each(body: (eight: Eight) => void): void {
    const { context, rooms, lanes, values, exponents } = this;
    const { code, room, product } = context;
    const sums = [code.local('v128'), code.local('v128')] as const;
    code.get(words).set(lanes).get(room).set(values).get(room).set(exponents);
    repeat(code, code.local('i32'), across, () => {
      for (let row = 0; row < product.m; row += across) {
        for (let column = 0; column < product.n; column += across) body({ row, column, sums });
      }
      advance(code, lanes, 16);
      advance(code, values, 4 * rooms.entries);
      advance(code, exponents, 2 * rooms.entries);
    });
  }

  /** Pushes an entry of A four times. */
  pushA({ row }: Eight, entry: number): Code {
    const at = this.rooms.a + 4 * (row * this.rooms.entries + entry);
    return this.load(this.values, 'v128.load32_splat', at);
  }

  /** Pushes entries of B in four columns. */
  pushB({ column }: Eight, entry: number, parity: number): Code {
    const at = this.rooms.b + 4 * (column * this.rooms.entries + across * entry + 4 * parity);
    return this.load(this.context.room, 'v128.load', at);
  }

  /** Pushes the exponents of an entry's products in eight columns, even ones first. */
  pushExponents({ row, column }: Eight, entry: number): Code {
    const { entries, exponentsA, exponentsB } = this.rooms;
    this.load(this.exponents, 'v128.load16_splat', exponentsA + 2 * (row * entries + entry));
    this.load(this.context.room, 'v128.load', exponentsB + 2 * (column * entries + across * entry));
    return this.context.code.vector('i16x8.add');
  }

  /** Pushes elements of C in four columns, or words that hold elements of f16 in eight. */
  pushC({ row, column }: Eight, parity: number): Code {
    const { product, carriers } = this.context;
    const { a, b, c } = product;
    const register = a.fragment.registers + b.fragment.registers + registerAt(c.fragment, row, column + parity);
    return this.load(this.lanes, 'v128.load', elementAt(carriers.brings, register).array);
  }

  /** Stores elements of D in four columns, or words that hold elements of f16 in eight. */
  store({ row, column }: Eight, parity: number, push: () => void): void {
    const { code, product, carriers, shape } = this.context;
    const { array } = elementAt(carriers.gets, registerAt(product.d.fragment, row, column + parity));
    code.get(this.lanes);
    push();
    code.vectorMemory('v128.store', shape.layout.origin + array);
  }

  private load(
    address: number,
    instruction: 'v128.load' | 'v128.load32_splat' | 'v128.load16_splat',
    offset: number,
  ): Code {
    const { code, shape } = this.context;
    return code.get(address).vectorMemory(instruction, shape.layout.origin + offset);
  }
}
