/**
 * Writes loops over the rows of a product, and code that accesses the elements of C and D in eight columns of a row.
 */
import { elementAt } from '../../base/element-at.ts';
import type { MatrixProduct } from '../../isa/matrix-product.ts';
import type { Code } from '../../wasm/code.ts';
import { type ProductContext, words } from './context.ts';
import { repeat } from './lanes.ts';
import { advance } from './vector-factors.ts';
import { type Eight, VectorEntries } from './vector-entries.ts';
import { across, registerAt, type VectorRooms } from './vector-layout.ts';

export class VectorRows<Product extends MatrixProduct> {
  readonly context: ProductContext<Product>;
  readonly rooms: VectorRooms;
  /** Locals for three addresses: of the words of four lanes, of the values of A, and of the exponents of A. */
  private readonly lanes: number;
  private readonly values: number;
  private readonly exponents: number;
  readonly entries: VectorEntries;

  constructor(context: ProductContext<Product>, rooms: VectorRooms) {
    const { code, shape, room } = context;
    this.context = context;
    this.rooms = rooms;
    [this.lanes, this.values, this.exponents] = [code.local('i32'), code.local('i32'), code.local('i32')];
    const { values: valuesOfA, exponents: exponentsOfA } = this;
    const bases = { valuesOfA, exponentsOfA, valuesOfB: room, exponentsOfB: room };
    this.entries = new VectorEntries(code, shape.layout.origin, rooms, bases);
  }

  /**
   * Writes a loop with eight iterations. Iteration `i` handles rows `i`, `i + 8`, `i + 16`, and so on. `body` is called
   * for each group of eight columns in these rows.
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

  /**
   * Pushes the elements of C in four columns, or in eight columns if C is f16, because each word then holds two
   * elements.
   */
  pushC({ row, column }: Eight, parity: number): Code {
    const { code, product, carriers, shape } = this.context;
    const { a, b, c } = product;
    const register = a.fragment.registers + b.fragment.registers + registerAt(c.fragment, row, column + parity);
    return code
      .get(this.lanes)
      .vectorMemory('v128.load', shape.layout.origin + elementAt(carriers.sends, register).array);
  }

  /**
   * Stores the elements of D in four columns, or in eight columns if D is f16, because each word then holds two
   * elements.
   */
  store({ row, column }: Eight, parity: number, push: () => void): void {
    const { code, product, carriers, shape } = this.context;
    const { array } = elementAt(carriers.receives, registerAt(product.d.fragment, row, column + parity));
    code.get(this.lanes);
    push();
    code.vectorMemory('v128.store', shape.layout.origin + array);
  }
}
