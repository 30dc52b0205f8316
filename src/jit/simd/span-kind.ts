/**
 * Decides which kind of code is generated for accesses by four threads. The decision depends on the address pattern
 * that `program/strides.ts` predicts.
 */
import { memoryUses } from '../../isa/steps/effects.ts';
import type { ProgramInstruction } from '../../program/function-program.ts';
import type { SpanKind } from '../memory/checked-spans.ts';
import type { FourShape } from '../regions/function-shape.ts';

/** Addresses with no known pattern are expected to be consecutive, as they are in most kernels. */
export function spanKindOf({ varying, strides }: FourShape, register: number, size: number): SpanKind {
  if (!varying.has(register)) return 'same';
  const stride = strides.get(register) ?? null;
  return stride === null || stride === size ? 'row' : 'scattered';
}

/** Maximum size of an element in bytes. If the stride is greater, the accesses are considered far apart. */
const longestElement = 16;

/**
 * Counts the accesses that take more time if four threads run together: those to addresses that are probably far apart,
 * and those to local memory.
 */
export function scatteredAccesses(four: FourShape, instructions: readonly ProgramInstruction[]): number {
  return instructions.filter(({ steps, addresses }) => {
    const spaces = steps.flatMap((step) => memoryUses(step).map(({ space }) => space));
    const isApart = addresses.some(({ base }) => base.kind === 'register' && isFarApart(four, base.register));
    return spaces.includes('local') || (spaces.length > 0 && isApart);
  }).length;
}

function isFarApart({ varying, strides }: FourShape, register: number): boolean {
  const stride = strides.get(register) ?? null;
  return varying.has(register) && (stride === 'data' || (stride !== null && Math.abs(stride) > longestElement));
}
