/** Computes products of integers and of single bits, four columns at a time. */
import type { MatrixProduct } from '../../isa/matrix-product.ts';
import { formats } from '../../numerics/formats.ts';
import type { Code } from '../../wasm/code.ts';
import { shift, splat } from '../simd/vector-words.ts';
import type { ProductContext } from './context.ts';
import { decodeFactors, type FourEntries, type FourWords } from './vector-factors.ts';
import type { VectorRooms } from './vector-layout.ts';
import type { Eight } from './vector-entries.ts';
import { VectorRows } from './vector-rows.ts';

type IntegerContext = ProductContext<Extract<MatrixProduct, { readonly kind: 'integer' | 'bits' }>>;

export function multiplyIntegerVectors(context: IntegerContext, rooms: VectorRooms): void {
  const { code, product } = context;
  decodeFactors(context, rooms, (from, to) => decodeFour(context, from, to));
  const rows = new VectorRows(context, rooms);
  const factor = code.local('v128');
  const everyEntry = Array.from({ length: rooms.entries }, (_, entry) => entry);
  const saturates = product.kind === 'integer' && product.satfinite;
  rows.each((eight) => {
    eight.sums.forEach((sum, parity) => {
      if (saturates) code.words(0, 0, 0, 0);
      else rows.pushC(eight, parity);
      code.set(sum);
    });
    rows.entries.eachValue(eight, everyEntry, (push) => {
      push.a().set(factor);
      eight.sums.forEach((sum, parity) => {
        code.get(sum).get(factor);
        push.b(parity);
        multiply(code, product);
        code.vector('i32x4.add').set(sum);
      });
    });
    eight.sums.forEach((sum, parity) => {
      if (saturates) addSaturated(rows, eight, parity, sum);
      rows.store(eight, parity, () => code.get(sum));
    });
  });
}

/**
 * Takes the integer with index `number` from each half of every word, and widens it to 16 bits. Single bits remain
 * packed.
 */
function decodeFour({ code, product }: IntegerContext, { side, source, number }: FourWords, to: FourEntries): void {
  code.get(source);
  if (product.kind === 'integer') {
    const { width, signed } = formats[product[side].format];
    const above = 16 - width * (number + 1);
    if (above > 0) code.i32(above).vector('i16x8.shl');
    code.i32(16 - width).vector(signed ? 'i16x8.shr_s' : 'i16x8.shr_u');
  }
  code.set(to.value);
}

/**
 * Multiplies the elements of four entries of A by the corresponding elements of four entries of B, and adds up the
 * products of each entry.
 */
function multiply(code: Code, product: IntegerContext['product']): void {
  if (product.kind === 'integer') code.vector('i32x4.dot_i16x8_s');
  else {
    code.vector(`v128.${product.op}`, 'i8x16.popcnt', 'i16x8.extadd_pairwise_i8x16_u', 'i32x4.extadd_pairwise_i16x8_u');
  }
}

/** Adds C with saturation. This is the only addition whose result can be outside the range of s32. */
function addSaturated(rows: VectorRows<IntegerContext['product']>, eight: Eight, parity: number, sum: number): void {
  const { code } = rows.context;
  const [start, total] = [code.local('v128'), code.local('v128')];
  rows.pushC(eight, parity).tee(start).get(sum).vector('i32x4.add').set(total);
  splat(shift(code.get(start), 'i32x4.shr_s', 31), 0x7fffffff)
    .vector('v128.xor')
    .get(total);
  code.get(start).get(total).vector('v128.xor').get(sum).get(total).vector('v128.xor', 'v128.and');
  shift(code, 'i32x4.shr_s', 31).vector('v128.bitselect').set(sum);
}
