/**
 * Completes mnemonics. Given the beginning of a mnemonic, finds the dot-separated parts that can come next. A part is
 * included only if it can lead to a mnemonic that is legal for the given version and target. The parts are listed in
 * the order of the syntax lines.
 */
import { once } from '../base/once.ts';
import { append } from '../base/append.ts';
import { BoundedCache } from '../base/bounded-cache.ts';
import { elementAt } from '../base/element-at.ts';
import type { AvailabilityRow, Condition, Constraint } from './conditions.ts';
import { type CompiledForm, hasTooManyParts } from './notation.ts';
import { constraintHolds, holds, relationHolds } from './rules.ts';
import { ptxForms } from './table.ts';
import { isAvailable, type Target, type Version } from './targets.ts';
import { isTypeName, type TypeName, typeOf } from './types.ts';

export interface NextParts {
  /** The parts that can come next, each with its dot. */
  readonly parts: readonly string[];
  /** Whether the mnemonic is already legal without any further parts. */
  readonly isComplete: boolean;
}

/** The version and target for which the mnemonic must be legal. */
export interface Judge {
  readonly version: Version;
  readonly target: Target;
}

/** A form in which all parts before part number `next` have been chosen. */
interface Begun {
  readonly compiled: CompiledForm;
  /** The form's availability rules that the version and target do not satisfy. */
  readonly missing: readonly AvailabilityRow[];
  readonly types: readonly TypeName[];
  readonly modifiers: Readonly<Record<string, string>>;
  readonly next: number;
}

/** Answers questions about mnemonics for one version and target, and keeps the answers in a cache. */
export class MnemonicGuide {
  private readonly judge: Judge;
  private readonly known = new BoundedCache<string, NextParts>(mostKnown);
  private readonly read = new BoundedCache<string, readonly Begun[]>(mostKnown);
  private readonly begun = new Map<CompiledForm, Begun>();
  private words: readonly string[] | null = null;

  constructor(judge: Judge) {
    this.judge = judge;
  }

  /** The first words of all mnemonics that are legal for this version and target, in the order of the table. */
  firstWords(): readonly string[] {
    this.words ??= [...opcodesByWord()].flatMap(([word, opcodes]) =>
      opcodes.some((opcode) => ptxForms.forms(opcode).some((form) => canBeLegal(this.begin(form)))) ? [word] : [],
    );
    return this.words;
  }

  /** The parts that can follow the beginning of a mnemonic, such as `cvt` or `cvt.rn`. */
  next(beginning: string): NextParts {
    if (hasTooManyParts(beginning)) return { parts: [], isComplete: false };
    return this.known.of(beginning, () => this.find(beginning));
  }

  /** Whether this beginning is already a complete mnemonic. */
  isComplete(beginning: string): boolean {
    return !hasTooManyParts(beginning) && this.states(beginning).some(isLegal);
  }

