/** Writes the operands of a form in the notation of syntax lines. */
import type { OperandPattern } from '../operand-patterns.ts';

export function operandList(operands: readonly OperandPattern[]): string {
  return operands.map(written).join(', ');
}

function written(operand: OperandPattern): string {
  if (operand.kind === 'tensor') return `[${operand.name}]`;
  if (operand.kind !== 'address') return operand.name;
  return operand.coordinates === undefined ? `[${operand.name}]` : `[${operand.name}, coordinates]`;
}
