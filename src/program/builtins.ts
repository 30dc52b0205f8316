/**
 * Functions that the CUDA toolchain expects of the device: nvcc declares them `.extern .func` and calls them like any
 * other. Here they are names with a signature; engines know what they do.
 */
import type { Formal, Signature } from '../check/signature.ts';
import { type TypeName, typeOf } from '../isa/types.ts';

export type BuiltinName = 'vprintf' | 'malloc' | 'free' | '__assertfail';

export interface Builtin {
  readonly name: BuiltinName;
  readonly signature: Signature;
}

function formals(...types: readonly TypeName[]): readonly Formal[] {
  return types.map((name): Formal => {
    const type = typeOf(name);
    const bytes = type.width / 8;
    return { name: '_', space: '.param', type, bytes, align: bytes, array: false };
  });
}

export const builtins: readonly Builtin[] = [
  // Format and arguments by generic address; the number of arguments, or -1.
  { name: 'vprintf', signature: { parameters: formals('.b64', '.b64'), results: formals('.b32') } },
  { name: 'malloc', signature: { parameters: formals('.b64'), results: formals('.b64') } },
  { name: 'free', signature: { parameters: formals('.b64'), results: [] } },
  // Assertion, file, line, function, bytes of a character.
  { name: '__assertfail', signature: { parameters: formals('.b64', '.b64', '.b32', '.b64', '.b64'), results: [] } },
];
