/** Warnings about operands that ptxas accepts nevertheless (as measured with ptxas 13.0). */
import { type OperandPattern, operandType, type Variant } from '../../isa/form.ts';
import { operand, type Problem, problem } from './problem.ts';
import type { Shape } from './shape.ts';

/** Warnings about the operands of an instruction in a module with this address size. */
export function warningsOn(variant: Variant, shapes: readonly Shape[], addressSize: 32 | 64): readonly Problem[] {
  return [...(addressSize === 64 ? shortAddresses(variant, shapes) : []), ...sums(shapes)];
}

function sums(shapes: readonly Shape[]): readonly Problem[] {
  return shapes.flatMap((shape, i) => (shape.kind === 'register-offset' ? [problem('PTX3028', operand(i), {})] : []));
}

/** Applies if addresses are 64 bits wide; ptxas warns about shorter ones and then gives up. */
function shortAddresses(variant: Variant, shapes: readonly Shape[]): readonly Problem[] {
  return variant.form.operands.flatMap((pattern, i) => {
    const shape = shapes[i];
    const width = shape === undefined ? 64 : addressWidth(variant, pattern, shape);
    return width >= 64 ? [] : [problem('PTX3027', operand(i), { found: String(width) })];
  });
}

/** Width in bits of the global or generic address in the operand; 64 for anything else. */
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
