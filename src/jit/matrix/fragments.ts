/**
 * Copies fragments between the frame and the scratch memory. Elements of A and B are decoded when they are copied. The
 * area for sums contains C before the product is computed, and D afterwards.
 */
import { elementAt } from '../../base/element-at.ts';
import { elementsOf, type Fragment } from '../../isa/fragments.ts';
import { type MatrixProduct, sumConversion, sumFormatOf } from '../../isa/matrix-product.ts';
import type { Conversion } from '../../numerics/conversion.ts';
import { type Accumulator, leastOfHalf } from '../../numerics/dot-arithmetic.ts';
import { formats } from '../../numerics/formats.ts';
import type { Code } from '../../wasm/code.ts';
import type { MemoryOpcode } from '../../wasm/opcodes.ts';
import { converter, unscaled } from '../arithmetic/convert.ts';
import type { Carrier } from '../regions/frame.ts';
import type { KernelShape } from '../regions/kernel-shape.ts';
import { factorBytes, first, mixesHalves, type ProductContext, sumBytes, words } from './context.ts';
import { decodeFunction } from './decoded.ts';
import { elementPosition, evenly, type Position, positionOf, pushLanePosition, repeat } from './lanes.ts';

/** Pushes the address of a lane's element in one of the frame's arrays, not including the offset of the array. */
function pushOwn({ code }: ProductContext, lane: number, { type }: Carrier): void {
  code.get(words).get(lane);
  if (type === 'i32') {
    code.i32(2).op('i32.shl', 'i32.add');
    return;
  }
  // In an array of double words, the distance of an element from the start is twice as large as in an array of words.
  code.get(first).op('i32.add').i32(2).op('i32.shl', 'i32.add').get(lane).i32(2).op('i32.shl', 'i32.add');
}

function pushRegister(context: ProductContext, lane: number, carrier: Carrier): void {
  pushOwn(context, lane, carrier);
  context.code.memory(`${carrier.type}.load`, context.shape.layout.origin + carrier.array);
}

/** Sets a local to the address of a lane's first element in the scratch memory. */
function setPlace({ code, room }: ProductContext, lane: number, place: number, position: Position): void {
  code.get(room);
  pushLanePosition(code, lane, position);
  code.op('i32.add').set(place);
}

/**
 * Where a lane's element is stored: `low` is the position of the element's lowest bit in the register, and `offset` is
 * the distance between this element and the lane's first element in the scratch memory.
 */
interface ElementPlace {
  readonly low: number;
  readonly offset: number;
}

/**
 * For each element of a fragment, loads the register that contains the element into a local, and then calls `element`.
 * `firstRegister` is the first register of the fragment. If a lane holds several copies of an element, `element` is
 * called only for the first one.
 */
function eachElement(
  context: ProductContext,
  fragment: Fragment,
  position: Position,
  firstRegister: number,
  element: (place: ElementPlace, at: { readonly place: number; readonly register: number }) => void,
): void {
  const { code, carriers } = context;
  const perRegister = fragment.registerBits / fragment.bits;
  const [lane, place] = [code.local('i32'), code.local('i32')];
  const register = code.local(fragment.registerBits === 64 ? 'i64' : 'i32');
  repeat(code, lane, 32, () => {
    setPlace(context, lane, place, position);
    const known = new Set<number>();
    for (let i = 0; i < elementsOf(fragment); i++) {
      const offset = elementPosition(i, position);
      if (known.has(offset)) continue;
      known.add(offset);
      if (i % perRegister === 0) {
        pushRegister(context, lane, elementAt(carriers.sends, firstRegister + Math.floor(i / perRegister)));
        code.set(register);
      }
      const low = (i % perRegister) * fragment.bits;
      element({ low, offset }, { place, register });
    }
  });
}

/** Decodes A or B into the scratch memory. */
export function readFactor(context: ProductContext, side: 'a' | 'b'): void {
  const { code, product, rooms, shape } = context;
  const { fragment, format, low: inElement } = product[side];
  const [along, across] = side === 'a' ? [fragment.columns, fragment.rows] : [fragment.rows, fragment.columns];
  const bytes = factorBytes(product);
  const [alongSteps, acrossSteps] = [evenly(bytes), evenly(along * bytes)];
  const [row, column] = side === 'a' ? [acrossSteps, alongSteps] : [alongSteps, acrossSteps];
  const position = positionOf(fragment, { row, column, matrix: evenly(along * across * bytes) });
  const start = shape.layout.origin + rooms[side];
  eachElement(context, fragment, position, side === 'a' ? 0 : product.a.fragment.registers, ({ low, offset }, at) => {
    if (side === 'b' && mixesHalves(product)) {
      code
        .get(at.place)
        .get(at.register)
        .memory('i32.store', shape.layout.origin + rooms.undecoded + offset);
    }
    code.get(at.place).get(at.register);
    const store = decode(context, format, low + inElement);
    code.memory(store, start + offset);
  });
}

