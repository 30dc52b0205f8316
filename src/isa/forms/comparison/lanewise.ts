/**
 * Handles packed types lane by lane: unpacks the sources, runs the scalar steps once per lane, and packs the results.
 */
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import type { PtxType } from '../../types.ts';

/**
 * Creates the steps for one lane. `of` converts the name of an operand to the name of the lane's value: `of('$a')` is
 * the name of this lane of source `a`, and `of('$d')` is the name of this lane of the result.
 */
export type LaneSteps = (of: (name: Ref) => Ref) => readonly Step[];

/**
 * Applies scalar steps to every lane of a packed type. A type with only one lane needs no unpacking, so the scalar
 * steps are used as they are.
 */
export function lanewise(type: PtxType, sources: readonly Ref[], scalar: LaneSteps): readonly Step[] {
  if (type.lanes === 1) return scalar((name) => name);
  const layout = { lane: type.laneStride, stride: type.laneStride };
  const lanes = Array.from({ length: type.lanes }, (_, lane) => lane);
  const namesOf = (name: Ref): readonly Ref[] => lanes.map((lane): Ref => `${name}.${lane}`);
  return [
    ...sources.map((from): Step => ({ kind: 'unpack', to: namesOf(from), from, ...layout })),
    ...lanes.flatMap((lane) => scalar((name) => `${name}.${lane}`)),
    { kind: 'pack', to: '$d', from: namesOf('$d'), ...layout },
  ];
}
