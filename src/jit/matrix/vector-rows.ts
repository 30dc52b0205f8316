/**
 * Writes loops over the rows of a product, and accesses to the entries of A, B, C and D that belong to eight columns of
 * a row.
 */
import { elementAt } from '../../base/element-at.ts';
import type { MatrixProduct } from '../../isa/matrix-product.ts';
import type { Code } from '../../wasm/code.ts';
import { type ProductContext, words } from './context.ts';
import { repeat } from './lanes.ts';
import { advance } from './vector-factors.ts';
import { across, registerAt, type VectorRooms } from './vector-layout.ts';

/**
 * Eight adjacent elements of a row of D. `row` is relative to the current row of the loop. `sums` holds two locals: one
 * for the sums of the even columns, and one for those of the odd columns.
 */
export interface Eight {
  readonly row: number;
  readonly column: number;
  readonly sums: readonly [even: number, odd: number];
}

/** Locals that hold addresses of entries of A and B. The code adds constant offsets to these addresses. */
interface Places {
  readonly a: number;
  readonly b: number;
}

/** Functions that push the values of the current entry of A or B. */
interface PushValue {
  readonly a: () => Code;
  readonly b: (parity: number) => Code;
}

/** Number of entries that one iteration of a loop handles. */
const together = 2;

interface Run {
  readonly first: number;
  readonly count: number;
}

/** Sorts numbers in ascending order and divides them into runs of consecutive numbers. */
function runsOf(numbers: readonly number[]): readonly Run[] {
  const runs: Run[] = [];
  for (const number of [...numbers].sort((one, other) => one - other)) {
    const last = runs.at(-1);
    if (last !== undefined && last.first + last.count === number)
      runs.splice(-1, 1, { ...last, count: last.count + 1 });
    else runs.push({ first: number, count: 1 });
  }
  return runs;
}

export class VectorRows<Product extends MatrixProduct> {
  readonly context: ProductContext<Product>;
  readonly rooms: VectorRooms;
  /** Locals for the addresses of three things: the words of four lanes, the values of A, and the exponents of A. */
  private readonly lanes: number;
  private readonly values: number;
  private readonly exponents: number;
  /** Locals for the addresses that advance in each iteration of a loop over entries. */
  private readonly moving: Places;

  constructor(context: ProductContext<Product>, rooms: VectorRooms) {
    const { code } = context;
    this.context = context;
    this.rooms = rooms;
    [this.lanes, this.values, this.exponents] = [code.local('i32'), code.local('i32'), code.local('i32')];
    this.moving = { a: code.local('i32'), b: code.local('i32') };
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
   * Calls `body` for each entry, in any order. `push` pushes either four copies of an entry of A, or the entries of B
   * for four columns.
   */
  eachValue({ row, column }: Eight, entries: readonly number[], body: (push: PushValue) => void): void {
    const { a, b, entries: inRow } = this.rooms;
    this.eachEntry(entries, 4, this.values, (entry, places) =>
      body({
        a: () => this.load(places.a, 'v128.load32_splat', a + 4 * (row * inRow + entry)),
        b: (parity) => this.load(places.b, 'v128.load', b + 4 * (column * inRow + across * entry + 4 * parity)),
      }),
    );
  }

  /**
   * Calls `body` for each entry, in any order. `push` pushes the exponents of the products in eight columns, those of
   * the even columns first.
   */
  eachExponent({ row, column }: Eight, entries: readonly number[], body: (push: () => void) => void): void {
    const { exponentsA, exponentsB, entries: inRow } = this.rooms;
    this.eachEntry(entries, 2, this.exponents, (entry, places) =>
      body(() => {
        this.load(places.a, 'v128.load16_splat', exponentsA + 2 * (row * inRow + entry));
        this.load(places.b, 'v128.load', exponentsB + 2 * (column * inRow + across * entry));
        this.context.code.vector('i16x8.add');
      }),
    );
  }

  /**
   * Calls `body` for each entry in ascending order. Entries of A are `bytes` bytes apart. Consecutive entries are
   * handled in a loop; each iteration handles `together` entries. Without a loop, there would be one long block without
   * branches; V8 performs all loads of such a block at its start, and there are not enough registers for all the
   * values.
   */
  private eachEntry(
    entries: readonly number[],
    bytes: number,
    startOfA: number,
    body: (entry: number, places: Places) => void,
  ): void {
    const { context, moving } = this;
    const { code, room } = context;
    for (const { first, count } of runsOf(entries)) {
      const inRounds = count - (count % together);
      const inLoop = inRounds > together ? inRounds : 0;
      if (inLoop > 0) {
        code.get(startOfA).set(moving.a).get(room).set(moving.b);
        const round = (): void => {
          for (let i = 0; i < together; i++) body(first + i, moving);
          advance(code, moving.a, bytes * together);
          advance(code, moving.b, bytes * across * together);
        };
        repeat(code, code.local('i32'), inLoop, round, together);
      }
      for (let i = inLoop; i < count; i++) body(first + i, { a: startOfA, b: room });
    }
  }

  /**
   * Pushes the elements of C in four columns, or in eight columns if C is f16, because each word then holds two
   * elements.
   */
  pushC({ row, column }: Eight, parity: number): Code {
    const { product, carriers } = this.context;
    const { a, b, c } = product;
    const register = a.fragment.registers + b.fragment.registers + registerAt(c.fragment, row, column + parity);
    return this.load(this.lanes, 'v128.load', elementAt(carriers.sends, register).array);
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

  private load(
    address: number,
    instruction: 'v128.load' | 'v128.load32_splat' | 'v128.load16_splat',
    offset: number,
  ): Code {
    const { code, shape } = this.context;
    return code.get(address).vectorMemory(instruction, shape.layout.origin + offset);
  }
}
