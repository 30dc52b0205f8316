/** Explains modifiers, and finds which other modifiers an instruction could have. */
import { findVariants } from '../check/instructions/resolve.ts';
import type { Variant } from '../isa/form.ts';
import { splitMnemonic } from '../isa/notation.ts';
import { ptxForms } from '../isa/table.ts';

const meanings: Readonly<Record<string, string>> = {
  '.rn': 'round to nearest, ties to even',
  '.rna': 'round to nearest, ties away from zero',
  '.rz': 'round toward zero',
  '.rm': 'round toward negative infinity',
  '.rp': 'round toward positive infinity',
  '.rs': 'round away from zero if adding the random bits to the discarded bits produces a carry, otherwise toward zero',
  '.rni': 'round to the nearest integer, ties to even',
  '.rzi': 'round to an integer toward zero',
  '.rmi': 'round to an integer toward negative infinity',
  '.rpi': 'round to an integer toward positive infinity',
  '.ftz': 'subnormal f32 inputs and results become zeros with the same sign',
  '.sat': 'clamp: integers to the range of the type, floats to [0, 1]; NaN becomes +0',
  '.satfinite':
    'values beyond the largest finite value, including infinity, become that value; so does NaN if the format has no NaN',
  '.relu': 'negative results become +0; NaN becomes the canonical NaN',
  '.pzo': 'a result of -0 becomes +0',
  '.scaled::n1::ue8m0': 'the last operand holds one ue8m0 scale factor; subnormal inputs become zeros',
  '.scaled::n2::ue8m0': 'the last operand holds two ue8m0 scale factors',
  '.approx': 'approximate: hardware may differ by the stated error',
  '.full': 'full-range approximation: hardware may differ by the stated error',
  '.lo': 'the low half of the product',
  '.hi': 'the high half of the product',
  '.wide': 'the whole product, twice as wide',
  '.NaN': 'a NaN input makes the result the canonical NaN',
  '.xorsign': 'the sign is the product of the signs of the inputs',
  '.abs': 'magnitudes are compared',
  '.cc': 'writes the carry or borrow to the condition code, where addc, subc or madc can read it',
  '.shiftamt': 'gives the shift amount that moves the bit to the top, instead of the position of the bit',
  '.clamp': 'shift amounts greater than the width are treated as the width',
  '.wrap': 'shift amounts are taken modulo the width',
  '.l': 'shifts left and keeps the upper word',
  '.r': 'shifts right and keeps the lower word',
  '.f4e': 'four bytes from byte c up',
  '.b4e': 'four bytes from byte c down',
  '.rc8': 'byte c four times',
  '.ecl': 'all bytes in place, with those below byte c replaced by byte c',
  '.ecr': 'all bytes in place, with those above byte c replaced by byte c',
  '.rc16': 'half c twice',
  '.shr7': 'shifts the sum right by 7',
  '.shr15': 'shifts the sum right by 15',
  '.po': 'adds one to the sum',
  '.to': 'converts a generic address to an address in the state space',
  '.volatile': 'neither elided nor merged',
  '.nc': 'loads through the read-only cache',
  '.weak': 'no ordering beyond this thread',
  '.relaxed': 'atomic, but does not order other accesses',
  '.acquire': 'atomic; later accesses stay after this one',
  '.release': 'atomic; earlier accesses stay before this one',
};

/**
 * Describes a modifier; null for modifiers that are not described, such as state spaces, comparisons, scopes and cache
 * hints.
 */
export function modifierMeaning(modifier: string): string | null {
  return meanings[modifier] ?? null;
}

/** The modifiers that an instruction could have on one axis (such as rounding) if nothing else is changed. */
export interface Alternatives {
  readonly axis: string;
  /** The modifier that the instruction has on this axis, or null. */
  readonly written: string | null;
  readonly others: readonly string[];
  /** True if it is also legal to leave out the current modifier. */
  readonly omissible: boolean;
}

/**
 * Finds the axes on which the current modifier could be replaced or left out. The resulting variant must be legal and
 * have the same number of operands.
 */
export function alternatives(variant: Variant): readonly Alternatives[] {
  const { opcode } = splitMnemonic(variant.mnemonic);
  const axes = new Map<string, Set<string>>();
  for (const form of ptxForms.forms(opcode)) {
    for (const { axis, values } of form.axes) {
      const known = axes.get(axis) ?? new Set();
      for (const value of values) known.add(value);
      axes.set(axis, known);
    }
  }
  return [...axes].flatMap(([axis, values]): readonly Alternatives[] => {
    const written = variant.modifiers[axis] ?? null;
    const others = [...values].filter((value) => value !== written && isLegal(opcode, variant, axis, value));
    const omissible = written !== null && isLegal(opcode, variant, axis, null);
    return others.length > 0 || omissible ? [{ axis, written, others, omissible }] : [];
  });
}

function isLegal(opcode: string, variant: Variant, axis: string, value: string | null): boolean {
  const modifiers = Object.entries(variant.modifiers).filter(([name]) => name !== axis);
  const words = [...modifiers.map(([, modifier]) => modifier), ...(value === null ? [] : [value])];
  const mnemonic = opcode + words.join('') + variant.types.map((type) => type.name).join('');
  const count = variant.form.operands.length;
  return findVariants(mnemonic).some((other) => other.form.operands.length === count);
}
