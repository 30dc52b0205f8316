/** Describes the instruction, name or constant at a position in a function. */
import { elementAt } from '../base/element-at.ts';
import { leadingCount } from '../base/leading-count.ts';
import type { Span } from '../base/span.ts';
import { registerUse } from '../check/binding/bind.ts';
import type { DeclaredSymbol, VariableSpace } from '../check/symbols.ts';
import { writtenOperands } from '../explain/explain.ts';
import { explainVariant, type InstructionExplanation } from '../explain/instruction.ts';
import { explainLiteral, type LiteralExplanation } from '../explain/literal.ts';
import { findRegister } from '../isa/find-register.ts';
import type { Environment } from '../isa/environment.ts';
import { describeTargets, formatVersion } from '../isa/targets.ts';
import type { TypeName } from '../isa/types.ts';
import type { Operand } from '../syntax/tree.ts';
import type { FunctionBody } from './function-body.ts';
import type { BodyInstruction } from './occurrences.ts';

export type HoverSubject =
  /** The explanation describes the instruction as it is written, with its own modifiers and types. */
  | { readonly kind: 'instruction'; readonly explanation: InstructionExplanation }
  | { readonly kind: 'register'; readonly name: string; readonly type: TypeName }
  /** `since` describes in words which PTX version added the register and which targets have it. */
  | { readonly kind: 'special register'; readonly name: string; readonly type: TypeName; readonly since: string }
  | { readonly kind: 'constant'; readonly explanation: LiteralExplanation }
  | {
      readonly kind: 'variable';
      readonly name: string;
      readonly type: TypeName;
      readonly space: VariableSpace;
    }
  | { readonly kind: 'label' | 'function' | 'list of targets' | 'prototype'; readonly name: string };

/** A description of the instruction, name or constant at a position, and the range of text to which it applies. */
export interface Hover extends Span {
  readonly subject: HoverSubject;
}

/**
 * Describes the instruction, name or constant at an offset in the text of the function. Null if the offset is between
 * two instructions, or if the instruction has errors.
 */
export function hoverAt(body: FunctionBody, offset: number, environment: Environment): Hover | null {
  const found = instructionAt(body.instructions, offset);
  if (found === null) return null;
  const { node, scope, variant } = found;
  const { mnemonicStart, mnemonicEnd, guard } = node;
  if (offset >= mnemonicStart && offset <= mnemonicEnd) {
    if (variant === null) return null;
    const written = writtenOperands(variant, node, body.source);
    const explanation = explainVariant(variant, environment, written);
    return { start: mnemonicStart, end: mnemonicEnd, subject: { kind: 'instruction', explanation } };
  }
  const operands = guard === null ? node.operands : [guard.predicate, ...node.operands];
  const operand = innermost(operands, offset);
  if (operand === null) return null;
  const subject = subjectOf(operand, { node, scope, variant }, body.source);
  return subject === null ? null : { start: operand.start, end: operand.end, subject };
}

/** The instruction that contains an offset. */
function instructionAt(instructions: readonly BodyInstruction[], offset: number): BodyInstruction | null {
  const count = leadingCount(instructions.length, (i) => elementAt(instructions, i).node.start <= offset);
  const found = instructions[count - 1];
  return found !== undefined && offset < found.node.end ? found : null;
}

/** The smallest operand that contains an offset. */
function innermost(operands: readonly Operand[], offset: number): Operand | null {
  const around = operands.find(({ start, end }) => start <= offset && offset <= end);
  if (around === undefined) return null;
  return innermost(partsOf(around), offset) ?? around;
}

/** The operands that are nested in an operand, such as the elements of a vector. */
export function partsOf(operand: Operand): readonly Operand[] {
  switch (operand.kind) {
    case 'vector':
    case 'list':
      return operand.elements;
    case 'pair':
      return [operand.first, operand.second];
    case 'unary':
      return [operand.operand];
    case 'address':
      return operand.base === null ? operand.rest : [operand.base, ...operand.rest];
    case 'offset':
      return operand.index === null ? [operand.base] : [operand.base, operand.index];
    case 'name':
    case 'member':
    case 'integer':
    case 'float':
    case 'sink':
      return [];
  }
}

function subjectOf(operand: Operand, { scope }: BodyInstruction, source: string): HoverSubject | null {
  if (operand.kind === 'integer' || operand.kind === 'float') {
    const explanation = explainLiteral(source.slice(operand.start, operand.end));
    return explanation?.kind === 'literal' ? { kind: 'constant', explanation } : null;
  }
  if (operand.kind !== 'name' && operand.kind !== 'member') return null;
  const use = registerUse(operand, scope);
  if (use !== null) return { kind: 'register', name: use.register, type: use.symbol.type.name };
  const name = operand.kind === 'name' ? operand.name : operand.base;
  const symbol = scope.lookup(name);
  if (symbol !== undefined) return subjectOfSymbol(symbol);
  const special = findRegister(name);
  if (special === undefined) return null;
  const { type, since } = special;
  const words = `PTX ${formatVersion(since.since)}, ${describeTargets(since.on)}`;
  return { kind: 'special register', name: special.name, type, since: words };
}

function subjectOfSymbol(symbol: DeclaredSymbol): HoverSubject {
  const { name } = symbol;
  switch (symbol.kind) {
    case 'register':
      return { kind: 'register', name, type: symbol.type.name };
    case 'variable':
      return { kind: 'variable', name, type: symbol.type.name, space: symbol.space };
    case 'targets':
      return { kind: 'list of targets', name };
    case 'label':
    case 'function':
    case 'prototype':
      return { kind: symbol.kind, name };
  }
}
