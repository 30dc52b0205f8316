import type { Code } from '../../wasm/code.ts';
import type { IntegerType } from '../regions/values.ts';

/** Pushes an integer constant. If the type is i32, only the low 32 bits are used. */
export function constant(code: Code, type: IntegerType, value: bigint): Code {
  return type === 'i64' ? code.i64(value) : code.i32(Number(BigInt.asIntN(32, value)));
}
