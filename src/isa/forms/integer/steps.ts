/** Short functions that create integer steps, for forms whose instructions consist of several steps. */
import { plainConversion } from '../../../numerics/conversion.ts';
import type { IntegerName } from '../../../numerics/formats.ts';
import type { BitFunction, Comparison, IntegerFunction } from '../../../numerics/operations.ts';
import type { Ref } from '../../steps/ref.ts';
import type { ValueStep } from '../../steps/value.ts';

export function integer(fn: IntegerFunction, type: IntegerName, to: Ref, ...from: readonly Ref[]): ValueStep {
  return { kind: 'integer', fn, type, sat: false, to, from };
}

export function bits(fn: BitFunction, width: number, to: Ref, ...from: readonly Ref[]): ValueStep {
  return { kind: 'bits', fn, width, to, from };
}

/** A constant of `width` bits. A negative value is converted to two's complement. */
export function constant(to: Ref, value: number | bigint, width = 32): ValueStep {
  const wide = BigInt.asUintN(width, BigInt(value));
  return { kind: 'constant', to, value: width > 32 ? wide : Number(wide) };
}

export function compare(comparison: Comparison, type: IntegerName, to: Ref, a: Ref, b: Ref): ValueStep {
  return { kind: 'compare', comparison, type, flush: false, to, from: [a, b] };
}

/** The `width` bits of `from` that begin at bit `low`. */
export function extract(to: Ref, from: Ref, low: number, width: number): ValueStep {
  return { kind: 'extract', to, from, low, width };
}

/** Computes `high << shift | low` as a value of `width` bits. */
export function join(to: Ref, high: Ref, low: Ref, shift: number, width: number): ValueStep {
  return { kind: 'join', to, high, low, shift, width };
}

/** Computes `condition ? a : b`. */
export function select(to: Ref, condition: Ref, a: Ref, b: Ref): ValueStep {
  return { kind: 'select', to, condition, from: [a, b] };
}

/**
 * Converts an integer to another type: truncates, sign-extends or zero-extends it or, with `sat`, clamps it to the
 * range.
 */
export function resize(to: Ref, toType: IntegerName, from: Ref, fromType: IntegerName, sat = false): ValueStep {
  const conversion = { ...plainConversion(fromType, toType), rounding: null, sat };
  return { kind: 'convert', conversion, to, from, random: null, scale: null };
}
