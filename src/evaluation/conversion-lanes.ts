/** Explains how an evaluated instruction computes the conversion in each lane of its result. */
import type { Bits } from '../base/bits.ts';
import { elementAt } from '../base/element-at.ts';
import { range } from '../explain/bit-origins.ts';
import { type Frame, prepareStep } from '../interp/value-steps.ts';
import { isValueStep } from '../isa/steps/effects.ts';
import { operandRef, type Ref, refName } from '../isa/steps/ref.ts';
import type { Step } from '../isa/steps/step.ts';
import type { Conversion } from '../numerics/conversion.ts';
import { type ConversionExplanation, explainConversion } from '../numerics/explain-conversion.ts';
import type { Prepared } from './prepare.ts';

/** One conversion that an instruction applied to its inputs. */
export interface LaneExplanation {
  /** The bits of the instruction's result that this conversion produces: `d[15:8]`. */
  readonly result: string;
  readonly conversion: Conversion;
  readonly explanation: ConversionExplanation;
  /** The random bits and the scale that are used for this lane; null if the conversion does not use them. */
  readonly random: Bits | null;
  readonly scale: Bits | null;
}

/**
 * Executes the steps of an instruction on `inputs`, which are truncated to the types of their operands, and explains
 * every conversion among the steps.
 */
export function explainLanes(
  { variant, environment, evaluator }: Prepared,
  inputs: readonly Bits[],
): readonly LaneExplanation[] {
  const steps = variant.form.steps(variant, environment);
  const places = new Map<Ref, number>();
  const placeOf = (ref: Ref): number => {
    const known = places.get(ref);
    if (known !== undefined) return known;
    places.set(ref, places.size);
    return places.size - 1;
  };
  const frame: Frame = [];
  evaluator.inputs.forEach(({ name }, i) => {
    frame[placeOf(operandRef(name))] = elementAt(inputs, i);
  });
  const explained: LaneExplanation[] = [];
  for (const step of steps) {
    if (!isValueStep(step)) continue;
    prepareStep(step, placeOf)(frame);
    if (step.kind === 'convert') explained.push(explainStep(step, steps, (ref) => elementAt(frame, placeOf(ref))));
  }
  return explained;
}

type ConvertStep = Extract<Step, { readonly kind: 'convert' }>;

function explainStep(step: ConvertStep, steps: readonly Step[], read: (ref: Ref) => Bits): LaneExplanation {
  const { conversion, from, to } = step;
  const random = step.random === null ? null : read(step.random);
  const scale = step.scale === null ? null : read(step.scale);
  const explanation = explainConversion(conversion, read(from), Number(random ?? 0), Number(scale ?? 0x7f));
  return { result: placeInResult(to, steps), conversion, explanation, random, scale };
}

/**
 * Returns text that describes where in the result a converted value is located. If the value is packed with others, the
 * text contains the range of bits that the value occupies; otherwise, the text is the name of the value.
 */
function placeInResult(ref: Ref, steps: readonly Step[]): string {
  for (const step of steps) {
    if (step.kind !== 'pack' || !step.from.includes(ref)) continue;
    const low = (step.from.length - 1 - step.from.indexOf(ref)) * step.stride;
    return `${refName(step.to)}${range(low + step.lane - 1, low)}`;
  }
  return refName(ref);
}
