/**
 * Handles PTX versions whose new instructions are only partly in the table. A variant that is missing from the table is
 * reported as not checked, rather than as wrong, on two conditions: it has a word that occurs only in new variants, and
 * all of its other words are known for its opcode.
 */
import type { AvailabilityRow } from '../../isa/conditions.ts';
import { splitMnemonic } from '../../isa/notation.ts';
import { type Addition, additionsTo } from '../../isa/missing-forms.ts';
import { ptxForms } from '../../isa/table.ts';
import type { Version } from '../../isa/targets.ts';
import { isTypeName } from '../../isa/types.ts';
import { type Resolution, resolveMnemonic } from './resolve.ts';

/**
 * The meaning of a mnemonic in a PTX version. A mnemonic that is missing from the table may be a variant that was added
 * in this version or an earlier one.
 */
export function resolveAt(mnemonic: string, version: Version): Resolution {
  const resolution = resolveMnemonic(mnemonic);
  if (resolution.kind !== 'refused') return resolution;
  const { opcode } = resolution;
  const additions = additionsTo(opcode, version);
  if (additions.length === 0) return resolution;
  const { parts } = splitMnemonic(mnemonic);
  const addition = additions.find((one) => isAddition(one, opcode, parts));
  return addition === undefined ? resolution : { kind: 'unchecked', opcode, row: rowOf(opcode, addition) };
}

function rowOf(subject: string, { since }: Addition): AvailabilityRow {
  return { subject, ways: [{ since, on: { kind: 'from', sm: 10 } }] };
}

function isAddition({ words }: Addition, opcode: string, parts: readonly string[]): boolean {
  const isNew = (part: string): boolean => words.some((word) => part === word || isOfFamily(part, word));
  const modifiers = parts.filter((part) => !isTypeName(part));
  if (!parts.some(isNew)) return false;
  const own = wordsOf(opcode);
  const known = parts.every((part) => own.has(part) || isNew(part));
  return known && new Set(modifiers).size === modifiers.length;
}

function isOfFamily(part: string, word: string): boolean {
  return word.endsWith('::') && part.startsWith(word) && part.length > word.length;
}

/** All modifiers and types in the table's variants of an opcode. */
function wordsOf(opcode: string): ReadonlySet<string> {
  return new Set(
    ptxForms
      .forms(opcode)
      .flatMap(({ axes, slots }) => [...axes.flatMap(({ values }) => values), ...slots.flatMap(({ types }) => types)]),
  );
}
