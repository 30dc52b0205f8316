/**
 * Describes built-in functions as the targets of calls. As for all other functions, their arguments are in local
 * memory.
 */
import type { Formal, Signature } from '../check/declarations/signature.ts';
import { type BuiltinName, builtinFunctions } from '../isa/builtin-functions.ts';
import { type TypeName, typeOf } from '../isa/types.ts';

export interface Builtin {
  readonly name: BuiltinName;
  readonly signature: Signature;
}

function formals(types: readonly TypeName[]): readonly Formal[] {
  return types.map((name): Formal => {
    const type = typeOf(name);
    const bytes = type.width / 8;
    return { name: '_', space: '.param', type, bytes, align: bytes, array: false, open: false };
  });
}

export const builtins: readonly Builtin[] = builtinFunctions.map(({ name, parameters, results }) => ({
  name,
  signature: { parameters: formals(parameters), results: formals(results) },
}));
