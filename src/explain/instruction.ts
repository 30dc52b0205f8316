/** Explains an instruction as plain data: everything that the table contains about one variant. */
import { assertNever } from '../base/assert-never.ts';
import { acceptance, rowsOf } from '../check/availability.ts';
import type { Variant } from '../isa/form.ts';
import type { OperandPattern, ValuePattern } from '../isa/operand-patterns.ts';
import { describeConstants, describeRegisters } from '../isa/operand-rules.ts';
import type { Environment } from '../isa/environment.ts';
import type { Step } from '../isa/steps/step.ts';
import { comparedType, operandType } from '../isa/variant.ts';
import { type LanePicture, lanePictures } from './lanes.ts';
import { matrixChoices } from '../isa/matrix-choices.ts';
import { opcodeIn } from '../isa/notation.ts';
import { opcodeOf } from '../isa/table.ts';
import { explainProduct, type ProductExplanation, productOf } from './matrices/arithmetic.ts';
import { explainFragments, type FragmentExplanation } from './matrices/fragments.ts';
import { patternBits } from './operand-bits.ts';
import { modifierMeaning } from './modifier-meanings.ts';
import { type Alternatives, alternatives } from './modifiers.ts';
import {
  arithmeticChoices,
  type Choice,
  divisionByZero,
  openChoices,
  recordedApproximation,
} from '../numerics/open-choices.ts';
import { conversionsOf, intermediateOf, type SpecialValue, specialValues } from './special-values.ts';
import { stepText } from './step-text.ts';
import { type AcceptanceGroup, groupAcceptance } from './targets.ts';
import { elementAt } from '../base/element-at.ts';

export interface OperandExplanation {
  /**
   * The name of the operand in the syntax line. `written` is the text of the operand in the explained instruction; null
   * if only a mnemonic is explained.
   */
  readonly name: string;
  readonly written: string | null;
  readonly role: 'read' | 'write';
  readonly type: string;
  readonly width: number;
  /** Describes the registers and constants that are allowed as this operand. */
  readonly takes: string;
}

export interface ModifierExplanation {
  readonly modifier: string;
  readonly meaning: string | null;
}

export interface InstructionExplanation {
  readonly kind: 'instruction';
  /** Modifiers in the order of the syntax line. */
  readonly mnemonic: string;
  readonly form: string;
  readonly syntax: string;
  readonly summary: string;
  readonly section: string;
  readonly operands: readonly OperandExplanation[];
  /**
   * The fields of the results, followed by the fields of the sources. A source is left out if every result field that
   * depends on it uses all of its bits.
   */
  readonly lanes: readonly LanePicture[];
  /** The matrices that the lanes of a warp hold. */
  readonly fragments: readonly FragmentExplanation[];
  /** How matrices are multiplied; null if the instruction does not multiply matrices. */
  readonly product: ProductExplanation | null;
  readonly steps: readonly string[];
  readonly modifiers: readonly ModifierExplanation[];
  readonly alternatives: readonly Alternatives[];
  readonly specialValues: readonly SpecialValue[];
  readonly availability: readonly AcceptanceGroup[];
  readonly openChoices: readonly Choice[];
  /** IDs of other forms that the mnemonic can also refer to; the operands determine which form applies. */
  readonly siblings: readonly string[];
}

/**
 * Explains a variant. `written` maps the names of operands in the syntax line to their text in the instruction; it is
 * empty for a bare mnemonic.
 */
export function explainVariant(
  variant: Variant,
  environment: Environment,
  written: ReadonlyMap<string, string> = new Map(),
): InstructionExplanation {
  const { form, mnemonic } = variant;
  const steps = form.steps(variant, environment);
  const modifiers = Object.values(variant.modifiers);
  const opcode = opcodeOf(form);
  const fragments = explainFragments(variant, steps);
  return {
    kind: 'instruction',
    mnemonic,
    form: form.id,
    syntax: form.syntax.replace(/\s+/, ' '),
    summary: form.summary,
    section: form.section,
    operands: explainOperands(variant, written),
    // If one register of a matrix is a result, all registers of that matrix are results.
    lanes: fragments.length > 0 ? [] : lanePictures(variant, steps),
    fragments,
    product: explainProduct(variant, productOf(steps)),
    steps: steps.map((step) => stepText(step)),
    modifiers: modifiers.map((modifier) => ({ modifier, meaning: modifierMeaning(modifier, opcode) })),
    alternatives: alternatives(variant),
    specialValues: specialValues(steps),
    availability: groupAcceptance(acceptance(new Set(rowsOf(variant)))),
    openChoices: choicesOf(variant, steps),
    siblings: [],
  };
}

