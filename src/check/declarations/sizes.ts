/**
 * Sizes and alignments of variables and parameters (sections 5.4 and 7.1 of PTX ISA 9.1). Natural alignment applies
 * unless an alignment is specified.
 */
import { alignUp } from '../../base/align.ts';
import { types } from '../../isa/types.ts';
import type { Variable } from '../../syntax/tree.ts';

/** Size of one element in bytes; for a vector, this includes all lanes. */
function elementSize(variable: Variable): number {
  const width = types.get(variable.type)?.width ?? 64;
  const lanes = variable.vector === null ? 1 : Number(variable.vector.slice(2));
  return (width / 8) * lanes;
}

/** True if the first dimension of an array has no length, which is written `[]` or `[0]`. */
export function isOpen({ dimensions }: Pick<Variable, 'dimensions'>): boolean {
  const [first] = dimensions;
  return first === null || first === 0;
}

/** Size of a variable in bytes. `[]` takes its length from the initializer; an `.extern` array has length 0. */
export function sizeOf(variable: Variable): number {
  return variable.dimensions.reduce<number>((size, dimension, i) => {
    const given = i === 0 && isOpen(variable) ? initialLength(variable) : (dimension ?? 0);
    return size * given;
  }, elementSize(variable));
}

function initialLength(variable: Variable): number {
  const { initializer } = variable;
  if (initializer === null) return 0;
  return initializer.kind === 'list' ? initializer.elements.length : 1;
}

export function alignmentOf(variable: Variable): number {
  return variable.align ?? elementSize(variable);
}

/** Total size of consecutive variables in bytes. */
export function bytesInRow(variables: readonly Variable[]): number {
  return variables.reduce((end, one) => alignUp(end, Math.max(1, alignmentOf(one))) + sizeOf(one), 0);
}
