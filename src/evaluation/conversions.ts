/** Lists the conversions that `evaluate` can compute, so that a user can choose one of them. */
import { expandCompiled } from '../isa/expand.ts';
import type { Variant } from '../isa/form.ts';
import { environmentOf } from '../isa/environment.ts';
import { ptxForms } from '../isa/table.ts';
import { newestTarget, newestVersion } from '../isa/targets.ts';
import { isAvailableFor, type TargetChoice } from '../explain/target-choice.ts';
import { evaluator } from '../interp/evaluate.ts';
import type { Conversion } from '../numerics/conversion.ts';
import type { FormatName } from '../numerics/formats.ts';

export interface ConversionEntry {
  readonly mnemonic: string;
  readonly from: FormatName;
  readonly to: FormatName;
  /** Number of values that a single instruction converts. */
  readonly lanes: number;
  /** The modifiers in the order of the mnemonic, without the opcode and the types: `rn`, `satfinite`, `relu`. */
  readonly modifiers: readonly string[];
  /** The sources, in the order in which `evaluate` expects them. */
  readonly inputs: readonly ConversionInput[];
  /** The conversion that the instruction applies to each value. */
  readonly conversion: Conversion;
}

export interface ConversionInput {
  readonly name: string;
  /** `.f32`, `.e4m3x2`, `.b32`. */
  readonly type: string;
  /** Width of the type in bits. */
  readonly width: number;
}

/** Every variant of `cvt`, with every combination of its optional modifiers, in the order of the instruction table. */
export function conversionEntries(choice: TargetChoice): readonly ConversionEntry[] {
  const found: ConversionEntry[] = [];
  for (const compiled of ptxForms.forms('cvt')) {
    for (const variant of expandCompiled(compiled)) {
      const entry = isAvailableFor(variant, choice) ? entryOf(variant, choice) : null;
      if (entry !== null) found.push(entry);
    }
  }
  return found;
}

function entryOf(variant: Variant, choice: TargetChoice): ConversionEntry | null {
  const environment = environmentOf(choice.version ?? newestVersion, choice.target ?? newestTarget);
  const evaluated = evaluator(variant, environment);
  const conversions = variant.form.steps(variant, environment).filter((step) => step.kind === 'convert');
  const [first] = conversions;
  if (evaluated === null || first === undefined) return null;
  const { conversion } = first;
  const types = new Set<string>(variant.types.map(({ name }) => name));
  const written = variant.mnemonic.split(/(?<!:)\.(?!:)/).slice(1);
  return {
    mnemonic: variant.mnemonic,
    from: conversion.from,
    to: conversion.to,
    lanes: conversions.length,
    modifiers: written.filter((part) => !types.has(`.${part}`)),
    inputs: evaluated.inputs.map(({ name, type }) => ({ name, type: type.name, width: type.width })),
    conversion,
  };
}
