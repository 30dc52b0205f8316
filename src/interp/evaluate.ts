/**
 * Runs one instruction on given bits, without a launch. This file is the basis of `ptxlab eval`, and of the tests that
 * check computed values.
 */
import { type Bits, chop, signExtend } from '../base/bits.ts';
import { elementAt } from '../base/element-at.ts';
import type { Variant } from '../isa/form.ts';
import type { OperandPattern, TypeRef, ValuePattern } from '../isa/operand-patterns.ts';
import { listOf, operandType } from '../isa/variant.ts';
import { vectorLanes } from '../isa/rules.ts';
import type { Environment } from '../isa/environment.ts';
import { isValueStep } from '../isa/steps/effects.ts';
import { conditionCode, operandRef, type Ref, stackTop } from '../isa/steps/ref.ts';
import type { PtxType } from '../isa/types.ts';
import { type Action, type Frame, prepareStep } from './value-steps.ts';

/** The widths of the instruction's registers, if they differ from the widths of its types. */
export interface RegisterWidths {
  /** Width of every source register in bits; values are truncated to the operand's type (Table 27 of PTX ISA 9.1). */
  readonly source?: number;
  /**
   * Width of the destination register in bits; the result is extended according to the instruction's type (PTX ISA 9.1,
   * Table 28).
   */
  readonly result?: number;
}

/** An input or result of an instruction. */
export interface Terminal {
  readonly name: string;
  readonly type: PtxType;
  /** Width of its register in bits. */
  readonly width: number;
}

/** An instruction prepared for repeated evaluation. */
export interface Evaluator {
  /** Sources in operand order; brace lists contribute one source per element. */
  readonly inputs: readonly Terminal[];
  readonly outputs: readonly Terminal[];
  /** Returns the results for one row of inputs; inputs are masked to their width. */
  readonly run: (inputs: readonly Bits[]) => readonly Bits[];
}

/**
 * Returns a function that computes the instruction's results from the bits of its inputs. Returns null if the
 * instruction accesses memory, deals with addresses or the stack, branches, waits, or cannot be executed. At the start
 * of every row, the condition code is reset, so that there is no carry and no borrow.
 */
export function evaluator(variant: Variant, environment: Environment, widths: RegisterWidths = {}): Evaluator | null {
  const steps = variant.form.steps(variant, environment);
  if (steps.length === 0 || !steps.every(isValueStep)) return null;
  const values = variant.form.operands.flatMap((pattern) => valuesOf(variant, pattern));
  const places = new Map<Ref, number>();
  const placeOf = (ref: Ref): number => {
    const known = places.get(ref);
    if (known !== undefined) return known;
    places.set(ref, places.size);
    return places.size - 1;
  };
  const terminal = ({ name, type }: NamedValue, width: number | undefined): Terminal => {
    const found = operandType(variant, type);
    return { name, type: found, width: width ?? found.width };
  };
  const inputs = values.filter((value) => value.role === 'read').map((value) => terminal(value, widths.source));
  const outputs = values.filter((value) => value.role === 'write').map((value) => terminal(value, widths.result));
  const sources = inputs.map((input) => ({ ...input, place: placeOf(operandRef(input.name)) }));
  const actions = steps.filter(isValueStep).map((step) => prepareStep(step, placeOf));
  if (places.has(stackTop)) return null;
  const carryPlace = places.get(conditionCode);
  const carry = carryPlace === undefined ? null : { place: carryPlace, value: variant.form.nothingCarried ?? 0 };
  const results = outputs.map((output) => ({ ...output, place: placeOf(operandRef(output.name)) }));
  return { inputs, outputs, run: runner(sources, actions, results, new Array<Bits>(places.size).fill(0), carry) };
}

/**
 * Evaluates one instruction for one row of inputs; null if `evaluator` returns null.
 *
 * @param inputs one value for each source of the instruction, in operand order
 */
export function evaluate(
  variant: Variant,
  inputs: readonly Bits[],
  environment: Environment,
  widths: RegisterWidths = {},
): readonly Bits[] | null {
  return evaluator(variant, environment, widths)?.run(inputs) ?? null;
}

interface Placed extends Terminal {
  readonly place: number;
}

function runner(
  sources: readonly Placed[],
  actions: readonly Action[],
  results: readonly Placed[],
  frame: Frame,
  carry: { readonly place: number; readonly value: number } | null,
): Evaluator['run'] {
  return (inputs) => {
    if (carry !== null) frame[carry.place] = carry.value;
    sources.forEach(({ place, width, type }, i) => {
      frame[place] = readAs(type, chop(inputs[i] ?? 0, width));
    });
    for (const action of actions) action(frame);
    return results.map(({ place, type, width }) => writeAs(type, elementAt(frame, place), width));
  };
}

/** Returns the bits that an operand of this type reads from a register (PTX ISA 9.1, Table 27). */
export function readAs(type: PtxType, register: Bits): Bits {
  return chop(register, type.width);
}

/**
 * Returns the contents of a register of `width` bits after a result of this type is written to it; signed integers are
 * sign-extended (PTX ISA 9.1, Table 28).
 */
export function writeAs(type: PtxType, result: Bits, width: number): Bits {
  if (type.class === 'signed' && width > type.width) return signExtend(result, type.width, width);
  return chop(result, width);
}

// --- operands -------------------------------------------------------------------------------------------------------

interface NamedValue {
  readonly name: string;
  readonly role: ValuePattern['role'];
  readonly type: TypeRef;
}

function valuesOf(variant: Variant, pattern: OperandPattern): readonly NamedValue[] {
  switch (pattern.kind) {
    case 'value':
      return [pattern];
    case 'vector':
      return pattern.elements;
    case 'registers':
      return listOf(variant, pattern).elements;
    case 'lanes':
      return Array.from({ length: vectorLanes(variant) }, (_, lane) => ({
        ...pattern.value,
        name: `${pattern.value.name}.${lane}`,
      }));
    case 'pair':
      return [...valuesOf(variant, pattern.first), pattern.second];
    case 'address':
    case 'texture':
    case 'handle':
    case 'coordinates':
    case 'tensor':
    case 'window':
    case 'pointer':
    case 'label':
    case 'list':
    case 'callee':
    case 'table':
      return [];
  }
}
