/** Steps of floating-point arithmetic, shared by single, double, half and packed types. */
import {
  type FloatArithmeticFormat,
  type FloatFunction,
  type FloatMode,
  plainMode,
} from '../../../numerics/operations.ts';
import type { InstructionForm, Variant } from '../../form.ts';
import { choice, has, slotType, floatType } from '../../variant.ts';
import type { Environment } from '../../environment.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { lanewise } from '../comparison/lanewise.ts';

/** The format of the lanes of the variant's first type. */
export function formatOf(variant: Variant): FloatArithmeticFormat {
  return floatType(variant, 0);
}

/** The rounding mode of a variant: `.rn` if it has no rounding modifier. */
export function roundingOf(variant: Variant): FloatMode['rounding'] {
  return variant.modifiers['rounding'] === undefined ? 'rn' : choice(variant, 'rounding', ['rn', 'rz', 'rm', 'rp']);
}

/**
 * The rounding mode and the treatment of subnormals that the modifiers request. On sm_1x, f32 subnormals are always
 * flushed.
 */
export function modeOf(variant: Variant, environment: Environment): FloatMode {
  return {
    rounding: roundingOf(variant),
    flush: has(variant, '.ftz') || flushesByTarget(formatOf(variant), environment),
    sat: has(variant, '.sat'),
    approximate: has(variant, '.approx') || has(variant, '.full'),
    nan: has(variant, '.NaN'),
    xorSign: has(variant, '.xorsign'),
  };
}

export function flushesByTarget(format: FloatArithmeticFormat, environment: Environment): boolean {
  return format === 'f32' && environment.target.sm < 20;
}

/**
 * Applies a floating-point function to each lane of the operands. The first type of the variant determines the format
 * of the lanes.
 */
export function floatSteps(fn: FloatFunction, sources: readonly Ref[]): InstructionForm['steps'] {
  return (variant, environment) => {
    const format = formatOf(variant);
    const mode = modeOf(variant, environment);
    return lanewise(slotType(variant, 0), sources, (of) => [
      { kind: 'float', fn, format, mode, to: of('$d'), from: sources.map(of) },
    ]);
  };
}

/** `.relu`: a negative result becomes +0; a NaN becomes the canonical NaN. */
export function reluSteps(fn: FloatFunction, sources: readonly Ref[]): InstructionForm['steps'] {
  return (variant, environment) => {
    const format = formatOf(variant);
    const mode = modeOf(variant, environment);
    return lanewise(slotType(variant, 0), sources, (of) => [
      { kind: 'float', fn, format, mode, to: of('$t'), from: sources.map(of) },
      ...clampBelow(format, of('$d'), of('$t')),
    ]);
  };
}

const plain: FloatMode = { ...plainMode, nan: true };

/** Sets `to` to the value of `from`, or to +0 if that value is negative. A NaN remains a NaN. */
export function clampBelow(format: FloatArithmeticFormat, to: Ref, from: Ref): readonly Step[] {
  return [
    { kind: 'constant', to: '$zero', value: 0 },
    { kind: 'float', fn: 'max', format, mode: plain, to, from: [from, '$zero'] },
  ];
}
