/**
 * The rules that determine which registers and constants an instruction accepts, given the type of its operand. The
 * rules consist of those in Tables 27 and 28 in section 9.4.1 of PTX ISA 9.1 and two stricter sets (see `Regime`). The
 * same rules apply to source and destination registers. If a register is wider than the operand, a source is truncated,
 * and a result is extended to the width of the register.
 */
import type { Regime } from './operand-patterns.ts';
import { isInteger, type PtxType } from './types.ts';

/** The notation in which a constant is written. */
export type ConstantKind = 'integer' | '0f' | '0d' | 'decimal';

/** True if a register declared as `register` can be used for an operand of `type`. */
export function acceptsRegister(type: PtxType, register: PtxType, regime: Regime): boolean {
  if (type.class === 'predicate' || register.class === 'predicate') return type.class === register.class;
  if (!acceptsWidth(type, register, regime)) return false;
  if (register.name === '.f16x2') return acceptsHalfPair(type, regime);
  if (register.class === 'bits') return true;
  if (regime === 'strict' && type.class === 'bits') return false;
  if (isInteger(register)) return isInteger(type) || type.class === 'bits';
  return type.class === 'bits' || type.name === register.name;
}

/** True if a register of this type is wide enough for an operand of `type`. */
export function acceptsWidth(type: PtxType, register: PtxType, regime: Regime): boolean {
  if (regime !== 'relaxed') return register.width === type.width;
  return type.width === 128 ? register.name === '.b128' : register.width >= type.width;
}

/**
 * A `.f16x2` register is accepted for integer and bit-size types, like a `.b32` register, and for `.f16x2`, but not for
 * `.f32`, `.f16` or `.bf16x2`.
 */
function acceptsHalfPair(type: PtxType, regime: Regime): boolean {
  if (type.class === 'bits') return regime !== 'strict';
  if (isInteger(type)) return true;
  return type.name === '.f16x2' || type.name === '.u16x2' || type.name === '.s16x2';
}

/** True if a constant of this kind can be used for a source of `type`. */
export function acceptsConstant(type: PtxType, kind: ConstantKind): boolean {
  if (kind === 'integer') return isInteger(type) || type.class === 'bits' || type.class === 'predicate';
  if (type.name === '.f32' || type.name === '.f64') return true;
  if (type.name === '.b32') return kind === '0f';
  return type.name === '.b64' && kind !== '0f';
}

/** Describes the registers allowed for `type`. */
export function describeRegisters(type: PtxType, regime: Regime): string {
  if (type.class === 'predicate') return 'a .pred register';
  const bits = `.b${type.width}`;
  const wider = regime === 'relaxed' ? ' or wider' : '';
  const sized = `${type.width === 8 ? 'an' : 'a'} ${type.width}-bit${wider}`;
  if (isInteger(type)) return `${sized} integer or bit-size register`;
  if (type.class === 'bits' && regime !== 'strict') return `${sized} register`;
  if (type.class === 'float' || type.name === '.f16x2') return `a ${type.name} or ${bits} register${wider}`;
  return `a ${bits} register${wider}`;
}

/** Describes the constants allowed for `type`; `none` if no constant is allowed. */
export function describeConstants(type: PtxType): string {
  if (type.name === '.f32' || type.name === '.f64') return 'float constants';
  if (type.name === '.b32') return 'integer and 0f constants';
  if (type.name === '.b64') return 'integer, decimal float and 0d constants';
  return acceptsConstant(type, 'integer') ? 'integer constants' : 'none';
}
