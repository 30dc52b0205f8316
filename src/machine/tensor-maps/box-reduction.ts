/** How reductions into tensors combine elements (PTX ISA 9.1, section 9.7.9.25.5.3). */
import type { Bits } from '../../base/bits.ts';
import type { BoxReduction } from '../../isa/steps/memory.ts';
import type { TensorElement } from '../../isa/tensor-map-fields.ts';
import { floatOperation } from '../../numerics/arithmetic.ts';
import { type IntegerName, isIntegerName } from '../../numerics/formats.ts';
import { bitOperation, integerOperation } from '../../numerics/integers.ts';
import { isFloatArithmeticFormat, plainMode } from '../../numerics/operations.ts';
import { machineFault } from '../fault.ts';

/** Computes the new value of an element. */
export type CombineElements = (old: Bits, value: Bits) => Bits;

/** The widths of the elements to which operations other than `add` can be applied. */
const widths: Readonly<Record<Exclude<BoxReduction, 'add'>, readonly number[]>> = {
  min: [2, 4, 8],
  max: [2, 4, 8],
  inc: [4],
  dec: [4],
  and: [4, 8],
  or: [4, 8],
  xor: [4, 8],
};

/** Throws a fault if the operation cannot be applied to elements of this type. */
export function combineElements(op: BoxReduction, element: TensorElement): CombineElements {
  const { type, bytes, group } = element;
  const fits = group === 1 && (op === 'add' ? bytes > 1 : widths[op].includes(bytes));
  const combine = fits ? combination(op, element) : null;
  if (combine !== null) return combine;
  throw machineFault('PTX6035', { what: `has elements of type ${type}, to which .${op} cannot be applied` });
}

function combination(op: BoxReduction, element: TensorElement): CombineElements | null {
  const { type, bytes } = element;
  switch (op) {
    case 'and':
    case 'or':
    case 'xor': {
      const combine = bitOperation(op, 8 * bytes);
      return (old, value) => combine(old, value, 0);
    }
    case 'inc':
      return type === 'u32' ? (old, value) => (old >= value ? 0 : Number(old) + 1) : null;
    case 'dec':
      return type === 'u32' ? (old, value) => (old === 0 || old > value ? value : Number(old) - 1) : null;
    case 'add':
    case 'min':
    case 'max':
      return arithmetic(op, element);
  }
}

function arithmetic(op: 'add' | 'min' | 'max', { type, bytes, nan, flushes }: TensorElement): CombineElements | null {
  const format = nan !== null && bytes === 4 ? 'f32' : type;
  const combine = isFloatArithmeticFormat(format)
    ? ofFloats(op, format, flushes)
    : isWide(type)
      ? integerOperation(op, type, false)
      : null;
  return combine === null ? null : (old, value) => combine(old, value, 0);
}

function isWide(type: string): type is IntegerName {
  return isIntegerName(type) && type !== 'u16';
}

/** Unlike red, sums of f32 keep subnormal numbers, which f32.ftz flushes. Only halves have a minimum and a maximum. */
function ofFloats(op: 'add' | 'min' | 'max', format: 'f16' | 'bf16' | 'f32' | 'f64', flush: boolean) {
  if (op !== 'add' && (format === 'f32' || format === 'f64')) return null;
  return floatOperation(op, format, { ...plainMode, flush });
}
