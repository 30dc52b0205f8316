/** A number held in locals as sign, significand and exponent. */
import type { Code } from '../../wasm/code.ts';

/** The locals: `sign` is an i32 (0 or 1), `significand` an i64, `exponent` an i32. */
export interface ExactLocals {
  readonly sign: number;
  readonly significand: number;
  readonly exponent: number;
}

export function exactLocals(code: Code): ExactLocals {
  return { sign: code.local('i32'), significand: code.local('i64'), exponent: code.local('i32') };
}
