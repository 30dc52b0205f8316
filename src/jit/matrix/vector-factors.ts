/**
 * Factors decoded four elements at a time: to f32, which represents each of their formats exactly, and to exponents of
 * 16 bits. A is kept by rows, B by k and eight columns, those with even numbers first.
 */
import { elementAt } from '../../base/element-at.ts';
import type { Fragment } from '../../isa/fragments.ts';
import type { MatrixProduct } from '../../isa/matrix-product.ts';
import { type FloatFormat, type FloatName, formats } from '../../numerics/formats.ts';
import type { Code } from '../../wasm/code.ts';
import { shift, single, splat, splatPower } from '../simd/vector-words.ts';
import { type ProductContext, words } from './context.ts';
import { repeat } from './lanes.ts';

type FloatProduct = Extract<MatrixProduct, { readonly kind: 'float' }>;

/** Rows of A or C, or columns of B, that have one register each: four lanes hold a part of each of them. */
export const across = 8;

/** The exponent of zero; sums of two such numbers fit in 16 bits and are below all others. */
const zeroMark = -(2 ** 14);

/** Bias of the sum of two exponents. */
const bias = 127;

/** Where decoded factors are in the room, in bytes from its start. */
export interface VectorRooms {
  readonly a: number;
  readonly exponentsA: number;
  readonly b: number;
  readonly exponentsB: number;
  readonly size: number;
}

export function vectorRooms({ m, n, k }: MatrixProduct): VectorRooms {
  const exponentsA = 4 * m * k;
  const b = exponentsA + 2 * m * k;
  const exponentsB = b + 4 * n * k;
  return { a: 0, exponentsA, b, exponentsB, size: exponentsB + 2 * n * k };
}

/** A register of a factor: its number, and the first row or column and the first k that it has elements of. */
interface RegisterPlace {
  readonly register: number;
  readonly group: number;
  readonly firstK: number;
}

/** Elements of a register. */
function perRegister({ registerBits, bits }: Fragment): number {
  return registerBits / bits;
}

/** The registers of a factor, if four lanes have neighbors along k and eight such groups lie across; otherwise null. */
export function registerPlaces(fragment: Fragment, side: 'a' | 'b'): readonly RegisterPlace[] | null {
  const [alongDigits, acrossDigits] = side === 'a' ? [fragment.column, fragment.row] : [fragment.row, fragment.column];
  const together = Math.log2(perRegister(fragment));
  const inOrder = alongDigits.slice(0, together + 2).join() === digits(together).concat('l0', 'l1').join();
  if (!inOrder || acrossDigits.slice(0, 3).join() !== 'l2,l3,l4' || fragment.matrices !== 1) return null;
  const valueOf = (of: readonly string[], register: number, from: number): number =>
    of
      .slice(from)
      .reduce((sum, digit, i) => sum + (((register << together) >> Number(digit.slice(1))) & 1) * 2 ** i, 0);
  return Array.from({ length: fragment.registers }, (_, register) => ({
    register,
    group: valueOf(acrossDigits, register, 3),
    firstK: valueOf(alongDigits, register, together + 2) * 4 * 2 ** together,
  }));
}

function digits(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `i${i}`);
}

interface DecodedLocals {
  readonly value: number;
  readonly exponent: number;
  /** All ones in lanes that ever held an infinity or NaN. */
  readonly special: number;
}

/** Decodes elements of four words, whose lowest bit is `low`; `added` is added to their exponents. */
function decodeFour(
  code: Code,
  { exponentBits, fractionBits, padding, bias: own, nan }: FloatFormat,
  from: { readonly source: number; readonly low: number; readonly added: number },
  { value, exponent, special }: DecodedLocals,
): void {
  const { source, low, added } = from;
  const fraction = 23 - fractionBits;
  const toLeft = fraction - low - padding;
  const magnitudes = ((2 ** (exponentBits + fractionBits) - 1) * 2 ** fraction) | 0;
  code.get(source);
  if (toLeft >= 0) shift(code, 'i32x4.shl', toLeft);
  else shift(code, 'i32x4.shr_u', -toLeft);
  splat(code, magnitudes).vector('v128.and').set(value);
  if (nan !== 'none') {
    code.get(special).get(value);
    splat(code, nan === 'ieee' ? ((2 ** exponentBits - 1) << 23) | 0 : magnitudes).vector('i32x4.ge_s', 'v128.or');
    code.set(special);
  }
  // Subnormal numbers have the exponent of the least normal one.
  splat(code, zeroMark);
  shift(code.get(value), 'i32x4.shr_u', 23);
  splat(code, 1).vector('i32x4.max_s');
  splat(code, added - own).vector('i32x4.add');
  code.get(value).words(0, 0, 0, 0).vector('i32x4.eq', 'v128.bitselect').set(exponent);
  code.get(value);
  shift(code.get(source), 'i32x4.shl', 31 - (low + padding + fractionBits + exponentBits));
  splat(code, single.sign).vector('v128.and', 'v128.or');
  if (own !== bias) splatPower(code, bias - own).vector('f32x4.mul');
  code.set(value);
}

