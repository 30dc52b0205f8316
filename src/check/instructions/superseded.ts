/**
 * Handles instructions that are legal only for early versions or targets, and reports what has to be added to make them
 * legal for current ones.
 */
import type { AvailabilityRow } from '../../isa/conditions.ts';
import type { Variant } from '../../isa/form.ts';
import { type CompiledForm, makeVariant } from '../../isa/notation.ts';
import { ptxForms } from '../../isa/table.ts';
import { isAvailable, targets, versions } from '../../isa/targets.ts';
import { type FormMatch, matchForm, slotsFit } from './form-match.ts';
import { listed } from './modifier-words.ts';
import { type ModuleEnvironment, rowsOf } from '../availability.ts';
import { type Problem, problem, wholeMnemonic } from './problem.ts';
import { complete } from './refuse.ts';

/**
 * Makes the problems that are reported for an outdated variant more helpful. An outdated variant is not accepted by the
 * module's version and target or by any later ones. The new problems state what has to be added to make the instruction
 * legal today; for example, `div.f32` needs `.rn`. If the form that exists today has different operands, the original
 * problems are kept, and their help shows that form.
 */
export function inWordsOfToday(
  problems: readonly Problem[],
  opcode: string,
  variant: Variant,
  environment: ModuleEnvironment,
): readonly Problem[] {
  if (problems.length === 0 || !rowsOf(variant).some((row) => isOver(row, environment))) return problems;
  const today = successors(opcode, variant, environment);
  const alike = today.filter(({ compiled }) => compiled.form.operands.length === variant.form.operands.length);
  if (alike.length > 0) return [missingToday(opcode, variant, alike)];
  const [other] = today;
  if (other === undefined) return problems;
  const { syntax } = other.compiled.form;
  const help = `write ${other.mnemonic} ${syntax.slice(syntax.search(/\s/)).trim()}`;
  return problems.map((found) => ({ ...found, help: found.help ?? help }));
}

/**
 * True if the feature in this row has been removed, so that it is not supported by the module's version and target or
 * by any later ones.
 */
function isOver({ ways }: AvailabilityRow, { version, target }: ModuleEnvironment): boolean {
  const later = versions.filter((other) => other >= version);
  const newer = targets.filter((other) => other.sm >= target.sm);
  return !newer.some((other) => later.some((number) => isAvailable(ways, number, other)));
}

interface Successor {
  readonly compiled: CompiledForm;
  readonly mnemonic: string;
  /** The missing modifiers; one of them has to be added. */
  readonly missing: readonly string[];
}

/** Finds the forms that exist today and accept the variant's types and modifiers, but require additional modifiers. */
function successors(opcode: string, variant: Variant, environment: ModuleEnvironment): readonly Successor[] {
  const names = variant.types.map(({ name }) => name);
  const written = Object.values(variant.modifiers).map((text, index) => ({ text, index }));
  const family = ptxForms.opcodes().filter((other) => other === opcode || other.startsWith(`${opcode}.`));
  return family
    .flatMap((other) => ptxForms.forms(other))
    .filter((compiled) => compiled.form !== variant.form && slotsFit(compiled, names))
    .flatMap((compiled) => successor(opcode, matchForm(compiled, names, written), environment));
}

function successor(opcode: string, made: FormMatch, environment: ModuleEnvironment): readonly Successor[] {
  const { compiled, types, problems } = made;
  if (problems.some(({ code }) => code !== 'PTX2030' && code !== 'PTX2032')) return [];
  const modifiers = complete(made, ({ values }) => values[0] ?? null);
  if (modifiers === null) return [];
  const variant = makeVariant(compiled, types, modifiers);
  const { version, target } = environment;
  if (!rowsOf(variant).every((row) => isAvailable(row.ways, version, target))) return [];
  const word = compiled.opcode.slice(opcode.length);
  const needed = compiled.axes.filter(({ axis, optional }) => !optional && made.modifiers[axis] === undefined);
  const missing = word === '' ? needed.flatMap(({ values }) => values) : [word];
  return [{ compiled, mnemonic: variant.mnemonic, missing }];
}

function missingToday(opcode: string, variant: Variant, today: readonly Successor[]): Problem {
  const what = opcode + variant.types.map(({ name }) => name).join('');
  const choices = [...new Set(today.flatMap(({ missing }) => missing))];
  const natural = today.find(({ missing }) => missing.includes('.rn')) ?? (choices.length === 1 ? today[0] : undefined);
  const options = { spelling: natural?.mnemonic ?? null, section: variant.form.section };
  return problem('PTX2032', wholeMnemonic, { what, allowed: listed(choices), opcode }, options);
}
