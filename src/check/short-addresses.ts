/** Addresses of fewer bits than those of the module (as measured with ptxas 13.0, which warns of them and then gives up). */
import { type OperandPattern, operandType, type Variant } from '../isa/form.ts';
import { operand, type Problem, problem } from './problem.ts';
import type { Shape } from './shapes.ts';

/** Warnings about addresses that are too short where addresses have 64 bits. */
export function shortAddresses(variant: Variant, shapes: readonly Shape[]): readonly Problem[] {
  return variant.form.operands.flatMap((pattern, i) => {
    const shape = shapes[i];
    const width = shape === undefined ? 64 : addressWidth(variant, pattern, shape);
    return width >= 64 ? [] : [problem('PTX3027', operand(i), { found: String(width) })];
  });
}

/** Bits of the global or generic address that the operand is or has; 64 where it is something else. */
function addressWidth(variant: Variant, pattern: OperandPattern, shape: Shape): number {
  switch (pattern.kind) {
    case 'address': {
      const space = pattern.space ?? variant.modifiers['space'] ?? '.global';
      const base = shape.kind === 'address' ? shape.base : null;
      return space === '.global' && base?.kind === 'register' && pattern.short !== true ? base.type.width : 64;
    }
    case 'window':
      return pattern.space === undefined ? operandType(variant, pattern.type).width : 64;
    case 'value':
      return pattern.address === true && shape.kind === 'variable' && shape.space === '.global' && !shape.offset
        ? operandType(variant, pattern.type).width
        : 64;
    default:
      return 64;
  }
}
