/**
 * The parts of registers that video instructions use, and the selectors that name these parts (PTX ISA 9.1, section
 * 9.7.18).
 */
import { type IntegerName, resized } from '../../../numerics/formats.ts';
import type { Variant } from '../../form.ts';
import { type Ref, refName } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { resize } from '../integer/steps.ts';

/** `.b0` to `.b3`, `.h0` and `.h1`: a byte or a half of a register. */
export const scalarParts: RegExp = /^\.(b[0-3]|h[01])$/;

interface Lanes {
  readonly halves: RegExp;
  readonly bytes: RegExp;
}

/**
 * Selectors of source operands. A selector has one digit for each lane; the digit is the number of the source lane to
 * use. The lanes of operand a are numbered first, followed by those of operand b.
 */
export const laneChoices: Lanes = { halves: /^\.h[0-3]{2}$/, bytes: /^\.b[0-7]{4}$/ };

/**
 * Masks that specify which lanes of the result are computed. The digits of a mask are the numbers of these lanes, in
 * descending order.
 */
export const laneMasks: Lanes = { halves: /^\.h(?=.)1?0?$/, bytes: /^\.b(?=.)3?2?1?0?$/ };

/** The selector of an operand without its minus sign; empty if the operand has no selector. */
export function selectorOf(variant: Variant, name: Ref): string {
  return (variant.selectors?.[refName(name)] ?? '').replace('-', '');
}

export function isNegated(variant: Variant, name: Ref): boolean {
  return variant.selectors?.[refName(name)]?.startsWith('-') === true;
}

export interface BitField {
  readonly low: number;
  readonly width: number;
}

/** The part of a register that a selector stands for; the whole register if the selector is empty. */
export function bitFieldOf(selector: string): BitField {
  if (selector === '') return { low: 0, width: 32 };
  const width = selector[1] === 'b' ? 8 : 16;
  return { low: Number(selector[2]) * width, width };
}

/** Sets `to` to the selected part of an operand, extended to 64 bits according to the type of the operand. */
export function extended(variant: Variant, name: Ref, type: IntegerName, to: Ref): readonly Step[] {
  const { low, width } = bitFieldOf(selectorOf(variant, name));
  if (width === 32) return [resize(to, 's64', name, type)];
  const part: Ref = `${name}.part`;
  return [{ kind: 'extract', to: part, from: name, low, width }, resize(to, 's64', part, resized(type, width))];
}
