/**
 * Every instruction of the table that only computes values, as a kernel that declares, loads and stores its operands.
 */
import { namedEnvironment } from '../../src/isa/environment.ts';
import { evaluator } from '../../src/interp/evaluate.ts';
import { expand } from '../../src/isa/expand.ts';
import type { Variant } from '../../src/isa/form.ts';
import type { OperandPattern, ValuePattern } from '../../src/isa/operand-patterns.ts';
import { operandType } from '../../src/isa/variant.ts';
import { vectorLanes } from '../../src/isa/rules.ts';
import { allForms } from '../../src/isa/table.ts';
import type { Instruction, Register } from './instructions.ts';

/** The steps of variants are determined for this target and version. */
const environment = namedEnvironment('sm_100', '9.1');

/**
 * For each form of an instruction, the variants whose results depend only on the bits of the operands. If several
 * variants have the same steps, only the first of them is used.
 */
export function variantsByForm(): ReadonlyMap<string, readonly Variant[]> {
  const seen = new Set<string>();
  const found = new Map<string, Variant[]>();
  for (const variant of expand(allForms())) {
    if (isOld(variant) || !hasOnlyValues(variant) || evaluator(variant, environment) === null) continue;
    const key = `${variant.form.id} ${meaningOf(variant)}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const variants = found.get(variant.form.id);
    if (variants === undefined) found.set(variant.form.id, [variant]);
    else variants.push(variant);
  }
  return found;
}

/**
 * Whether all operands are values. If an operand is an address or a variable, the result also depends on something
 * other than the bits of the operands.
 */
function hasOnlyValues({ form }: Variant): boolean {
  const kinds: readonly OperandPattern['kind'][] = ['value', 'vector', 'lanes', 'pair'];
  return form.operands.every(({ kind }) => kinds.includes(kind));
}

/**
 * Whether a variant uses the old spelling without a rounding modifier or `.approx`. Such variants are left out, because
 * kernels with 64-bit addresses cannot use them, and because their steps are the same as those of the forms with
 * `.approx`.
 */
function isOld({ form }: Variant): boolean {
  return form.id.endsWith('unrounded');
}

/** The steps as text. */
function meaningOf(variant: Variant): string {
  return JSON.stringify(variant.form.steps(variant, environment), (_, value) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
}

export function instructionOf(variant: Variant): Instruction {
  const sources: Register[] = [];
  const results: Register[] = [];
  const one = (pattern: ValuePattern, name: string = pattern.name): string => {
    if (pattern.constantOnly === true) return String(pattern.range?.[1] ?? 0x96);
    const register = {
      name: `v.${name}`.replaceAll(/[^a-z0-9]/gi, '_'),
      width: operandType(variant, pattern.type).width,
    };
    (pattern.role === 'read' ? sources : results).push(register);
    return `%${register.name}`;
  };
  const written = variant.form.operands.map((pattern) => operandText(pattern, one, vectorLanes(variant)));
  return { inst: variant.mnemonic, sources, results, operands: written.join(', ') };
}

function operandText(
  pattern: OperandPattern,
  one: (value: ValuePattern, name?: string) => string,
  lanes: number,
): string {
  switch (pattern.kind) {
    case 'value':
      return one(pattern);
    case 'vector':
      return `{${pattern.elements.map((element) => one(element)).join(', ')}}`;
    case 'lanes': {
      const { value } = pattern;
      if (lanes === 1) return one(value);
      const names = Array.from({ length: lanes }, (_, lane) => one(value, `${value.name}.${lane}`));
      return `{${names.join(', ')}}`;
    }
    case 'pair':
      return `${operandText(pattern.first, one, lanes)}|${one(pattern.second)}`;
    default:
      throw new Error(`'${pattern.name}' is not a value`);
  }
}
