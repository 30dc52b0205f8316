/**
 * Splits stores whose list of values contains `_`. The memory for these elements is not accessed, so such a store is
 * split into several stores. Each of them is as large as its alignment allows, assuming that the address of the
 * original store is a multiple of its size.
 */
import type { Binding } from '../check/binding/bind.ts';
import { constant, integer } from '../isa/forms/integer/steps.ts';
import type { Ref } from '../isa/steps/ref.ts';
import type { Step, StepOf } from '../isa/steps/step.ts';

/** Elements of a store that are stored together. */
interface Part {
  readonly first: number;
  readonly count: number;
}

/** Removes the elements that are `_` from the stores in an instruction's steps. */
export function withoutSinks(steps: readonly Step[], operands: readonly Binding[]): readonly Step[] {
  if (!operands.some(({ kind }) => kind === 'sink')) return steps;
  const sinks = new Set(operands.flatMap(({ kind, name }) => (kind === 'sink' ? [name] : [])));
  return steps.flatMap((step) =>
    step.kind === 'store' && step.from.some((ref) => sinks.has(ref)) ? split(step, sinks) : [step],
  );
}

function split(step: StepOf<'store'>, sinks: ReadonlySet<Ref>): readonly Step[] {
  const isStored = step.from.map((ref) => !sinks.has(ref));
  return partsOf(isStored, 0, isStored.length).flatMap(({ first, count }): readonly Step[] => {
    const from = step.from.slice(first, first + count);
    if (first === 0) return [{ ...step, from }];
    const [distance, address]: readonly [Ref, Ref] = [`$distance.${first}`, `$address.${first}`];
    return [
      constant(distance, (first * step.width) / 8, 64),
      integer('add', 'u64', address, step.address, distance),
      { ...step, from, address },
    ];
  });
}

/** Divides a range into halves until each part is either stored completely or not at all. */
function partsOf(isStored: readonly boolean[], first: number, count: number): readonly Part[] {
  const own = isStored.slice(first, first + count);
  if (own.every(Boolean)) return [{ first, count }];
  if (!own.some(Boolean)) return [];
  const half = count / 2;
  return [...partsOf(isStored, first, half), ...partsOf(isStored, first + half, half)];
}