  private find(beginning: string): NextParts {
    const states = this.states(beginning);
    const parts = new Set(this.opcodeWords(beginning));
    for (const state of states) for (const part of possibleParts(state, parts)) parts.add(part);
    const first = elementAt(beginning.split('.', 1), 0);
    const places = new Map([...parts].map((part) => [part, placeOf(part, first)]));
    const inOrder = [...parts].sort((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
    return { parts: inOrder, isComplete: states.some(isLegal) };
  }

  /** The words that can extend an opcode to a longer opcode: `.lo` after `mul`. */
  private opcodeWords(beginning: string): readonly string[] {
    const first = elementAt(beginning.split('.', 1), 0);
    const longer = (opcodesByWord().get(first) ?? []).filter((opcode) => opcode.startsWith(`${beginning}.`));
    const legal = longer.filter((opcode) => ptxForms.forms(opcode).some((form) => canBeLegal(this.begin(form))));
    return legal.map((opcode) => `.${elementAt(opcode.slice(beginning.length + 1).split('.', 1), 0)}`);
  }

  /** All ways in which the beginning of a mnemonic can be read. */
  private states(beginning: string): readonly Begun[] {
    return this.read.of(beginning, () => {
      const own = ptxForms.forms(beginning).map((form) => this.begin(form));
      const dot = beginning.lastIndexOf('.');
      if (dot < 0) return own;
      const part = beginning.slice(dot);
      return [...own, ...this.states(beginning.slice(0, dot)).flatMap((state) => after(state, part))];
    });
  }

  private begin(compiled: CompiledForm): Begun {
    const known = this.begun.get(compiled);
    if (known !== undefined) return known;
    const { version, target } = this.judge;
    const missing = compiled.form.availability.filter(({ ways }) => !isAvailable(ways, version, target));
    const made = { compiled, missing, types: [], modifiers: {}, next: 0 };
    this.begun.set(compiled, made);
    return made;
  }
}

const mostKnown = 4096;

/** The opcodes of the table, grouped by their first word: for example, `mul.lo` is listed under `mul`. */
const opcodesByWord = once((): ReadonlyMap<string, readonly string[]> => {
  const made = new Map<string, string[]>();
  for (const opcode of ptxForms.opcodes()) {
    const word = elementAt(opcode.split('.', 1), 0);
    append(made, word, opcode);
  }
  return made;
});

/**
 * The position of a part in the syntax lines of an instruction, for sorting. If the position is not the same in all
 * lines, the rightmost position is used.
 */
function placeOf(part: string, firstWord: string): number {
  let place = -1;
  for (const opcode of opcodesByWord().get(firstWord) ?? []) {
    for (const { parts, slots, axes } of ptxForms.forms(opcode)) {
      const at = parts.findIndex((one) =>
        'slot' in one
          ? elementAt(slots, one.slot).types.some((type) => type === part)
          : elementAt(axes, one.axis).values.includes(part),
      );
      place = Math.max(place, at);
    }
  }
  return place;
}

/**
 * All states that the form can be in after this part has been read. There may be several states if the part can be read
 * in different ways.
 */
function after(begun: Begun, part: string): readonly Begun[] {
  return placesAfter(begun)
    .filter((here) => valuesAt(here).includes(part))
    .map((here) => choose(here, part));
}

/** Returns one entry for each part of the form that can come next according to the syntax line. */
function placesAfter(begun: Begun): readonly Begun[] {
  const { compiled } = begun;
  const found: Begun[] = [];
  for (let next = begun.next; next < compiled.parts.length; next++) {
    found.push({ ...begun, next });
    if (!isOptional(compiled, next)) break;
  }
  return found;
}

/** The next parts that can still lead to a legal variant, except for those that are already in `known`. */
function possibleParts(begun: Begun, known: ReadonlySet<string>): readonly string[] {
  return placesAfter(begun).flatMap((here) =>
    valuesAt(here).filter((text) => !known.has(text) && canBeLegal(choose(here, text))),
  );
}

function valuesAt({ compiled, next }: Begun): readonly string[] {
  const part = elementAt(compiled.parts, next);
  return 'slot' in part ? elementAt(compiled.slots, part.slot).types : elementAt(compiled.axes, part.axis).values;
}

function isOptional({ parts, axes }: CompiledForm, at: number): boolean {
  const part = elementAt(parts, at);
  return 'axis' in part && elementAt(axes, part.axis).optional;
}

function choose(begun: Begun, text: string): Begun {
  const { compiled, types, modifiers, next } = begun;
  const part = elementAt(compiled.parts, next);
  if ('axis' in part) {
    return { ...begun, next: next + 1, modifiers: { ...modifiers, [elementAt(compiled.axes, part.axis).axis]: text } };
  }
  return { ...begun, next: next + 1, types: isTypeName(text) ? [...types, text] : types };
}

/** Whether all required parts are present and every rule is satisfied. */
function isLegal(begun: Begun): boolean {
  const { compiled, types, modifiers, next, missing } = begun;
  for (let at = next; at < compiled.parts.length; at++) if (!isOptional(compiled, at)) return false;
  const { relation, constraints } = compiled.form;
  const made = { types: types.map(typeOf), modifiers };
  if (!relationHolds(relation, made.types)) return false;
  if (missing.some(({ when }) => holds(when, made))) return false;
  return (constraints ?? []).every((constraint) => constraintHolds(constraint, made));
}

/** Whether the parts that are still missing can be chosen in such a way that the variant is legal. */
function canBeLegal(begun: Begun): boolean {
  const { compiled, next, missing } = begun;
  const { relation, constraints = [] } = compiled.form;
  if (relation === undefined && constraints.length + missing.length === 0) return true;
  if (isHopeless(begun)) return false;
  if (isLegal(begun)) return true;
  if (next === compiled.parts.length) return false;
  if (isOptional(compiled, next) && canBeLegal({ ...begun, next: next + 1 })) return true;
  return valuesAt(begun).some((text) => canBeLegal(choose(begun, text)));
}

/** Whether a rule is broken regardless of what follows. */
function isHopeless(begun: Begun): boolean {
  const { compiled, types, missing } = begun;
  const { relation, constraints } = compiled.form;
  if (types.length > 1 && !relationHolds(relation, types.map(typeOf))) return true;
  if (missing.some(({ when }) => mustHold(when, begun))) return true;
  return (constraints ?? []).some((constraint) => mustFail(constraint, begun));
}

/** Whether a condition holds regardless of what follows. */
function mustHold(condition: Condition | undefined, begun: Begun): boolean {
  if (condition === undefined) return true;
  const { types, slot, modifiers = [], without = [] } = condition;
  if (types !== undefined && !begun.types.some((type, i) => (slot ?? i) === i && types.includes(type))) return false;
  return modifiers.every((one) => isChosen(one, begun)) && !without.some((one) => canStillBe(one, begun));
}

/** Whether a constraint is broken regardless of what follows. False if this cannot be known yet. */
function mustFail(constraint: Constraint, begun: Begun): boolean {
  const { compiled, types, modifiers } = begun;
  const hasAllTypes = types.length === compiled.slots.length;
  switch (constraint.kind) {
    case 'any-of':
      return !constraint.modifiers.some((one) => canStillBe(one, begun));
    case 'needs-modifier':
      return isChosen(constraint.modifier, begun) && !constraint.oneOf.some((one) => canStillBe(one, begun));
    case 'axis-goes-with': {
      if (modifiers[constraint.axis] === undefined) return false;
      const other = modifiers[constraint.other];
      if (other !== undefined) return !constraint.values.includes(other);
      return !constraint.values.includes('') && !constraint.values.some((one) => canStillBe(one, begun));
    }
    case 'needs-type':
    case 'needs-narrowing-range':
      return hasAllTypes && !constraintHolds(constraint, { types: types.map(typeOf), modifiers });
    case 'axis-needs-bits':
    case 'vector-bits':
      // The width of a vector depends on the type of its elements. The type is written after the number of elements, so
      // the width is not known yet.
      return false;
  }
}

function isChosen(modifier: string, { modifiers }: Begun): boolean {
  return Object.values(modifiers).includes(modifier);
}

/** Whether a modifier has already been chosen or can still be chosen. */
function canStillBe(modifier: string, begun: Begun): boolean {
  if (isChosen(modifier, begun)) return true;
  const { compiled, next } = begun;
  return compiled.parts.some(
    (part, i) => i >= next && 'axis' in part && elementAt(compiled.axes, part.axis).values.includes(modifier),
  );
}