/** Decodes both factors. Returns a local that is not zero if an element is infinite or NaN. */
export function decodeFactors(context: ProductContext<FloatProduct>, rooms: VectorRooms): number {
  const { code } = context;
  const special = code.local('v128');
  decodeA(context, rooms, special);
  decodeB(context, rooms, special);
  return special;
}

function floatFormat(name: FloatName): FloatFormat {
  return formats[name];
}

function decodeA(
  { code, shape, product, carriers, room }: ProductContext<FloatProduct>,
  rooms: VectorRooms,
  special: number,
): void {
  const { origin } = shape.layout;
  const { fragment, format, low } = product.a;
  const [value, exponent, source] = [code.local('v128'), code.local('v128'), code.local('v128')];
  const [from, values, exponents] = [code.local('i32'), code.local('i32'), code.local('i32')];
  const counter = code.local('i32');
  code.get(words).set(from).get(room).set(values).get(room).set(exponents);
  repeat(code, counter, across, () => {
    for (const { register, group, firstK } of registerPlaces(fragment, 'a') ?? []) {
      code
        .get(from)
        .vectorMemory('v128.load', origin + elementAt(carriers.brings, register).array)
        .set(source);
      for (let i = 0; i < perRegister(fragment); i++) {
        decodeFour(
          code,
          floatFormat(format),
          { source, low: low + i * fragment.bits, added: 0 },
          { value, exponent, special },
        );
        const at = across * group * product.k + firstK + 4 * i;
        code
          .get(values)
          .get(value)
          .vectorMemory('v128.store', origin + rooms.a + 4 * at);
        code.get(exponents).get(exponent).get(exponent).vector('i16x8.narrow_i32x4_s');
        code.laneMemory('v128.store64_lane', origin + rooms.exponentsA + 2 * at);
      }
    }
    code.get(from).i32(16).op('i32.add').set(from);
    code
      .get(values)
      .i32(4 * product.k)
      .op('i32.add')
      .set(values);
    code
      .get(exponents)
      .i32(2 * product.k)
      .op('i32.add')
      .set(exponents);
  });
}

/** The place along k where A's element is kept: those of equal number in their registers are neighbors. */
export function keptAt(k: number, fragment: Fragment): number {
  const count = perRegister(fragment);
  const within = k % (4 * count);
  return k - within + 4 * (within % count) + Math.floor(within / count);
}

function decodeB(
  { code, shape, product, carriers, room }: ProductContext<FloatProduct>,
  rooms: VectorRooms,
  special: number,
): void {
  const { origin } = shape.layout;
  const { fragment, format, low } = product.b;
  const first = product.a.fragment.registers;
  const count = perRegister(fragment);
  const [value, even, odd] = [code.local('v128'), code.local('v128'), code.local('v128')];
  const lanes = (): number[] => [0, 1, 2, 3].map(() => code.local('v128'));
  const transposed = [lanes(), lanes()];
  const spare = lanes();
  for (const { register, group, firstK } of registerPlaces(fragment, 'b') ?? []) {
    const { array } = elementAt(carriers.brings, first + register);
    transposed.forEach((to, parity) => {
      const load = (column: number): Code => code.get(words).vectorMemory('v128.load', origin + array + 16 * column);
      to.forEach((local, i) => load(2 * i + parity).set(local));
      transpose(code, to, spare);
    });
    for (let word = 0; word < 4; word++) {
      for (let i = 0; i < count; i++) {
        const at = across * (group * product.k + firstK + word * count + i);
        [even, odd].forEach((exponent, parity) => {
          const source = elementAt(elementAt(transposed, parity), word);
          const from = { source, low: low + i * fragment.bits, added: bias };
          decodeFour(code, floatFormat(format), from, { value, exponent, special });
          code
            .get(room)
            .get(value)
            .vectorMemory('v128.store', origin + rooms.b + 4 * (at + 4 * parity));
        });
        code.get(room).get(even).get(odd).vector('i16x8.narrow_i32x4_s');
        code.vectorMemory('v128.store', origin + rooms.exponentsB + 2 * at);
      }
    }
  }
}

const bytesOfWords = (picked: readonly number[]): number[] =>
  picked.flatMap((word) => [0, 1, 2, 3].map((byte) => 4 * word + byte));

/** Transposes four by four words in locals. */
function transpose(code: Code, rows: readonly number[], spare: readonly number[]): void {
  const [a = 0, b = 0, c = 0, d = 0] = rows;
  const [p = 0, q = 0, r = 0, s = 0] = spare;
  const pick = (x: number, y: number, to: number, picked: readonly number[]): void => {
    code.get(x).get(y).shuffle(bytesOfWords(picked)).set(to);
  };
  const [low, high] = [
    [0, 4, 1, 5],
    [2, 6, 3, 7],
  ] as const;
  pick(a, b, p, low);
  pick(a, b, q, high);
  pick(c, d, r, low);
  pick(c, d, s, high);
  pick(p, r, a, [0, 1, 4, 5]);
  pick(p, r, b, [2, 3, 6, 7]);
  pick(q, s, c, [0, 1, 4, 5]);
  pick(q, s, d, [2, 3, 6, 7]);
}
