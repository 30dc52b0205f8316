/** Decodes factors into the scratch memory, four entries at a time (vector-layout.ts). */
import { elementAt } from '../../base/element-at.ts';
import type { Code } from '../../wasm/code.ts';
import { type ProductContext, words } from './context.ts';
import { repeat } from './lanes.ts';
import { across, entryElements, perRegister, registerPlaces, type VectorRooms } from './vector-layout.ts';

/**
 * The local `source` holds four words of A or B. From each of these words, the entry with the index `number` is
 * decoded.
 */
export interface FourWords {
  readonly side: 'a' | 'b';
  readonly source: number;
  readonly number: number;
}

/**
 * Locals that receive four decoded entries. `exponent` is null for types other than floats, because only floats have
 * exponents.
 */
export interface FourEntries {
  readonly value: number;
  readonly exponent: number | null;
}

type Decode = (from: FourWords, to: FourEntries) => void;

/** Decodes both factors. */
export function decodeFactors(context: ProductContext, rooms: VectorRooms, decode: Decode): void {
  decodeA(context, rooms, decode);
  decodeB(context, rooms, decode);
}

function fourEntries({ code, product }: ProductContext): FourEntries {
  return { value: code.local('v128'), exponent: product.kind === 'float' ? code.local('v128') : null };
}

function decodeA(context: ProductContext, rooms: VectorRooms, decode: Decode): void {
  const { code, shape, product, carriers, room } = context;
  const { origin } = shape.layout;
  const { fragment } = product.a;
  const [source, entries] = [code.local('v128'), fourEntries(context)];
  const [from, values, exponents] = [code.local('i32'), code.local('i32'), code.local('i32')];
  const inEntry = entryElements(product);
  code.get(words).set(from).get(room).set(values).get(room).set(exponents);
  repeat(code, code.local('i32'), across, () => {
    for (const { register, group, firstK } of registerPlaces(fragment, 'a') ?? []) {
      code
        .get(from)
        .vectorMemory('v128.load', origin + elementAt(carriers.sends, register).array)
        .set(source);
      for (let number = 0; number < perRegister(fragment) / inEntry; number++) {
        decode({ side: 'a', source, number }, entries);
        const at = across * group * rooms.entries + firstK / inEntry + 4 * number;
        code
          .get(values)
          .get(entries.value)
          .vectorMemory('v128.store', origin + rooms.a + 4 * at);
        if (entries.exponent === null) continue;
        code.get(exponents).get(entries.exponent).get(entries.exponent).vector('i16x8.narrow_i32x4_s');
        code.laneMemory('v128.store64_lane', origin + rooms.exponentsA + 2 * at);
      }
    }
    advance(code, from, 16);
    advance(code, values, 4 * rooms.entries);
    advance(code, exponents, 2 * rooms.entries);
  });
}

export function advance(code: Code, address: number, bytes: number): void {
  code.get(address).i32(bytes).op('i32.add').set(address);
}

function decodeB(context: ProductContext, rooms: VectorRooms, decode: Decode): void {
  const { code, shape, product, carriers, room } = context;
  const { origin } = shape.layout;
  const { fragment } = product.b;
  const first = product.a.fragment.registers;
  const inEntry = entryElements(product);
  const [even, odd] = [fourEntries(context), fourEntries(context)];
  const lanes = (): number[] => [0, 1, 2, 3].map(() => code.local('v128'));
  const byParity = [lanes(), lanes()];
  const spare = lanes();
  for (const { register, group, firstK } of registerPlaces(fragment, 'b') ?? []) {
    const { array } = elementAt(carriers.sends, first + register);
    byParity.forEach((to, parity) => {
      to.forEach((local, i) => {
        const column = 2 * i + parity;
        code
          .get(words)
          .vectorMemory('v128.load', origin + array + 16 * column)
          .set(local);
      });
      transpose(code, to, spare);
    });
    for (let number = 0; number < perRegister(fragment) / inEntry; number++) {
      for (let word = 0; word < 4; word++) {
        const at = across * (group * rooms.entries + firstK / inEntry + 4 * number + word);
        [even, odd].forEach((entries, parity) => {
          decode({ side: 'b', source: elementAt(elementAt(byParity, parity), word), number }, entries);
          const place = rooms.b + 4 * (at + 4 * parity);
          code
            .get(room)
            .get(entries.value)
            .vectorMemory('v128.store', origin + place);
        });
        if (even.exponent === null || odd.exponent === null) continue;
        code.get(room).get(even.exponent).get(odd.exponent).vector('i16x8.narrow_i32x4_s');
        code.vectorMemory('v128.store', origin + rooms.exponentsB + 2 * at);
      }
    }
  }
}

const bytesOfWords = (picked: readonly number[]): number[] =>
  picked.flatMap((word) => [0, 1, 2, 3].map((byte) => 4 * word + byte));

/** Transposes a matrix of four by four words. Each of the four locals in `rows` holds one row. */
function transpose(code: Code, rows: readonly number[], spare: readonly number[]): void {
  const [a = 0, b = 0, c = 0, d = 0] = rows;
  const [p = 0, q = 0, r = 0, s = 0] = spare;
  const pick = (x: number, y: number, to: number, picked: readonly number[]): void => {
    code.get(x).get(y).shuffle(bytesOfWords(picked)).set(to);
  };
  const [low, high] = [
    [0, 4, 1, 5],
    [2, 6, 3, 7],
  ];
  pick(a, b, p, low);
  pick(a, b, q, high);
  pick(c, d, r, low);
  pick(c, d, s, high);
  pick(p, r, a, [0, 1, 4, 5]);
  pick(p, r, b, [2, 3, 6, 7]);
  pick(q, s, c, [0, 1, 4, 5]);
  pick(q, s, d, [2, 3, 6, 7]);
}
