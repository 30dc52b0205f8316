/** Explains modifiers, and finds which other modifiers an instruction could have. */
import { findVariants } from '../check/instructions/resolve.ts';
import type { Variant } from '../isa/form.ts';
import { opcodeIn } from '../isa/notation.ts';
import { ptxForms } from '../isa/table.ts';

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
  const opcode = opcodeIn(variant.mnemonic);
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
