/** The steps that atomic operations use to compute the new value of a location from its old value. */
import { integerName } from '../../../numerics/formats.ts';
import { plainMode } from '../../../numerics/operations.ts';
import type { Variant } from '../../form.ts';
import { choice, floatType, has, integerType, slotType } from '../../variant.ts';
import type { Ref } from '../../steps/ref.ts';
import type { ValueStep } from '../../steps/value.ts';
import { bits, compare, constant, integer as integerStep, select } from '../integer/steps.ts';
import { spaceOf } from '../space-of.ts';

/** The steps that compute `next` from `old`, `b` and `c`. */
export type Combine = (variant: Variant, names: Names) => readonly ValueStep[];

export interface Names {
  readonly old: Ref;
  readonly b: Ref;
  readonly c: Ref;
  readonly next: Ref;
}

const opOf = (variant: Variant): string => (variant.modifiers['op'] ?? variant.modifiers['boolOp'] ?? '').slice(1);

export const logic: Combine = (variant, { old, b, next }) => {
  const fn = choice(variant, 'boolOp', ['and', 'or', 'xor']);
  return [bits(fn, slotType(variant, 0).width, next, old, b)];
};

export const integer: Combine = (variant, { old, b, next }) => {
  const fn = choice(variant, 'op', ['add', 'min', 'max']);
  return [integerStep(fn, integerType(variant, 0), next, old, b)];
};

/**
 * `.inc` counts up, and wraps to 0 if the old value is b or more. `.dec` counts down, and wraps to b if the old value
 * is 0 or greater than b.
 */
export function wrap(op: 'inc' | 'dec', { old, b, next }: Omit<Names, 'c'>): readonly ValueStep[] {
  const constants = [constant('$one', 1), constant('$zero', 0)];
  if (op === 'inc') {
    return [
      ...constants,
      integerStep('add', 'u32', '$stepped', old, '$one'),
      compare('ge', 'u32', '$wraps', old, b),
      select(next, '$wraps', '$zero', '$stepped'),
    ];
  }
  return [
    ...constants,
    integerStep('sub', 'u32', '$stepped', old, '$one'),
    compare('gt', 'u32', '$above', old, b),
    compare('eq', 'u32', '$empty', old, '$zero'),
    bits('or', 1, '$wraps', '$above', '$empty'),
    select(next, '$wraps', b, '$stepped'),
  ];
}

export const wrapping: Combine = (variant, names) => wrap(opOf(variant) === 'inc' ? 'inc' : 'dec', names);

export const exchange: Combine = (_, { b, next }) => [{ kind: 'copy', to: next, from: b }];

/** Compares values as bits, and compares the two halves of 128-bit values separately. */
export const compareAndSwap: Combine = (variant, { old, b, c, next }) => {
  const { width } = slotType(variant, 0);
  const swap = select(next, '$same', c, old);
  if (width < 128) return [compare('eq', integerName(false, width), '$same', old, b), swap];
  const halves = (from: Ref): ValueStep => ({
    kind: 'unpack',
    to: [`${from}.high`, `${from}.low`],
    from,
    lane: 64,
    stride: 64,
  });
  return [
    halves(old),
    halves(b),
    compare('eq', 'u64', '$same.high', `${old}.high`, `${b}.high`),
    compare('eq', 'u64', '$same.low', `${old}.low`, `${b}.low`),
    bits('and', 1, '$same', '$same.high', '$same.low'),
    swap,
  ];
};

/**
 * A value that is true if the address of an operation is in shared memory. This value is computed only if the result of
 * the operation depends on it.
 */
export const inShared: Ref = '$in-shared';

/** Whether the result depends on the space of a generic address. */
export function dependsOnSpace(variant: Variant): boolean {
  const { name } = slotType(variant, 0);
  const differs = name === '.f64' || (name === '.f32' && !has(variant, '.noftz'));
  return differs && spaceOf(variant) === 'generic';
}

/** Floating-point operations, which process packed types lane by lane. */
export const float: Combine = (variant, names) => {
  const { old, b, next } = names;
  const { lanes, laneStride } = slotType(variant, 0);
  if (dependsOnSpace(variant))
    return [
      ...floatIn('shared', variant, { ...names, next: '$near' }),
      ...floatIn('global', variant, { ...names, next: '$far' }),
      select(next, inShared, '$near', '$far'),
    ];
  const space = spaceOf(variant) === 'shared' ? 'shared' : 'global';
  if (lanes === 1) return floatIn(space, variant, names);
  const layout = { lane: laneStride, stride: laneStride };
  const lanesOf = (name: Ref): readonly Ref[] => [`${name}.high`, `${name}.low`];
  return [
    { kind: 'unpack', to: lanesOf(old), from: old, ...layout },
    { kind: 'unpack', to: lanesOf(b), from: b, ...layout },
    ...(['high', 'low'] as const).flatMap((lane) =>
      floatIn(space, variant, { ...names, old: `${old}.${lane}`, b: `${b}.${lane}`, next: `${next}.${lane}` }),
    ),
    { kind: 'pack', to: next, from: lanesOf(next), ...layout },
  ];
};

/** Operations on f32 in global memory flush subnormals to zero, as the ISA requires, except with `.noftz`. */
function floatIn(space: 'shared' | 'global', variant: Variant, names: Names): readonly ValueStep[] {
  const { name } = slotType(variant, 0);
  const format = floatType(variant, 0);
  if (format === 'f64') return addDoubles(space, names);
  const fn = opOf(variant) === 'min' ? 'min' : opOf(variant) === 'max' ? 'max' : 'add';
  const flush = name === '.f32' && space === 'global' && !has(variant, '.noftz');
  return [{ kind: 'float', fn, format, mode: { ...plainMode, flush }, to: names.next, from: [names.old, names.b] }];
}

/**
 * Adds to a value in memory. The ISA does not specify which NaN is produced. In global memory, an H200 returns the bits
 * of an operand that is a NaN, preferably b. In shared memory, the result is the same as that of `add` with the old
 * value as the last operand.
 */
export function addDoubles(space: 'shared' | 'global', names: Omit<Names, 'c'>): readonly ValueStep[] {
  const { old, b, next } = names;
  const sum = { kind: 'float', fn: 'add', format: 'f64', mode: plainMode, to: next } as const;
  if (space === 'shared') return [{ ...sum, from: [b, old] }];
  const isNan = (to: Ref, value: Ref): ValueStep => ({
    kind: 'compare',
    comparison: 'nan',
    type: 'f64',
    flush: false,
    to,
    from: [value, value],
  });
  return [
    { ...sum, from: [old, b] },
    isNan('$old-is-nan', old),
    isNan('$b-is-nan', b),
    select(next, '$old-is-nan', old, next),
    select(next, '$b-is-nan', b, next),
  ];
}
