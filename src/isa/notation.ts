/**
 * Parses the ISA's syntax lines. Each part of a line such as `cvt.rn.satfinite{.relu}.f8x2type.f32 d, a, b` becomes a
 * type slot or a modifier axis. Types must be written in the order of their slots; most modifiers can be written in any
 * order. Each part is the name of a type, of a modifier, of a set that the form defines, or of a set from modifiers.ts.
 * Braces around a part mean that it is optional.
 */
import { elementAt } from '../base/element-at.ts';
import type { InstructionForm, Variant } from './form.ts';
import { literalAxis, modifierSets, orderedKind } from './modifiers.ts';
import { opcodesOutside } from './missing-forms.ts';
import { familyOpcodes } from './opcodes.ts';
import { isTypeName, type TypeName, typeOf } from './types.ts';

export interface Slot {
  /** The name in the syntax line: `dtype`, `f8x2type`, or the name of the type itself. */
  readonly name: string;
  readonly types: readonly TypeName[];
}

export interface Axis {
  readonly axis: string;
  readonly name: string;
  readonly values: readonly string[];
  readonly optional: boolean;
}

/**
 * One dot-separated part of a syntax line. The part is described by the index of a type slot or by the index of an
 * axis.
 */
export type Part = { readonly slot: number } | { readonly axis: number };

export interface CompiledForm {
  readonly form: InstructionForm;
  readonly opcode: string;
  readonly slots: readonly Slot[];
  readonly axes: readonly Axis[];
  /** The dot-separated parts after the opcode, in order. */
  readonly parts: readonly Part[];
  /** Pairs of axes whose modifiers must be written in this order. */
  readonly ordered: readonly (readonly [before: string, after: string])[];
}

/** The opcodes that consist of several words. */
const longOpcodes: ReadonlySet<string> = new Set(
  [...Object.values(familyOpcodes).flatMap((opcodes) => opcodes.split(' ')), ...opcodesOutside.keys()].filter(
    (opcode) => opcode.includes('.'),
  ),
);

const mostWords = Math.max(...[...longOpcodes].map((opcode) => opcode.split('.').length));

const firstWords: ReadonlySet<string> = new Set([...longOpcodes].map((opcode) => elementAt(opcode.split('.', 1), 0)));

/** Whether an opcode of several words begins with this word. */
export function beginsLongOpcode(word: string): boolean {
  return firstWords.has(word);
}

/** Maximum number of dot-separated parts that are read; no instruction has more than ten. */
export const partLimit = 128;

/** The opcode of a mnemonic. An opcode can consist of several words, such as `cvt.pack` or `mul.wide`. */
export function opcodeIn(mnemonic: string): string {
  const first = mnemonic.slice(0, endOfWord(mnemonic, 0));
  if (!firstWords.has(first)) return first;
  let longest = first;
  let end = first.length;
  for (let words = 2; words <= mostWords && end < mnemonic.length; words++) {
    end = endOfWord(mnemonic, end + 1);
    const opcode = mnemonic.slice(0, end);
    if (longOpcodes.has(opcode)) longest = opcode;
  }
  return longest;
}

function endOfWord(mnemonic: string, start: number): number {
  const dot = mnemonic.indexOf('.', start);
  return dot < 0 ? mnemonic.length : dot;
}

/** Whether a mnemonic has too many dot-separated parts to be parsed. */
export function hasTooManyParts(mnemonic: string): boolean {
  let end = opcodeIn(mnemonic).length;
  for (let parts = 0; end < mnemonic.length; parts++) {
    if (parts === partLimit) return true;
    end = endOfWord(mnemonic, end + 1);
  }
  return false;
}

/** Splits a mnemonic into its opcode and its dot-separated parts, without the bank number of `.const[2]`. */
export function splitMnemonic(mnemonic: string): { readonly opcode: string; readonly parts: readonly string[] } {
  const opcode = opcodeIn(mnemonic);
  const [, ...rest] = withoutBank(mnemonic).slice(opcode.length).split('.');
  return { opcode, parts: rest.map((part) => `.${part}`) };
}

