/**
 * Implements integer arithmetic and comparisons for four threads at once. Each function returns null if a step has no
 * vector form.
 */
import { elementAt } from '../../base/element-at.ts';
import { pairOf } from '../../base/tuples.ts';
import type { StepOf } from '../../isa/steps/step.ts';
import type { Ref } from '../../isa/steps/ref.ts';
import { formats, type FixedFormat } from '../../numerics/formats.ts';
import type { VectorOpcode } from '../../wasm/simd-opcodes.ts';
import { integerOrders } from '../arithmetic/integer.ts';
import { holder, type IntegerType } from '../regions/values.ts';
import { vectorFloatComparison } from './vector-float-comparison.ts';
import { extendWords, maskWords, pushTruth, setWord, type VectorLowering, type Writer } from './vector-lowering.ts';
import type { Vector } from './vectors.ts';
import { type IntegerFunction, isFloatArithmeticFormat } from '../../numerics/operations.ts';

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

const binary: Readonly<Partial<Record<IntegerFunction, 'add' | 'sub' | 'mul'>>> = {
  add: 'add',
  sub: 'sub',
  'mul.lo': 'mul',
};

export function vectorInteger(step: StepOf<'integer'>, lowering: VectorLowering): Writer | null {
  const format = formats[step.type];
  const { code, vectors } = lowering;
  const { fn, to, from } = step;
  const { width, signed } = format;
  if (step.sat) return null;
  const type = holder(width);
  const shape = type === 'i64' ? 'i64x2' : 'i32x4';
  const finish = (push: (half: number, all: readonly Vector[]) => void): Writer => {
    return () => {
      const all = operands(lowering, from, format);
      vectors.set(
        to,
        vectors.made(type, (half) => {
          push(half, all);
          if (type === 'i32') maskWords(code, width);
        }),
      );
    };
  };
  const local = (all: readonly Vector[], i: number, half: number): number => elementAt(elementAt(all, i).locals, half);
  const operation = binary[fn];
  if (operation !== undefined) {
    return finish((half, all) =>
      code
        .get(local(all, 0, half))
        .get(local(all, 1, half))
        .vector(`${shape}.${operation}`),
    );
  }
  if (fn === 'mad.lo') {
    return finish((half, all) => {
      code
        .get(local(all, 0, half))
        .get(local(all, 1, half))
        .vector(`${shape}.mul`);
      code.get(local(all, 2, half)).vector(`${shape}.add`);
    });
  }
  if ((fn === 'min' || fn === 'max') && type === 'i32') {
    const opcode: VectorOpcode = `i32x4.${fn}_${signed ? 's' : 'u'}`;
    return finish((half, all) =>
      code
        .get(local(all, 0, half))
        .get(local(all, 1, half))
        .vector(opcode),
    );
  }
  if (fn === 'neg' || fn === 'abs')
    return finish((half, all) => code.get(local(all, 0, half)).vector(`${shape}.${fn}`));
  if ((fn === 'mul.wide' || fn === 'mad.wide') && width === 32) return wideProduct(step, signed, lowering);
  return null;
}

function wideProduct(step: StepOf<'integer'>, signed: boolean, { code, vectors }: VectorLowering): Writer {
  const suffix = signed ? 's' : 'u';
  return () => {
    const [a, b] = pairOf(step.from);
    const [one] = vectors.get(a, 'i32').locals;
    const [other] = vectors.get(b, 'i32').locals;
    const addend = step.fn === 'mad.wide' ? vectors.get(elementAt(step.from, 2), 'i64').locals : null;
    const product = vectors.made('i64', (half) => {
      code
        .get(one)
        .get(other)
        .vector(`i64x2.extmul_${half === 0 ? 'low' : 'high'}_i32x4_${suffix}`);
      if (addend !== null) code.get(elementAt(addend, half)).vector('i64x2.add');
    });
    vectors.set(step.to, product);
  };
}

export function vectorComparison(step: StepOf<'compare'>, lowering: VectorLowering): Writer | null {
  const { type: name } = step;
  if (isFloatArithmeticFormat(name)) return vectorFloatComparison(step, name, lowering);
  const format = formats[name];
  const { code, vectors } = lowering;
  const order = integerOrders[step.comparison];
  const { width, signed } = format;
  const equality = order === 'eq' || order === 'ne';
  if (order === undefined || (width > 32 && !signed && !equality)) return null;
  const opcode = (type: IntegerType): VectorOpcode => {
    if (equality) return `${type === 'i64' ? 'i64x2' : 'i32x4'}.${order}`;
    return type === 'i64' ? `i64x2.${order}_s` : `i32x4.${order}_${signed ? 's' : 'u'}`;
  };
  return () => {
    const [a, b] = pairOf(operands(lowering, step.from, format));
    const type = holder(width);
    const truth = vectors.made(type, (half) =>
      code.get(elementAt(a.locals, half)).get(elementAt(b.locals, half)).vector(opcode(type)),
    );
    pushTruth(truth, lowering);
    setWord(step.to, lowering);
  };
}
