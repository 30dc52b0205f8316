/** Assigns each variable and parameter an offset within its space (PTX ISA 9.1, sections 5.4 and 7.1). */
import { alignmentOf, sizeOf } from '../check/declarations/sizes.ts';
import { alignUp } from '../base/align.ts';
import type { VariableSpace } from '../check/symbols.ts';
import type { Variable } from '../syntax/tree.ts';

/** A part of a state space. */
export interface NamedPart {
  readonly name: string;
  readonly offset: number;
  readonly size: number;
}

/** A variable and its offset within its space. */
export interface Placed extends NamedPart {
  readonly variable: Variable;
}

/** Places variables one after the other, beginning at offset `start`. */
export function layOut(
  variables: readonly Variable[],
  start = 0,
  alignOf: (variable: Variable) => number = alignmentOf,
): { readonly placed: readonly Placed[]; readonly end: number } {
  let end = start;
  const placed = variables.map((variable): Placed => {
    const offset = alignUp(end, alignOf(variable));
    const size = sizeOf(variable);
    end = offset + size;
    return { name: variable.name, offset, size, variable };
  });
  return { placed, end };
}

/**
 * Returns the alignment of an argument or result on the stack, given its size and its declared alignment. Arrays begin
 * at multiples of 16: if a byte array is passed by value, LLVM may access it with instructions that require a stricter
 * alignment than the declared one.
 */
export function stackAlignment(bytes: number, align: number): number {
  return bytes > align ? Math.max(16, align) : align;
}

/** Whether variables of a space are in a thread's local memory. */
export function isOnStack(space: VariableSpace): boolean {
  return (
    space === '.local' || space === 'local parameter' || space === 'input parameter' || space === 'return parameter'
  );
}
