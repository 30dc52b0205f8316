/**
 * Handles packed types lane by lane: unpacks the sources, runs the scalar steps once per lane, and packs the results.
 */
import { formats } from '../../../numerics/formats.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import type { LaneLayout } from '../../steps/value.ts';
import type { PtxType } from '../../types.ts';

/**
 * Creates the steps for one lane. `of` converts the name of an operand to the name of the lane's value: `of('$a')` is
 * the name of this lane of source `a`, and `of('$d')` is the name of this lane of the result.
 */
export type LaneSteps = (of: (name: Ref) => Ref) => readonly Step[];

/** A source and its type. */
export type TypedSource = readonly [name: Ref, type: PtxType];

/**
 * Applies scalar steps to every lane of a packed result. The sources may have lanes of other types, but all types have
 * the same number of lanes.
 */
export function lanewiseOf(result: PtxType, sources: readonly TypedSource[], scalar: LaneSteps): readonly Step[] {
  const lanes = Array.from({ length: result.lanes }, (_, lane) => lane);
  const namesOf = (name: Ref): readonly Ref[] => lanes.map((lane): Ref => `${name}.${lane}`);
  return [
    ...sources.map(([from, type]): Step => ({ kind: 'unpack', to: namesOf(from), from, ...layoutOf(type) })),
    ...lanes.flatMap((lane) => scalar((name) => `${name}.${lane}`)),
    { kind: 'pack', to: '$d', from: namesOf('$d'), ...layoutOf(result) },
  ];
}

function layoutOf({ format, laneStride }: PtxType): LaneLayout {
  return { lane: format === null ? laneStride : formats[format].width, stride: laneStride };
}

/**
 * Applies scalar steps to every lane of a packed type. A type with only one lane needs no unpacking, so the scalar
 * steps are used as they are.
 */
export function lanewise(type: PtxType, sources: readonly Ref[], scalar: LaneSteps): readonly Step[] {
  if (type.lanes === 1) return scalar((name) => name);
  return lanewiseOf(
    type,
    sources.map((name) => [name, type]),
    scalar,
  );
}