/**
 * Writes code that replaces the register value on the stack with the decoded form of one of its elements. Returns the
 * opcode with which the decoded element must be stored.
 */
function decode(
  { code, product, shape }: ProductContext,
  format: MatrixProduct['a']['format'],
  low: number,
): MemoryOpcode {
  if (format === 'f64') return 'i64.store';
  if (format === 'b1') {
    code.i32(low).op('i32.shr_u').i32(1).op('i32.and');
    return 'i32.store';
  }
  const row = formats[format];
  if (product.kind === 'float' && row.kind === 'float') {
    code.i32(low).op('i32.shr_u');
    if (row.width < 32) code.i32(2 ** row.width - 1).op('i32.and');
    code.call(decodeFunction(shape.helpers, row.name, product.arithmetic.order === 'direct' ? null : leastOfHalf));
    return 'i64.store';
  }
  if (product.kind === 'stepwise') {
    code.i32(low).op('i32.shr_u').i32(0xffff).op('i32.and');
    pushConverted(code, shape, sumConversion('f16', sumFormatOf(product)));
    return 'i32.store';
  }
  const above = 32 - row.width;
  code
    .i32(above - low)
    .op('i32.shl')
    .i32(above)
    .op(row.signed ? 'i32.shr_s' : 'i32.shr_u');
  return 'i32.store';
}

function sumPosition({ product: { n, m } }: ProductContext, fragment: Fragment): Position {
  return positionOf(fragment, {
    row: evenly(n * sumBytes),
    column: evenly(sumBytes),
    matrix: evenly(m * n * sumBytes),
  });
}

/**
 * The conversions between the format of the sum and the formats of C and D: `start` is applied to C, and `end` to the
 * sum. A conversion that is not needed is null.
 */
function sumConversions(product: MatrixProduct): Readonly<Record<'start' | 'end', Conversion | null>> {
  if (product.kind !== 'float' && product.kind !== 'stepwise') return { start: null, end: null };
  const format = sumFormatOf(product);
  const between = (from: Accumulator, to: Accumulator): Conversion | null =>
    from === to ? null : sumConversion(from, to);
  return { start: between(product.c.format, format), end: between(format, product.d.format) };
}

/** Converts the number on the stack. */
function pushConverted(code: Code, { helpers }: KernelShape, conversion: Conversion): void {
  code.i32(0).i32(unscaled).call(converter(helpers, conversion));
}

/** Copies C to the scratch memory, converted to the format of the sum. */
export function readSums(context: ProductContext): void {
  const { code, product, rooms, shape } = context;
  const { fragment } = product.c;
  const { start } = sumConversions(product);
  const registers = product.a.fragment.registers + product.b.fragment.registers;
  const store = fragment.registerBits === 64 ? 'i64.store' : 'i32.store';
  eachElement(context, fragment, sumPosition(context, fragment), registers, ({ low, offset }, { place, register }) => {
    code.get(place).get(register);
    if (fragment.bits === 16) code.i32(low).op('i32.shr_u').i32(0xffff).op('i32.and');
    if (start !== null) pushConverted(code, shape, start);
    code.memory(store, shape.layout.origin + rooms.sums + offset);
  });
}

/** Copies D from the scratch memory to the frame. */
export function writeSums(context: ProductContext): void {
  const { code, product, rooms, shape, carriers } = context;
  const { fragment } = product.d;
  const position = sumPosition(context, fragment);
  const perRegister = fragment.registerBits / fragment.bits;
  const [lane, place] = [code.local('i32'), code.local('i32')];
  const load = fragment.registerBits === 64 ? 'i64.load' : 'i32.load';
  const sums = shape.layout.origin + rooms.sums;
  const { end } = sumConversions(product);
  repeat(code, lane, 32, () => {
    setPlace(context, lane, place, position);
    for (let i = 0; i < fragment.registers; i++) {
      const carrier = elementAt(carriers.receives, i);
      pushOwn(context, lane, carrier);
      for (let part = 0; part < perRegister; part++) {
        code.get(place).memory(load, sums + elementPosition(i * perRegister + part, position));
        if (end !== null) pushConverted(code, shape, end);
        if (part > 0) code.i32(part * fragment.bits).op('i32.shl', 'i32.or');
      }
      code.memory(`${carrier.type}.store`, shape.layout.origin + carrier.array);
    }
  });
}
