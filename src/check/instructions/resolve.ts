/**
 * Finds the instruction forms to which a mnemonic can refer. The types in the mnemonic must fit the type slots of a
 * form in the order in which they are written; the modifiers may be in any order. If no form accepts all parts, the
 * closest form is used to explain the ones that are wrong.
 */
import { BoundedCache } from '../../base/bounded-cache.ts';
import { ownText } from '../../base/own-text.ts';
import type { AvailabilityRow } from '../../isa/conditions.ts';
import type { Variant } from '../../isa/form.ts';
import { type CompiledForm, hasTooManyParts, makeVariant, partLimit, splitMnemonic } from '../../isa/notation.ts';
import { opcodesOutside } from '../../isa/missing-forms.ts';
import { type OpcodeTable, ptxForms } from '../../isa/table.ts';
import { isTypeName, type TypeName } from '../../isa/types.ts';
import { type FormMatch, matchForm, choicesIn, slotsFit, type Written } from './form-match.ts';
import { type Problem, problem, wholeMnemonic } from './problem.ts';
import { cleanSpelling, closestProblems, wrongTypes } from './refuse.ts';
import { missingWord, unfinishedOpcode, unknownOpcode } from './unknown-opcode.ts';

export type Resolution =
  /**
   * The mnemonic can refer to several forms, with one variant for each; the operands determine which variant is meant.
   */
  | { readonly kind: 'variants'; readonly opcode: string; readonly variants: readonly Variant[] }
  /**
   * A PTX instruction that is not in the table. All that is known about it is which versions and targets support it.
   */
  | { readonly kind: 'unchecked'; readonly opcode: string; readonly row: AvailabilityRow }
  | { readonly kind: 'refused'; readonly opcode: string; readonly problems: readonly Problem[] };

const remembered = new BoundedCache<string, Resolution>(20_000, ownText);

/** The meaning of a mnemonic according to the PTX table, cached by its text. */
export function resolveMnemonic(mnemonic: string): Resolution {
  // The cached meaning may contain parts of the mnemonic. It is computed from a copy of the mnemonic, because parts of
  // the original would keep the whole text of the module in memory.
  return remembered.of(mnemonic, () => resolveIn(ptxForms, ownText(mnemonic)));
}

/** The meaning of a mnemonic according to the given table of forms instead of the PTX table. */
export function resolveIn(table: OpcodeTable, mnemonic: string): Resolution {
  if (hasTooManyParts(mnemonic)) return withTooManyParts(mnemonic);
  const { opcode, parts } = splitMnemonic(mnemonic);
  const forms = table.forms(opcode);
  const first = opcode.split('.').length;
  const types: Written[] = [];
  const modifiers: Written[] = [];
  parts.forEach((text, i) => (isTypeName(text) ? types : modifiers).push({ text, index: first + i }));
  const names = parts.filter(isTypeName);
  const fitting = forms.filter((compiled) => slotsFit(compiled, names));
  const variants = fitting.flatMap((compiled) => variantsOf(compiled, names, modifiers));
  if (variants.length > 0) return { kind: 'variants', opcode, variants };
  const unfinished = unfinishedOpcode(table, opcode, parts[0]);
  if (unfinished !== null) return { kind: 'refused', opcode, problems: [unfinished] };
  if (fitting.length === 0) {
    const word = missingWord(table, opcode, names, (longer) => {
      // The missing word of the opcode may have been written after a type, as in `mul.u32.lo`.
      const others = modifiers.filter(({ text }) => !longer.endsWith(text));
      return cleanSpelling(table.forms(longer), names, others);
    });
    if (word !== null) return { kind: 'refused', opcode, problems: [word] };
    if (forms.length === 0) return withoutForms(table, opcode);
  }
  const attempts =
    fitting.length === 0
      ? attemptsWithWord(table, opcode, names, modifiers)
      : fitting.map((compiled) => matchForm(compiled, names, modifiers));
  const problems = attempts.length === 0 ? wrongTypes(table, opcode, types, modifiers) : closestProblems(attempts);
  return { kind: 'refused', opcode, problems };
}

/** The forms of a longer opcode if its last word appears among the modifiers, as in `mul.sync.wide.s32`. */
function attemptsWithWord(
  table: OpcodeTable,
  opcode: string,
  names: readonly TypeName[],
  modifiers: readonly Written[],
): readonly FormMatch[] {
  return table.longerOpcodes(opcode).flatMap((longer) => {
    const word = longer.slice(opcode.length);
    const others = modifiers.filter(({ text }) => text !== word);
    if (others.length === modifiers.length) return [];
    const fitting = table.forms(longer).filter((compiled) => slotsFit(compiled, names));
    return fitting.map((compiled) => matchForm(compiled, names, others));
  });
}

function withTooManyParts(mnemonic: string): Resolution {
  const { opcode, parts } = splitMnemonic(mnemonic);
  const parameters = { opcode, found: String(parts.length), limit: String(partLimit) };
  return { kind: 'refused', opcode, problems: [problem('PTX2013', wholeMnemonic, parameters)] };
}

/**
 * Returns the variants in the PTX table to which a mnemonic can refer. If there are none, the result is empty; use
 * `resolveMnemonic` to find out why.
 */
export function findVariants(mnemonic: string): readonly Variant[] {
  const { opcode, parts } = splitMnemonic(mnemonic);
  const names = parts.filter(isTypeName);
  const modifiers = parts.filter((text) => !isTypeName(text)).map((text) => ({ text, index: 0 }));
  const fitting = ptxForms.forms(opcode).filter((compiled) => slotsFit(compiled, names));
  return fitting.flatMap((compiled) => variantsOf(compiled, names, modifiers));
}

function variantsOf(
  compiled: CompiledForm,
  names: readonly TypeName[],
  modifiers: readonly Written[],
): readonly Variant[] {
  const choices = choicesIn(compiled, names, modifiers);
  return choices === null ? [] : [makeVariant(compiled, names, choices)];
}

function withoutForms(table: OpcodeTable, opcode: string): Resolution {
  const row = opcodesOutside.get(opcode);
  if (row !== undefined) return { kind: 'unchecked', opcode, row };
  return { kind: 'refused', opcode, problems: [unknownOpcode(table, opcode)] };
}
