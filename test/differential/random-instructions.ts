/**
 * Generates random instructions. Any variant in the instruction table that only reads and writes registers can be
 * chosen; suitable operands are then chosen at random.
 */
import { namedEnvironment } from '../../src/isa/environment.ts';
import { rowsOf } from '../../src/check/availability.ts';
import { isValueStep } from '../../src/isa/steps/effects.ts';
import { expandForm } from '../../src/isa/expand.ts';
import type { InstructionForm, Variant } from '../../src/isa/form.ts';
import type { OperandPattern, ValuePattern } from '../../src/isa/operand-patterns.ts';
import { operandType } from '../../src/isa/variant.ts';
import { vectorLanes } from '../../src/isa/rules.ts';
import { clusterBarrier, conditionCode, stackBase, stackTop } from '../../src/isa/steps/ref.ts';
import { allForms } from '../../src/isa/table.ts';
import { findTarget, isAvailable, parseVersion, type Target } from '../../src/isa/targets.ts';
import type { PtxType } from '../../src/isa/types.ts';
import type { RandomSource } from './random-source.ts';

/**
 * The registers of a kernel, by width. Registers of width 1 are predicates. All other registers have bit-size types, so
 * they are allowed as operands of any type of the same size.
 */
export const registers: Readonly<Record<number, readonly string[]>> = {
  1: names('p', 8),
  8: names('b', 4),
  16: names('h', 8),
  32: names('r', 12),
  64: names('d', 8),
};

function names(letter: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, i) => `%${letter}${i}`);
}

export const version = '9.0';

/**
 * Variants, grouped first by opcode and then by form. The opcode is chosen first, so that opcodes with many variants
 * are not chosen more often than others.
 */
export type Pool = readonly (readonly (readonly Variant[])[])[];

interface Pools {
  /** Instructions that only read and write registers. */
  readonly values: Pool;
  /** Instructions that threads of a warp execute together; a mask selects the threads that take part. */
  readonly collectives: Pool;
}

/** For each form whose operands are all registers or constants, a list of its variants. */
const expanded = allForms()
  .filter(({ operands }) => operands.every(({ kind }) => ['value', 'vector', 'pair', 'lanes'].includes(kind)))
  .map((form) => [...expandForm(form)].filter(fitsRegisters));
const onValues = expanded.map((variants) => variants.filter(isOnValues));
const collectives = expanded.map((variants) => variants.filter(isCollective));
const pools = new Map<string, Pools>();

/** Whether a target supports the variant. */
export function poolsFor(targetName: string): Pools {
  const known = pools.get(targetName);
  if (known !== undefined) return known;
  const target = findTarget(targetName) as Target;
  const made = { values: poolOf(target, onValues), collectives: poolOf(target, collectives) };
  pools.set(targetName, made);
  return made;
}

function poolOf(target: Target, forms: readonly (readonly Variant[])[]): Pool {
  const byOpcode = new Map<string, (readonly Variant[])[]>();
  for (const all of forms) {
    const variants = all.filter((variant) => isAvailableOn(variant, target));
    if (variants.length === 0) continue;
    const opcode = (variants[0] as Variant).mnemonic.split('.')[0] as string;
    byOpcode.set(opcode, [...(byOpcode.get(opcode) ?? []), variants]);
  }
  return [...byOpcode.values()];
}

function isAvailableOn(variant: Variant, target: Target): boolean {
  return rowsOf(variant).every((row) => isAvailable(row.ways, parseVersion(version), target));
}

function stepsOf(variant: Variant) {
  return variant.form.steps(variant, namedEnvironment('sm_90', version));
}

function isOnValues(variant: Variant): boolean {
  const steps = stepsOf(variant);
  if (steps.length === 0 || !steps.every(isValueStep)) return false;
  // Instructions that use the condition code are excluded because carries are tested elsewhere; those that use stack
  // addresses are excluded because results must not depend on such addresses.
  const implied: readonly unknown[] = [conditionCode, stackBase, stackTop, clusterBarrier];
  return !steps.some((step) => Object.values(step).some((ref) => [ref].flat().some((name) => implied.includes(name))));
}

function isCollective(variant: Variant): boolean {
  const members = variant.form.operands.some((operand) => operand.name === 'membermask');
  return members && stepsOf(variant).every((step) => step.kind === 'collective');
}