function explainOperands(variant: Variant, written: ReadonlyMap<string, string>): readonly OperandExplanation[] {
  return variant.form.operands.flatMap((pattern) =>
    patternBits(variant, pattern).map(({ name, role, type }) => ({
      name,
      written: written.get(name) ?? null,
      role,
      type: type.name,
      width: type.width,
      takes: takenBy(variant, pattern, name),
    })),
  );
}

function takenBy(variant: Variant, pattern: OperandPattern, name: string): string {
  switch (pattern.kind) {
    case 'value':
      return valuesTaken(variant, pattern);
    case 'lanes':
      return valuesTaken(variant, pattern.value);
    case 'registers':
      return valuesTaken(variant, pattern.element);
    case 'vector':
      return valuesTaken(
        variant,
        elementAt(
          pattern.elements.filter((element) => element.name === name),
          0,
        ),
      );
    case 'pair':
      return takenBy(variant, pattern.second.name === name ? pattern.second : pattern.first, name);
    case 'address':
      if (name !== pattern.name) return 'a register or an integer constant';
      return 'an address in brackets: a 32-bit or 64-bit register or a variable, optionally with an offset';
    case 'texture':
      if (name === 'sampler') return 'a .samplerref variable or a 64-bit register; may be omitted';
      if (name !== pattern.name) return 'a list of registers or constants';
      return `a ${pattern.of} variable or a 64-bit register, and coordinates, in brackets`;
    case 'handle':
      return `a ${pattern.of} variable or a 64-bit register, in brackets`;
    case 'coordinates':
      return 'a list of registers or constants';
    case 'tensor':
      return 'an address of tensor memory in brackets: a 32-bit register, optionally with an offset';
    case 'window':
      return `a ${operandType(variant, pattern.type).width}-bit register${pattern.variables ? ', or a variable in the space' : ''}`;
    case 'pointer':
      return 'a 32-bit or 64-bit register that holds an address';
    case 'label':
      return 'a label';
    case 'list':
      return 'registers, .param variables and constants that match the function parameters, in parentheses';
    case 'callee':
      return pattern.indirect ? 'a register that holds the address of a function' : 'a function name';
    case 'table':
      return pattern.of === 'branches' ? 'a .branchtargets label' : 'a .callprototype or .calltargets label';
    default:
      return assertNever(pattern);
  }
}

function valuesTaken(variant: Variant, pattern: ValuePattern): string {
  const type = comparedType(variant, pattern);
  if (pattern.constantOnly === true) return 'integer constants';
  const taken = [describeRegisters(type, pattern.regime ?? variant.form.regime)];
  const constants = describeConstants(type);
  if (pattern.role === 'read' && pattern.registerOnly !== true && constants !== 'none') taken.push(constants);
  if (pattern.special === true) taken.push('special registers');
  if (pattern.address === true) taken.push('names of variables');
  return taken.join(', ');
}

/** Returns the choices that ptxlab made where the specification does not define the result of one of the steps. */
function choicesOf(variant: Variant, steps: readonly Step[]): readonly Choice[] {
  const chosen = new Set<Choice>();
  for (const { conversion } of conversionsOf(steps)) {
    for (const choice of openChoices) if (choice.appliesTo(conversion)) chosen.add(choice);
  }
  const intermediate = intermediateOf(steps);
  for (const step of steps) {
    if (step.kind !== 'float' || intermediate.has(step.to)) continue;
    for (const choice of arithmeticChoices) if (choice.appliesTo(step.fn, step.format, step.mode)) chosen.add(choice);
  }
  if (steps.some((step) => step.kind === 'integer' && (step.fn === 'div' || step.fn === 'rem')))
    chosen.add(divisionByZero);
  if (steps.some((step) => step.kind === 'mufu')) chosen.add(recordedApproximation);
  const use = { opcode: opcodeIn(variant.mnemonic), product: productOf(steps) };
  for (const choice of matrixChoices) if (choice.appliesTo(use)) chosen.add(choice);
  return [...chosen].map(({ id, title, choice, evidence }) => ({ id, title, choice, evidence }));
}
