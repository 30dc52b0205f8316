/**
 * Implements integer arithmetic and comparisons for four threads at once. Each function returns null if a step has no
 * vector form.
 */
import { elementAt } from '../../base/element-at.ts';
import { pairOf } from '../../base/tuples.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import type { Ref } from '../../isa/steps/ref.ts';
import { formats, type FixedFormat } from '../../numerics/formats.ts';
import type { Code } from '../../wasm/code.ts';
import type { VectorOpcode } from '../../wasm/simd-opcodes.ts';
import { integerOrders } from '../arithmetic/integer.ts';
import { holder, type IntegerType } from '../regions/values.ts';
import { vectorFloatComparison } from './vector-float-comparison.ts';
import { vectorDivision } from './vector-division.ts';
import { shift, splat } from './vector-words.ts';
import {
  extendWords,
  maskWords,
  pushDoubleWords,
  pushTruth,
  setWord,
  type VectorLowering,
  type Writer,
} from './vector-lowering.ts';
import { type Vector } from './vectors.ts';
import { type IntegerFunction, isFloatArithmeticFormat } from '../../numerics/operations.ts';
import { oddWords } from './word-shuffles.ts';

/** Returns the operands as values of a type, sign-extended if the type is signed. */
function operands({ code, vectors }: VectorLowering, from: readonly Ref[], format: FixedFormat): readonly Vector[] {
  const type = holder(format.width);
  return from.map((ref) => {
    const found = vectors.get(ref, type);
    if (!format.signed || format.width >= 32) return found;
    return vectors.made('i32', () => {
      code.get(found.locals[0]);
      extendWords(code, format.width);
    });
  });
}

/** Pushes one vector of results. `operands` lists the locals that hold the operands. */
type Push = (operands: readonly number[], lowering: VectorLowering) => void;

export function vectorInteger(step: StepOf<'integer'>, lowering: VectorLowering): Writer | null {
  const format = formats[step.type];
  const { fn, to, from } = step;
  if (fn === 'mul.wide' || fn === 'mad.wide') return () => wideProduct(step, format, lowering);
  const push = step.sat ? saturatingForm(step, format) : formOf(fn, format);
  if (push === null) return null;
  return () => {
    const { code, vectors } = lowering;
    const all = operands(lowering, from, format);
    const type = holder(format.width);
    const results = vectors.made(type, (half) => {
      push(
        all.map(({ locals }) => elementAt(locals, half)),
        lowering,
      );
      if (type === 'i32') maskWords(code, format.width);
    });
    vectors.set(to, results);
  };
}

function formOf(fn: Exclude<IntegerFunction, 'mul.wide' | 'mad.wide'>, format: FixedFormat): Push | null {
  const { width } = format;
  const shape = width > 32 ? 'i64x2' : 'i32x4';
  switch (fn) {
    case 'add':
    case 'sub':
      return inOrder([`${shape}.${fn}`]);
    case 'mul.lo':
      return inOrder([`${shape}.mul`]);
    case 'mad.lo':
      return inOrder([`${shape}.mul`, `${shape}.add`]);
    case 'mul.hi':
      return width > 32 ? null : (all, lowering) => pushHigh(pairOf(all), format, lowering);
    case 'mad.hi':
      if (width > 32) return null;
      return (all, lowering) => {
        pushHigh(pairOf(all), format, lowering);
        lowering.code.get(elementAt(all, 2)).vector('i32x4.add');
      };
    case 'div':
    case 'rem':
      if (width > 32) return null;
      return (all, { code, scalar }) => {
        const [a, b] = pairOf(all);
        code
          .get(a)
          .get(b)
          .call(vectorDivision(scalar.helpers, fn, format.signed));
      };
    case 'min':
    case 'max':
      if (width > 32) return (all, lowering) => pushWideChoice(fn, pairOf(all), format, lowering);
      return inOrder([`i32x4.${fn}_${format.signed ? 's' : 'u'}`]);
    case 'neg':
    case 'abs':
      return ([a = 0], { code }) => code.get(a).vector(`${shape}.${fn}`);
  }
}

/**
 * Applies the first instruction to the first two operands, and each further instruction to the previous result and the
 * next operand.
 */
function inOrder(opcodes: readonly VectorOpcode[]): Push {
  return (all, { code }) => {
    code.get(elementAt(all, 0));
    opcodes.forEach((opcode, i) => code.get(elementAt(all, i + 1)).vector(opcode));
  };
}

/** Pushes the smaller or the larger number of each pair of 64-bit numbers. */
function pushWideChoice(
  fn: 'min' | 'max',
  [a, b]: readonly [number, number],
  { signed }: FixedFormat,
  { code }: VectorLowering,
): void {
  code.get(a).get(b);
  pushOrdered(code, a, signed);
  pushOrdered(code, b, signed).vector(fn === 'min' ? 'i64x2.lt_s' : 'i64x2.gt_s', 'v128.bitselect');
}

