/** A checked call with its arguments and results bound to registers, constants and variables. */
import type { Bits } from '../../base/bits.ts';
import type { Instruction, Operand } from '../../syntax/tree.ts';
import { type RegisterUse, registerUse } from './bind.ts';
import { constantBits, floatBits } from './constant-bits.ts';
import { type CallParts, callables, callParts } from '../instructions/call.ts';
import { emptySignature, type Formal, type Signature } from '../declarations/signature.ts';
import type { FunctionSymbol, Scope, VariableSymbol } from '../symbols.ts';
import { elementAt } from '../../base/element-at.ts';

/** The value that a call passes for one parameter, or the place where it stores one result. */
export type Passed =
  /** One register or, for a vector register, all of its elements. The first element has the lowest address. */
  | { readonly kind: 'registers'; readonly uses: readonly RegisterUse[] }
  | { readonly kind: 'constant'; readonly bits: Bits }
  /** A `.param` variable that is declared in the body of the caller. */
  | { readonly kind: 'variable'; readonly symbol: VariableSymbol }
  /** A placeholder for a result that the caller ignores. */
  | { readonly kind: 'sink' };

export interface BoundCall {
  readonly callee: FunctionSymbol | RegisterUse;
  /** The signature of the function, or of all functions that a register may point to. */
  readonly signature: Signature;
  /** The names in `.calltargets`; null if the call has no such list. */
  readonly targets: readonly string[] | null;
  /** One entry for each parameter of the signature that has an argument. */
  readonly parameters: readonly Passed[];
  /** One entry for each return value. */
  readonly results: readonly Passed[];
}

/** Binds a call, which must have passed the checker. `scope` must be the scope in which the call was checked. */
export function bindCall(node: Instruction, scope: Scope): BoundCall {
  const parts = callParts(node);
  const candidates = callables(parts, scope);
  const signature = candidates[0]?.signature ?? emptySignature;
  const table = parts.table === null ? undefined : scope.lookup(parts.table.name);
  const bindAll = (formals: readonly Formal[], operands: readonly Operand[]): readonly Passed[] =>
    formals.map((formal, i) => bindPassed(formal, elementAt(operands, i), scope));
  return {
    callee: calleeOf(parts, scope),
    signature,
    targets: table?.kind === 'targets' ? table.names : null,
    // The argument for an array without a size can be omitted.
    parameters: bindAll(signature.parameters.slice(0, parts.parameters.length), parts.parameters),
    results: bindAll(signature.results, parts.results),
  };
}

function calleeOf({ callee }: CallParts, scope: Scope): FunctionSymbol | RegisterUse {
  const symbol = scope.lookup(callee.name);
  const found = symbol?.kind === 'function' ? symbol : registerUse(callee, scope);
  if (found === null) throw new Error('a call to an unknown function passed the checker');
  return found;
}

function bindPassed({ type }: Formal, operand: Operand, scope: Scope): Passed {
  switch (operand.kind) {
    case 'integer':
      return { kind: 'constant', bits: constantBits(type, operand.value) };
    case 'float':
      return { kind: 'constant', bits: floatBits(type, operand) };
    case 'name': {
      const use = registerUse(operand, scope);
      if (use !== null) return { kind: 'registers', uses: lanesOf(use) };
      const symbol = scope.lookup(operand.name);
      if (symbol?.kind === 'variable') return { kind: 'variable', symbol };
      break;
    }
    default:
  }
  return { kind: 'sink' };
}

function lanesOf(use: RegisterUse): readonly RegisterUse[] {
  const { lanes } = use.symbol;
  return lanes === 1 ? [use] : Array.from({ length: lanes }, (_, element) => ({ ...use, element }));
}
