/** Warnings about questionable operands that ptxas nevertheless accepts (as measured with ptxas 13.0). */
import type { Variant } from '../../isa/form.ts';
import type { OperandPattern } from '../../isa/operand-patterns.ts';
import { opcodeIn } from '../../isa/notation.ts';
import { operandType } from '../../isa/variant.ts';
import { includesTarget } from '../../isa/targets.ts';
import { type ModuleEnvironment, shortAddressTargets } from '../availability.ts';
import { operand, type Problem, problem, wideConstant } from './problem.ts';
import { holdsAddress, holdsInteger } from './match-address.ts';
import type { Shape } from './shape.ts';

/** Warnings about the operands of an instruction in a module. */
export function warningsOn(
  variant: Variant,
  shapes: readonly Shape[],
  environment: ModuleEnvironment,
): readonly Problem[] {
  return [
    ...shortAddresses(variant, shapes, environment),
    ...oddRegisters(variant, shapes),
    ...sums(shapes),
    ...halfFilled(variant, shapes),
  ];
}

/** Warns about bracketed registers that ptxas accepts although their type cannot hold an address or a coordinate. */
function oddRegisters(variant: Variant, shapes: readonly Shape[]): readonly Problem[] {
  return variant.form.operands.flatMap((pattern, i) => {
    const shape = shapes[i];
    if (pattern.kind !== 'address' || shape?.kind !== 'address') return [];
    const { base, rest } = shape;
    const coordinates = rest.flatMap((list) => (list.kind === 'vector' ? list.elements : []));
    return [
      ...(base?.kind === 'register' && !holdsAddress(base.type)
        ? [problem('PTX3029', operand(i), { what: 'an address', width: '32-bit or 64-bit', found: base.type.name })]
        : []),
      ...coordinates.flatMap((one) =>
        one.kind === 'register' && !holdsInteger(one.type)
          ? [problem('PTX3029', operand(i), { what: 'a coordinate', width: '32-bit', found: one.type.name })]
          : [],
      ),
    ];
  });
}

function sums(shapes: readonly Shape[]): readonly Problem[] {
  return shapes.flatMap((shape, i) => (shape.kind === 'register-offset' ? [problem('PTX3028', operand(i), {})] : []));
}

/** Warns about `0f` constants in 64-bit operands. */
function halfFilled(variant: Variant, shapes: readonly Shape[]): readonly Problem[] {
  return variant.form.operands.flatMap((pattern, i) => {
    const shape = shapes[i];
    if (pattern.kind !== 'value' || shape?.kind !== 'constant' || shape.constant !== '0f') return [];
    const type = operandType(variant, pattern.type);
    return type.width === 64 ? [problem('PTX3031', operand(i), { type: type.name }, { help: wideConstant })] : [];
  });
}

/**
 * If a module with 64-bit addresses uses a 32-bit address, ptxas warns about it and then stops with an error. If the
 * module does not declare the address size, ptxas infers an address size of 32 bits from the first 32-bit address.
 */
function shortAddresses(
  variant: Variant,
  shapes: readonly Shape[],
  { addressSize, declaresAddressSize, target }: ModuleEnvironment,
): readonly Problem[] {
  if (declaresAddressSize ? addressSize === 32 : includesTarget(shortAddressTargets, target)) return [];
  return variant.form.operands.flatMap((pattern, i) => {
    const shape = shapes[i];
    const width = shape === undefined ? 64 : addressWidth(variant, pattern, shape);
    if (width >= 64) return [];
    const found = String(width);
    // Such an address is usually a shared-memory address.
    const lacksSpace = pattern.kind === 'address' && variant.modifiers['space'] === undefined;
    const shared = `${opcodeIn(variant.mnemonic)}.shared`;
    const help = lacksSpace ? `for an address in shared memory, write ${shared}; ptxas ends with an error here` : null;
    return [
      declaresAddressSize
        ? problem('PTX3027', operand(i), { found }, { help })
        : problem('PTX3030', operand(i), { found, target: target.name }),
    ];
  });
}

/** Width in bits of the global or generic address in the operand; 64 for anything else. */
function addressWidth(variant: Variant, pattern: OperandPattern, shape: Shape): number {
  switch (pattern.kind) {
    case 'address': {
      const written = variant.modifiers['space'];
      const base = shape.kind === 'address' ? shape.base : null;
      const isFar = pattern.sized === true && (written === undefined || written === '.global');
      return isFar && base?.kind === 'register' && base.type.width === 32 ? 32 : 64;
    }
    case 'window':
      return pattern.space === undefined ? operandType(variant, pattern.type).width : 64;
    case 'value':
      return pattern.address === true && isGlobalAddress(shape) ? operandType(variant, pattern.type).width : 64;
    default:
      return 64;
  }
}

/** ptxas warns about `name` and `name[1]`, but not about `name+4`. */
function isGlobalAddress(shape: Shape): boolean {
  return shape.kind === 'variable' && shape.space === '.global' && (!shape.offset || shape.subscript);
}
