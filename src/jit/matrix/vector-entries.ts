/** Writes code that accesses the decoded entries of A and B for eight columns of a row (vector-layout.ts). */
import type { Code } from '../../wasm/code.ts';
import { repeat } from './lanes.ts';
import { advance } from './vector-factors.ts';
import { across, type VectorRooms } from './vector-layout.ts';

/**
 * Eight adjacent elements of a row of D. `row` and `column` are relative to the row and the column to which the
 * addresses in `Bases` point. `sums` holds two locals: one for the sums of the even columns, and one for those of the
 * odd columns.
 */
export interface Eight {
  readonly row: number;
  readonly column: number;
  readonly sums: readonly [even: number, odd: number];
}

/** Locals that hold base addresses, to which the positions of entries are added. */
interface Bases {
  readonly valuesOfA: number;
  readonly exponentsOfA: number;
  readonly valuesOfB: number;
  readonly exponentsOfB: number;
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

export class VectorEntries {
  private readonly code: Code;
  private readonly origin: number;
  private readonly rooms: VectorRooms;
  private readonly bases: Bases;
  /** Locals for the addresses that advance in each iteration of a loop over entries. */
  private readonly moving: Places;

  /** @param origin a constant that is added to all addresses */
  constructor(code: Code, origin: number, rooms: VectorRooms, bases: Bases) {
    this.code = code;
    this.origin = origin;
    this.rooms = rooms;
    this.bases = bases;
    this.moving = { a: code.local('i32'), b: code.local('i32') };
  }

  /**
   * Calls `body` for each entry, in any order. `push.a` pushes four copies of an entry of A, and `push.b` pushes the
   * entries of B for four columns.
   */
  eachValue({ row, column }: Eight, entries: readonly number[], body: (push: PushValue) => void): void {
    const { a, b, entries: inRow } = this.rooms;
    const { valuesOfA, valuesOfB } = this.bases;
    this.each(entries, 4, { a: valuesOfA, b: valuesOfB }, (entry, places) =>
      body({
        a: () => this.load(places.a, 'v128.load32_splat', a + 4 * (row * inRow + entry)),
        b: (parity) => this.load(places.b, 'v128.load', b + 4 * (column * inRow + across * entry + 4 * parity)),
      }),
    );
  }

  /**
   * Calls `body` for each entry, in any order. `push` pushes the exponents of the products in eight columns, first for
   * the even columns, then for the odd columns.
   */
  eachExponent({ row, column }: Eight, entries: readonly number[], body: (push: () => void) => void): void {
    const { exponentsA, exponentsB, entries: inRow } = this.rooms;
    const { exponentsOfA, exponentsOfB } = this.bases;
    this.each(entries, 2, { a: exponentsOfA, b: exponentsOfB }, (entry, places) =>
      body(() => {
        this.load(places.a, 'v128.load16_splat', exponentsA + 2 * (row * inRow + entry));
        this.load(places.b, 'v128.load', exponentsB + 2 * (column * inRow + across * entry));
        this.code.vector('i16x8.add');
      }),
    );
  }

  /**
   * Calls `body` for each entry in ascending order. Entries of A are `bytes` bytes apart. Consecutive entries are
   * handled in a loop; each iteration handles `together` entries. Without a loop, there would be one long block without
   * branches; V8 performs all loads of such a block at its start, and there are not enough registers for all the
   * values.
   */
  private each(
    entries: readonly number[],
    bytes: number,
    start: Places,
    body: (entry: number, places: Places) => void,
  ): void {
    const { code, moving } = this;
    for (const { first, count } of runsOf(entries)) {
      const inRounds = count - (count % together);
      const inLoop = inRounds > together ? inRounds : 0;
      if (inLoop > 0) {
        code.get(start.a).set(moving.a).get(start.b).set(moving.b);
        const round = (): void => {
          for (let i = 0; i < together; i++) body(first + i, moving);
          advance(code, moving.a, bytes * together);
          advance(code, moving.b, bytes * across * together);
        };
        repeat(code, code.local('i32'), inLoop, round, together);
      }
      for (let i = inLoop; i < count; i++) body(first + i, start);
    }
  }

  private load(
    address: number,
    instruction: 'v128.load' | 'v128.load32_splat' | 'v128.load16_splat',
    offset: number,
  ): Code {
    return this.code.get(address).vectorMemory(instruction, this.origin + offset);
  }
}
