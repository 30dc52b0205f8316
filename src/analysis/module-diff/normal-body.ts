/** Reduces functions to the form in which they are compared: without the names of registers, labels and parameters. */
import { elementAt } from '../../base/element-at.ts';
import type { Span } from '../../base/span.ts';
import { registerUse } from '../../check/binding/bind.ts';
import type { VariableSymbol } from '../../check/symbols.ts';
import type { Role } from '../../isa/operand-patterns.ts';
import { printInitializer, printOperand } from '../../syntax/print-operands.ts';
import { printHeaderParts } from '../../syntax/printer.ts';
import type { MemberOperand, NameOperand, Variable } from '../../syntax/tree.ts';
import { type BlockOutline, blockOutlines } from '../block-outline.ts';
import type { FunctionBody } from '../function-body.ts';
import { type BodyInstruction, type NamedOperand, visitNames } from '../occurrences.ts';

/**
 * A name in an instruction. `place` is a number that is different for each register and each argument of a function.
 */
export type NormalName =
  | { readonly kind: 'register'; readonly place: number; readonly role: Role }
  /** A variable that passes an argument to a called function or receives its result. */
  | { readonly kind: 'argument'; readonly place: number }
  | { readonly kind: 'label' | 'symbol'; readonly name: string };

/** An instruction. Two instructions with the same shape differ only in the names that they use. */
export interface NormalLine extends Span {
  readonly mnemonic: string;
  readonly shape: string;
  readonly names: readonly NormalName[];
}

/** A block, and the range of its instructions. */
export interface NormalBlock extends BlockOutline {
  readonly from: number;
  readonly to: number;
}

export interface NormalVariable {
  readonly name: string;
  /** The declaration without the name, such as `.shared .align 4 .b8[128]`. */
  readonly declaration: string;
}

export interface NormalBody {
  /**
   * The parts of a function's header, with all names removed. Examples are `.visible`, `.param .u64` and
   * `.maxntid 128, 1, 1`.
   */
  readonly header: readonly string[];
  readonly lines: readonly NormalLine[];
  readonly blocks: readonly NormalBlock[];
  /**
   * The variables that the function declares, except for `.param` variables, which pass the arguments and results of
   * calls.
   */
  readonly variables: readonly NormalVariable[];
}

export function normalBody(body: FunctionBody): NormalBody {
  const context = { start: body.start, parameters: parameterPositions(body), places: new Places() };
  const { instructions, checked } = body;
  const lines = instructions.map((one) => normalLine(one, context));
  let count = 0;
  const blocks = blockOutlines(body).map((block): NormalBlock => {
    const from = count;
    count += block.instructions;
    return { ...block, from, to: count };
  });
  const variables = checked.variables.filter(({ space }) => space !== 'local parameter');
  return { header: printHeaderParts(checked.item), lines, blocks, variables: variables.map(normalVariable) };
}

/**
 * Maps the names of the function's parameters and return values to the placeholders that replace them in the shapes of
 * instructions.
 */
function parameterPositions({ checked: { parameters, results } }: FunctionBody): ReadonlyMap<string, string> {
  const positions = new Map<string, string>();
  for (const [i, symbol] of parameters.entries()) if (symbol !== null) positions.set(symbol.name, `parameter ${i}`);
  for (const [i, symbol] of results.entries()) if (symbol !== null) positions.set(symbol.name, `result ${i}`);
  return positions;
}

/**
 * Assigns a number to each register and each argument of a function. The same name may be declared in several scopes.
 */
class Places {
  private count = 0;
  /**
   * The numbers, keyed by the offset of the declaration and by name, because one declaration may declare many
   * registers.
   */
  private readonly numbers = new Map<number, Map<string, number>>();

  of({ declared: { start } }: { readonly declared: Span }, name: string): number {
    const members = this.numbers.get(start) ?? new Map<string, number>();
    if (members.size === 0) this.numbers.set(start, members);
    const known = members.get(name);
    if (known !== undefined) return known;
    members.set(name, this.count);
    return this.count++;
  }
}

interface LineContext {
  /** The offset of the function in the document. */
  readonly start: number;
  /** See `parameterPositions`. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly places: Places;
}

function normalLine(one: BodyInstruction, context: LineContext): NormalLine {
  const { start, parameters } = context;
  const { node, variant, scope } = one;
  const names: NormalName[] = [];
  visitNames(node, variant?.form.operands ?? [], (operand, role) => {
    const name = normalName(operand, role, one, context);
    if (name !== null) names.push(name);
  });
  const spell = (operand: NameOperand | MemberOperand): string => {
    const name = normalName(operand, 'read', one, context);
    const base = operand.kind === 'name' ? operand.name : operand.base;
    const member = operand.kind === 'name' ? '' : operand.member;
    if (name !== null) return `<${name.kind}>${member}`;
    const isHidden = scope.lookup(base)?.kind === 'register';
    return (isHidden ? null : parameters.get(base)) ?? base + member;
  };
  const { guard, mnemonic, operands } = node;
  const condition = guard === null ? '' : `@${guard.negated ? '!' : ''}${spell(guard.predicate)} `;
  const shape = `${condition}${mnemonic} ${operands.map((operand) => printOperand(operand, spell)).join(', ')}`;
  return { start: start + node.start, end: start + node.end, mnemonic, shape, names };
}

/**
 * Returns null for parameters of the function, and for names that have the same meaning in all functions, such as
 * special registers.
 */
function normalName(
  operand: NamedOperand,
  role: Role,
  { scope }: BodyInstruction,
  { parameters, places }: LineContext,
): NormalName | null {
  const use = registerUse(operand, scope);
  if (use !== null) {
    const name = operand.kind === 'name' ? operand.name : operand.base + operand.member;
    return { kind: 'register', place: places.of(use.symbol, name), role };
  }
  const name = operand.kind === 'name' ? operand.name : operand.base;
  const symbol = scope.lookup(name);
  if (symbol === undefined) return null;
  if (symbol.kind === 'label') return { kind: 'label', name };
  const isFormal = symbol.kind === 'variable' && symbol.space !== 'local parameter' && symbol.space.includes(' ');
  if (isFormal && parameters.has(name)) return null;
  if (symbol.kind === 'variable' && symbol.space === 'local parameter')
    return { kind: 'argument', place: places.of(symbol, name) };
  return { kind: 'symbol', name };
}

export function normalVariable({ name, space, linkage, variable }: VariableSymbol): NormalVariable {
  const { align, vector, type, dimensions, initializer } = variable;
  const words = [
    linkage ?? '',
    space,
    align === null ? '' : `.align ${align}`,
    vector ?? '',
    `${type}${dimensionsText(dimensions)}`,
    initializer === null ? '' : `= ${printInitializer(initializer)}`,
  ];
  const declaration = words.filter((word) => word !== '').join(' ');
  return { name, declaration };
}

function dimensionsText(dimensions: Variable['dimensions']): string {
  return dimensions.map((extent) => `[${extent ?? ''}]`).join('');
}

/** The lines of a block. */
export function linesOf({ lines }: NormalBody, { from, to }: NormalBlock): readonly NormalLine[] {
  return lines.slice(from, to);
}

/** The block that each instruction belongs to. */
export function blockNumbers({ lines, blocks }: NormalBody): Int32Array {
  const numbers = new Int32Array(lines.length);
  for (const [i] of blocks.entries()) {
    const { from, to } = elementAt(blocks, i);
    numbers.fill(i, from, to);
  }
  return numbers;
}
