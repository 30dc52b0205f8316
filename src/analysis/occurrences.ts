/** Finds the places where a function reads and writes its registers. */
import type { Span } from '../base/span.ts';
import { registerUse } from '../check/binding/bind.ts';
import { callParts } from '../check/instructions/call.ts';
import type { Scope } from '../check/symbols.ts';
import type { Variant } from '../isa/form.ts';
import type { OperandPattern, Role } from '../isa/operand-patterns.ts';
import type { FrameBuilder } from '../program/frame.ts';
import type { Instruction, Operand } from '../syntax/tree.ts';

/** One instruction, with its position in the text of the function. */
export interface BodyInstruction {
  readonly node: Instruction;
  readonly scope: Scope;
  /** Null if the instruction has errors, or if the tables do not contain it. */
  readonly variant: Variant | null;
}

export interface Occurrence extends Span {
  /** Slot of the register. */
  readonly place: number;
  readonly role: Role;
  /** Index of the instruction. */
  readonly instruction: number;
  /** The name as written in the text. */
  readonly name: string;
}

/** An operand that is a name, or a name followed by a suffix that selects a part, such as `%v.x`. */
export type NamedOperand = Extract<Operand, { kind: 'name' | 'member' }>;

/** Every register in the text of a function, in order of occurrence. */
export function occurrencesIn(instructions: readonly BodyInstruction[], frame: FrameBuilder): readonly Occurrence[] {
  const found: Occurrence[] = [];
  for (const [i, { node, variant, scope }] of instructions.entries()) {
    visitNames(node, variant?.form.operands ?? [], (operand, role) => {
      const use = registerUse(operand, scope);
      if (use === null) return;
      const { start, end } = operand;
      const name = operand.kind === 'name' ? operand.name : operand.base + operand.member;
      const elements = use.element === null ? use.symbol.lanes : 1;
      for (let lane = 0; lane < elements; lane++) {
        const element = use.element ?? (elements > 1 ? lane : null);
        found.push({ place: frame.register({ ...use, element }), role, instruction: i, start, end, name });
      }
    });
  }
  return found;
}

/**
 * Calls `visit` with every name in an instruction, and with its role: whether the instruction reads or writes the name.
 */
export function visitNames(
  node: Instruction,
  patterns: readonly OperandPattern[],
  visit: (operand: NamedOperand, role: Role) => void,
): void {
  const visitor = new NameVisitor(visit);
  const { guard, operands } = node;
  if (guard !== null) visitor.add(guard.predicate, 'read');
  if (patterns.some(({ kind }) => kind === 'callee')) visitor.addCall(node);
  else operands.forEach((operand, index) => visitor.addOperand(operand, patterns[index], index));
}

class NameVisitor {
  private readonly visit: (operand: NamedOperand, role: Role) => void;

  constructor(visit: (operand: NamedOperand, role: Role) => void) {
    this.visit = visit;
  }

  addCall(node: Instruction): void {
    const { results, callee, parameters } = callParts(node);
    for (const result of results) this.add(result, 'write');
    this.add(callee, 'read');
    for (const parameter of parameters) this.add(parameter, 'read');
  }

  /**
   * If no pattern is known, the first operand is assumed to be the result, and the others are assumed to be sources.
   */
  addOperand(operand: Operand, pattern: OperandPattern | undefined, index: number): void {
    if (pattern === undefined) return this.add(operand, index === 0 ? 'write' : 'read');
    switch (pattern.kind) {
      case 'value':
        return this.add(operand, pattern.role);
      case 'lanes':
        return this.add(operand, pattern.value.role);
      case 'registers':
        return this.add(operand, pattern.element.role);
      case 'vector':
        return this.addVector(
          operand,
          pattern.elements.map(({ role }) => role),
        );
      case 'pair':
        if (operand.kind !== 'pair') return this.addOperand(operand, pattern.first, index);
        this.addOperand(operand.first, pattern.first, index);
        return this.add(operand.second, pattern.second.role);
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
        return this.add(operand, 'read');
    }
  }

  private addVector(operand: Operand, roles: readonly Role[]): void {
    if (operand.kind !== 'vector') return this.add(operand, roles[0] ?? 'read');
    operand.elements.forEach((element, i) => this.add(element, roles[i] ?? 'read'));
  }

  add(operand: Operand, role: Role): void {
    switch (operand.kind) {
      case 'name':
      case 'member':
        this.visit(operand, role);
        return;
      case 'offset':
        this.add(operand.base, 'read');
        if (operand.index !== null) this.add(operand.index, 'read');
        return;
      case 'address':
        if (operand.base !== null) this.add(operand.base, 'read');
        for (const part of operand.rest) this.add(part, 'read');
        return;
      case 'unary':
        this.add(operand.operand, role);
        return;
      case 'pair':
        this.add(operand.first, role);
        this.add(operand.second, role);
        return;
      case 'vector':
      case 'list':
        for (const element of operand.elements) this.add(element, role);
        return;
      case 'integer':
      case 'float':
      case 'sink':
        return;
    }
  }
}
