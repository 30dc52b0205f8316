/** Combines elements for reductions into tensors (PTX ISA 9.1, section 9.7.9.25.5.3). */
import type { Bits } from '../../base/bits.ts';
import type { BoxReduction } from '../../isa/steps/memory.ts';
import type { TensorElement, TensorElementType } from '../../isa/tensor-map-fields.ts';
import { floatOperation } from '../../numerics/arithmetic.ts';
import { isIntegerName } from '../../numerics/formats.ts';
import { bitOperation, integerOperation } from '../../numerics/integers.ts';
import { isFloatArithmeticFormat, plainMode } from '../../numerics/operations.ts';
import { machineFault } from '../fault.ts';

/** Computes the new value of an element. */
export type CombineElements = (old: Bits, value: Bits) => Bits;

const words = ['u32', 's32', 'u64'] as const;
const halves = ['f16', 'bf16'] as const;
const singles = ['f32', 'f32.ftz', 'tf32', 'tf32.ftz'] as const;

/** The element types to which each operation can be applied on an H200. */
const reducible: Readonly<Record<BoxReduction, readonly TensorElementType[]>> = {
  add: [...words, ...halves, ...singles, 'f64'],
  min: [...words, 's64', ...halves],
  max: [...words, 's64', ...halves],
  inc: ['u32'],
  dec: ['u32'],
  and: words,
  or: words,
  xor: words,
};

/** Throws a fault if the operation cannot be applied to elements of this type. */
export function combineElements(op: BoxReduction, element: TensorElement): CombineElements {
  if (reducible[op].includes(element.type)) return combination(op, element);
  throw machineFault('PTX6035', { what: `has elements of type ${element.type}, to which .${op} cannot be applied` });
}

function combination(op: BoxReduction, element: TensorElement): CombineElements {
  switch (op) {
    case 'and':
    case 'or':
    case 'xor': {
      const combine = bitOperation(op, 8 * element.bytes);
      return (old, value) => combine(old, value, 0);
    }
    case 'inc':
      return (old, value) => (old >= value ? 0 : Number(old) + 1);
    case 'dec':
      return (old, value) => (old === 0 || old > value ? value : Number(old) - 1);
    case 'add':
    case 'min':
    case 'max':
      return arithmetic(op, element);
  }
}

/** Unlike `red`, this keeps subnormal numbers in sums of f32 elements; for f32.ftz, they are flushed. */
function arithmetic(op: 'add' | 'min' | 'max', { type, bytes, isFloat, flushes }: TensorElement): CombineElements {
  const format = isFloat && bytes === 4 ? 'f32' : type;
  if (format === 'f64') return addDoubles;
  if (isIntegerName(format)) {
    const combine = integerOperation(op, format, false);
    return (old, value) => combine(old, value, 0);
  }
  if (!isFloatArithmeticFormat(format)) throw new Error(`elements of type ${type} cannot be reduced`);
  const combine = floatOperation(op, format, { ...plainMode, flush: flushes });
  return (old, value) => combine(old, value, 0);
}

/** Adds f64 numbers the way `red` does in global memory: a NaN keeps its bits. */
function addDoubles(old: Bits, value: Bits): Bits {
  if (isNan(value)) return value;
  return isNan(old) ? old : addNumbers(old, value, 0);
}

const addNumbers = floatOperation('add', 'f64', plainMode);

function isNan(value: Bits): boolean {
  return BigInt.asUintN(63, BigInt(value)) > 0x7ff0_0000_0000_0000n;
}