/** The number of the constant bank in a mnemonic such as `ld.const[2].f32`; null if there is none. */
export function bankIn(mnemonic: string): number | null {
  const [, digits] = bankNumber.exec(mnemonic) ?? [];
  return digits === undefined ? null : Number(digits);
}

/** `ld.const.f32` for `ld.const[2].f32`. */
export function withoutBank(mnemonic: string): string {
  return mnemonic.includes('[') ? mnemonic.replace(bankNumber, '') : mnemonic;
}

const bankNumber = /\[(\d+)\]/;

/**
 * Parses the form's syntax line. Throws an error if the syntax line is malformed, because this means that there is a
 * mistake in the table.
 */
export function compileForm(form: InstructionForm): CompiledForm {
  const mnemonic = elementAt(form.syntax.split(/\s/, 1), 0);
  const words: readonly string[] = mnemonic.match(/\{\.[^}]+\}|\.?[^.{}]+/g) ?? [];
  const bare = words.map((word) => word.replace(/[{}]/g, ''));
  const { opcode, parts: names } = splitMnemonic(bare.join(''));
  const slots: Slot[] = [];
  const axes: Axis[] = [];
  const parts: Part[] = [];
  for (const name of names) {
    const optional = words.includes(`{${name}}`);
    const types = slotTypes(form, name.slice(1));
    if (types !== null) {
      parts.push({ slot: slots.length });
      slots.push({ name: name.slice(1), types });
    } else {
      parts.push({ axis: axes.length });
      const made = makeAxis(form, name, optional);
      // If two axes would have the same name, the second one is named after its set, so that the two remain separate
      // choices.
      axes.push(axes.some(({ axis }) => axis === made.axis) ? { ...made, axis: made.name } : made);
    }
  }
  return { form, opcode, slots, axes, parts, ordered: orderedPairs(axes) };
}

function orderedPairs(axes: readonly Axis[]): readonly (readonly [before: string, after: string])[] {
  return axes.flatMap((after, i) => {
    const kind = orderedKind(after.values);
    const before = kind === null ? [] : axes.slice(0, i).filter(({ values }) => orderedKind(values) === kind);
    return before.map(({ axis }) => [axis, after.axis] as const);
  });
}

function slotTypes(form: InstructionForm, name: string): readonly TypeName[] | null {
  const own = form.sets?.[name];
  if (own !== undefined) return own.every((value) => isTypeName(value)) ? own : null;
  if (modifierSets[name] !== undefined) return null;
  const type = `.${name}`;
  return isTypeName(type) ? [type] : null;
}

function makeAxis(form: InstructionForm, name: string, optional: boolean): Axis {
  const word = name.slice(1);
  const own = form.sets?.[word];
  if (own !== undefined) return { axis: literalAxis(own[0] ?? name), name: word, values: own, optional };
  const shared = modifierSets[word];
  if (shared !== undefined) return { axis: shared.axis, name: word, values: shared.values, optional };
  return { axis: literalAxis(name), name: word, values: [name], optional };
}

/**
 * Creates the variant for these choices, which the caller must already have checked. The keys of `modifiers` are the
 * names of the axes; an axis without a modifier has no entry.
 */
export function makeVariant(
  compiled: CompiledForm,
  types: readonly TypeName[],
  modifiers: Readonly<Record<string, string>>,
): Variant {
  return {
    form: compiled.form,
    mnemonic: printMnemonic(compiled, types, modifiers),
    types: types.map(typeOf),
    modifiers,
  };
}

/** The mnemonic for these choices, with modifiers in the order of the syntax line. */
export function printMnemonic(
  compiled: CompiledForm,
  types: readonly TypeName[],
  modifiers: Readonly<Record<string, string>>,
): string {
  let text = compiled.opcode;
  for (const part of compiled.parts) {
    if ('slot' in part) text += types[part.slot] ?? '';
    else text += modifiers[elementAt(compiled.axes, part.axis).axis] ?? '';
  }
  return text;
}