/**
 * Pushes 64-bit numbers so that a signed comparison orders them correctly. Unsigned numbers must be modified for this,
 * because WebAssembly has no vector instructions that compare unsigned 64-bit numbers.
 */
function pushOrdered(code: Code, local: number, signed: boolean): Code {
  code.get(local);
  return signed ? code : pushDoubleWords(code, 1n << 63n).vector('v128.xor');
}

/** In PTX, only 32-bit signed types have saturating instructions. */
function saturatingForm({ fn, type }: StepOf<'integer'>, format: FixedFormat): Push | null {
  if (type !== 's32') return null;
  if (fn === 'add' || fn === 'sub') return (all, lowering) => pushSaturated(fn, pairOf(all), lowering);
  if (fn !== 'mad.hi') return null;
  return (all, lowering) => {
    const { code, vectors } = lowering;
    const product = vectors.temporary();
    pushHigh(pairOf(all), format, lowering);
    code.set(product);
    pushSaturated('add', [product, elementAt(all, 2)], lowering);
  };
}

/** A result that overflowed has the wrong sign. It is replaced by the limit that has the sign of the first operand. */
function pushSaturated(fn: 'add' | 'sub', [a, b]: readonly [number, number], lowering: VectorLowering): void {
  const { code, vectors } = lowering;
  const result = vectors.temporary();
  code.get(a).get(b).vector(`i32x4.${fn}`).set(result);
  shift(code.get(a), 'i32x4.shr_s', 31);
  splat(code, 0x7fffffff).vector('v128.xor').get(result);
  code.get(a).get(result).vector('v128.xor').get(b);
  code.get(fn === 'add' ? result : a).vector('v128.xor', 'v128.and');
  shift(code, 'i32x4.shr_s', 31).vector('v128.bitselect');
}

// --- products --------------------------------------------------------------------------------------------------------

/** Pushes the upper half of a product. */
function pushHigh([a, b]: readonly [number, number], { width, signed }: FixedFormat, { code }: VectorLowering): void {
  const suffix = signed ? 's' : 'u';
  if (width < 32) {
    shift(code.get(a).get(b).vector('i32x4.mul'), `i32x4.shr_${suffix}`, width);
    return;
  }
  for (const part of ['low', 'high'] as const) code.get(a).get(b).vector(`i64x2.extmul_${part}_i32x4_${suffix}`);
  code.shuffle(oddWords);
}

function wideProduct(step: StepOf<'integer'>, format: FixedFormat, lowering: VectorLowering): void {
  const { code, vectors } = lowering;
  const { width, signed } = format;
  const [one, other] = pairOf(operands(lowering, step.from.slice(0, 2), format).map(({ locals }) => locals[0]));
  const type = holder(2 * width);
  const addend = step.fn === 'mad.wide' ? vectors.get(elementAt(step.from, 2), type).locals : null;
  const product = vectors.made(type, (half) => {
    code.get(one).get(other);
    if (type === 'i32') code.vector('i32x4.mul');
    else code.vector(`i64x2.extmul_${half === 0 ? 'low' : 'high'}_i32x4_${signed ? 's' : 'u'}`);
    if (addend !== null) code.get(elementAt(addend, half)).vector(type === 'i32' ? 'i32x4.add' : 'i64x2.add');
    if (type === 'i32') maskWords(code, 2 * width);
  });
  vectors.set(step.to, product);
}

// --- comparisons -----------------------------------------------------------------------------------------------------

export function vectorComparison(step: StepOf<'compare'>, lowering: VectorLowering): Writer | null {
  const { type: name } = step;
  if (isFloatArithmeticFormat(name)) return vectorFloatComparison(step, name, lowering);
  const format = formats[name];
  const { code, vectors } = lowering;
  const order = integerOrders[step.comparison];
  const { width, signed } = format;
  const equality = order === 'eq' || order === 'ne';
  if (order === undefined) return null;
  const opcode = (type: IntegerType): VectorOpcode => {
    if (equality) return `${type === 'i64' ? 'i64x2' : 'i32x4'}.${order}`;
    return type === 'i64' ? `i64x2.${order}_s` : `i32x4.${order}_${signed ? 's' : 'u'}`;
  };
  return () => {
    const [a, b] = pairOf(operands(lowering, step.from, format));
    const type = holder(width);
    const truth = vectors.made(type, (half) => {
      for (const { locals } of [a, b]) pushOrdered(code, elementAt(locals, half), type === 'i32' || signed || equality);
      code.vector(opcode(type));
    });
    pushTruth(truth, lowering);
    setWord(step.to, lowering);
  };
}