function fitsRegisters(variant: Variant): boolean {
  const fits = (pattern: ValuePattern): boolean => registers[operandType(variant, pattern.type).width] !== undefined;
  const isHeld = (pattern: OperandPattern): boolean => {
    switch (pattern.kind) {
      case 'value':
        return fits(pattern);
      case 'vector':
        return pattern.elements.every(fits);
      case 'pair':
        return isHeld(pattern.first) && fits(pattern.second);
      case 'lanes':
        return fits(pattern.value);
      default:
        return false;
    }
  };
  return variant.form.operands.every(isHeld);
}

/**
 * Returns a random instruction. `members` is the mask operand for instructions that the threads of a warp execute
 * together.
 */
export function randomInstruction(random: RandomSource, pool: Pool, members = '-1'): string {
  const variant = random.pick(random.pick(random.pick(pool)));
  const operands = new OperandText(random, variant, members).all();
  return `${variant.mnemonic} ${operands};`;
}

/** Chooses the operands of one instruction. All destinations are different registers. */
class OperandText {
  private readonly random: RandomSource;
  private readonly variant: Variant;
  private readonly form: InstructionForm;
  private readonly members: string;
  private readonly written = new Set<string>();

  constructor(random: RandomSource, variant: Variant, members: string) {
    this.random = random;
    this.members = members;
    this.variant = variant;
    this.form = variant.form;
  }

  all(): string {
    return this.form.operands.map((pattern) => this.operand(pattern)).join(', ');
  }

  private operand(pattern: OperandPattern): string {
    switch (pattern.kind) {
      case 'value':
        return this.value(pattern);
      case 'vector':
        return `{${pattern.elements.map((element) => this.value(element)).join(', ')}}`;
      case 'lanes': {
        const lanes = vectorLanes(this.variant);
        const values = Array.from({ length: lanes }, () => this.value(pattern.value));
        return lanes === 1 ? (values[0] as string) : `{${values.join(', ')}}`;
      }
      case 'pair': {
        const first = this.operand(pattern.first);
        return pattern.both === true || this.random.percent(50) ? `${first}|${this.value(pattern.second)}` : first;
      }
      default:
        throw new Error(`no registers for '${pattern.name}'`);
    }
  }

  private value(pattern: ValuePattern): string {
    const { random } = this;
    const type = operandType(this.variant, pattern.type);
    if (pattern.name === 'membermask') return this.members;
    if (pattern.role === 'read' && (pattern.constantOnly === true || random.percent(12))) {
      const constant = this.constant(pattern, type);
      if (constant !== null) return constant;
    }
    const choices = (registers[this.widthFor(pattern, type)] as readonly string[]).filter(
      (name) => pattern.role === 'read' || !this.written.has(name),
    );
    const register = random.pick(choices);
    if (pattern.role === 'write') this.written.add(register);
    if (pattern.minus === 'must' || (pattern.minus === 'may' && random.percent(30))) return `-${register}`;
    return pattern.negatable === true && random.percent(30) ? `!${register}` : register;
  }

  /**
   * The width of a register for an operand. It is usually the width of the type, but may be larger if the instruction
   * allows wider registers.
   */
  private widthFor({ regime }: ValuePattern, type: PtxType): number {
    const relaxed = (regime ?? this.form.regime) === 'relaxed' && type.width > 1;
    if (!relaxed || this.random.percent(60)) return type.width;
    return this.random.pick([16, 32, 64].filter((width) => width >= type.width));
  }

  private constant(pattern: ValuePattern, type: PtxType): string | null {
    const { random } = this;
    if (pattern.oneOf !== undefined) return String(random.pick(pattern.oneOf));
    if (pattern.range !== undefined) {
      const [least, most] = pattern.range;
      const step = pattern.multiple ?? 1;
      return String(least + step * random.below(Math.floor((most - least) / step) + 1));
    }
    if (pattern.constantOnly === true) return String(random.below(256));
    if (pattern.registerOnly === true || pattern.minus === 'must' || pattern.atMost !== undefined) return null;
    if (pattern.fraction === true) return '0f3f000000';
    if (type.class === 'float' && type.width >= 32) {
      const digits = (): string => random.bits().toString(16).padStart(8, '0');
      return type.width === 32 ? `0f${digits()}` : `0d${digits()}${digits()}`;
    }
    if (type.class !== 'signed' && type.class !== 'unsigned' && type.class !== 'bits') return null;
    return String(random.percent(50) ? random.below(40) - 8 : random.bits() >> random.below(32));
  }
}
