/** Lists the operands of a variant, each with its width in the instruction. */
import type { Variant } from '../isa/form.ts';
import { coordinatesAfterAddress, type OperandPattern, type ValuePattern } from '../isa/operand-patterns.ts';
import { coordinatePatterns, listOf, operandType } from '../isa/variant.ts';
import { vectorLanes } from '../isa/rules.ts';
import { type PtxType, typeOf } from '../isa/types.ts';

/** An operand, or one component of an operand, with its width in the instruction. */
export interface OperandBits {
  readonly name: string;
  readonly role: 'read' | 'write';
  readonly type: PtxType;
}

/** Returns the operands of a variant in instruction order, under the names that its steps use. */
export function operandBits(variant: Variant): readonly OperandBits[] {
  return variant.form.operands.flatMap((pattern) => patternBits(variant, pattern));
}

/**
 * Returns the operands that an operand pattern stands for. A list in braces stands for several operands, and a label
 * for none.
 */
export function patternBits(variant: Variant, pattern: OperandPattern): readonly OperandBits[] {
  const of = (value: ValuePattern, name = value.name): OperandBits => ({
    name,
    role: value.role,
    type: operandType(variant, value.type),
  });
  switch (pattern.kind) {
    case 'value':
      return [of(pattern)];
    case 'vector':
      return pattern.elements.map((element) => of(element));
    case 'registers':
      return listOf(variant, pattern).elements.map((element) => of(element));
    case 'lanes': {
      return Array.from({ length: vectorLanes(variant) }, (_, lane) => of(pattern.value, `${pattern.name}.${lane}`));
    }
    case 'window':
      return [{ name: pattern.name, role: 'read', type: operandType(variant, pattern.type) }];
    case 'coordinates':
      return coordinatePatterns(variant, pattern).map((one) => of(one));
    case 'tensor':
      return [{ name: pattern.name, role: 'read', type: typeOf('.b32') }];
    case 'texture':
      return [
        { name: pattern.name, role: 'read', type: typeOf('.b64') },
        ...(pattern.sampled !== undefined ? [{ name: 'sampler', role: 'read', type: typeOf('.b64') } as const] : []),
        ...patternBits(variant, pattern.coordinates),
      ];
    case 'address':
      return [
        { name: pattern.name, role: 'read', type: typeOf('.b64') },
        ...coordinatesAfterAddress(pattern.coordinates ?? 0).map((one) => of(one)),
      ];
    case 'handle':
    case 'pointer':
      return [{ name: pattern.name, role: 'read', type: typeOf('.b64') }];
    case 'pair':
      return [...patternBits(variant, pattern.first), of(pattern.second)];
    case 'label':
    case 'list':
    case 'callee':
    case 'table':
      return [];
  }
}
