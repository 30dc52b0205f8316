import type { Code } from '../../wasm/code.ts';
import type { IntegerType } from '../regions/values.ts';

/** Pushes an integer, of which an i32 takes the low 32 bits. */
export function constant(code: Code, type: IntegerType, value: bigint): Code {
  return type === 'i64' ? code.i64(value) : code.i32(Number(BigInt.asIntN(32, value)));
}
