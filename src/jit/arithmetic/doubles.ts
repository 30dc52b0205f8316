/**
 * Writes f64 arithmetic either on single values or on vectors of two values, so that one piece of code can compute a
 * series for both.
 */
import type { Code } from '../../wasm/code.ts';
import { pushDoubleWords } from '../simd/vector-lowering.ts';

type Operation = 'add' | 'sub' | 'mul' | 'div' | 'sqrt' | 'abs' | 'min' | 'max';

export interface Doubles {
  readonly code: Code;
  /** `local` returns a new local for a value, and `bits` returns a new local for the bits of a value. */
  readonly local: () => number;
  readonly bits: () => number;
  /** Pushes a constant, given by its bits. */
  readonly constant: (bits: bigint) => Code;
  /** `min` and `max` are used only for operands that are not NaNs. */
  readonly op: (...operations: readonly Operation[]) => Code;
  /** Multiplies the two values on the stack and adds the value that `push` pushes, with one or two roundings. */
  readonly addProductTo: (push: () => void) => void;
  /** Converts the value on the stack to its bits. */
  readonly toBits: () => Code;
  /** Pushes 2^n, where n is the integer in the low bits of the given local. */
  readonly powerOf2: (n: number) => Code;
  /** Replaces the sign of the value on the stack with the sign of the value in a local. */
  readonly withSignOf: (value: number) => Code;
}

export function oneDouble(code: Code): Doubles {
  const op: Doubles['op'] = (...operations) => code.op(...operations.map((name) => `f64.${name}` as const));
  return {
    code,
    op,
    local: () => code.local('f64'),
    bits: () => code.local('i64'),
    constant: (bits) => code.f64(bits),
    addProductTo: (push) => {
      op('mul');
      push();
      op('add');
    },
    toBits: () => code.op('i64.reinterpret_f64'),
    powerOf2: (n) => code.get(n).i64(exponentBias).op('i64.add').i64(52n).op('i64.shl', 'f64.reinterpret_i64'),
    withSignOf: (value) => code.get(value).op('f64.copysign'),
  };
}

const exponentBias = 1023n;

const vectorNames = {
  add: 'f64x2.add',
  sub: 'f64x2.sub',
  mul: 'f64x2.mul',
  div: 'f64x2.div',
  sqrt: 'f64x2.sqrt',
  abs: 'f64x2.abs',
  min: 'f64x2.pmin',
  max: 'f64x2.pmax',
} as const;

/** @param fuses whether `relaxed_madd` may be used; see `fusesProducts` */
export function twoDoubles(code: Code, fuses: boolean): Doubles {
  const op: Doubles['op'] = (...operations) => code.vector(...operations.map((name) => vectorNames[name]));
  const local = (): number => code.local('v128');
  const constant = (bits: bigint): Code => pushDoubleWords(code, bits);
  return {
    code,
    op,
    local,
    bits: local,
    constant,
    addProductTo: (push) => {
      if (!fuses) op('mul');
      push();
      code.vector(fuses ? 'f64x2.relaxed_madd' : 'f64x2.add');
    },
    toBits: () => code,
    powerOf2: (n) => {
      constant(exponentBias).get(n).vector('i64x2.add');
      return code.i32(52).vector('i64x2.shl');
    },
    withSignOf: (value) => {
      const unsigned = local();
      code.set(unsigned).get(value).get(unsigned);
      return constant(1n << 63n).vector('v128.bitselect');
    },
  };
}
