/**
 * Warns about accesses to a variable by its name that extend beyond the variable. Sizes and offsets are not part of a
 * shape, so they are checked for every instruction.
 */
import { diagnose } from '../../diagnostics/diagnostic.ts';
import type { Variant } from '../../isa/form.ts';
import type { OperandPattern } from '../../isa/operand-patterns.ts';
import { vectorLanes } from '../../isa/rules.ts';
import type { Instruction } from '../../syntax/tree.ts';
import { sizeOf } from '../declarations/sizes.ts';
import type { Report } from '../report.ts';
import type { Shape } from './shape.ts';
import type { Scope, VariableSymbol } from '../symbols.ts';

type AddressPattern = Extract<OperandPattern, { readonly kind: 'address' }>;

/** True if the instruction accesses a variable by its name. */
export function accessesName({ form }: Variant, shapes: readonly Shape[]): boolean {
  return form.operands.some((pattern, i) => {
    const shape = shapes[i];
    return isTyped(pattern) && shape?.kind === 'address' && shape.base?.kind === 'variable';
  });
}

function isTyped(pattern: OperandPattern): pattern is AddressPattern {
  return pattern.kind === 'address' && pattern.typed === true;
}

/** Reports accesses that are not entirely within the variable that they refer to. */
export function checkExtents(
  node: Instruction,
  { opcode, variant }: { readonly opcode: string; readonly variant: Variant },
  scope: Scope,
  report: Report,
): void {
  const bytes = accessBytes(variant);
  variant.form.operands.forEach((pattern, i) => {
    const operand = node.operands[i];
    if (!isTyped(pattern) || operand?.kind !== 'address' || operand.base?.kind !== 'name') return;
    const symbol = scope.lookup(operand.base.name);
    if (symbol?.kind !== 'variable') return;
    const size = knownSize(symbol);
    if (size === null) return;
    const [start, end] = [operand.offset, operand.offset + BigInt(bytes)];
    if (start >= 0n && end <= BigInt(size)) return;
    const verb = pattern.access === 'load' ? 'reads' : 'writes';
    const access = variant.types[0]?.name ?? '';
    const parameters = { what: opcode + access, verb, name: symbol.name, type: symbol.type.name, access };
    const range = { from: String(start), to: String(end - 1n), size: String(size) };
    report(diagnose('PTX3033', operand, { ...parameters, ...range }));
  });
}

function accessBytes(variant: Variant): number {
  return (vectorLanes(variant) * (variant.types[0]?.width ?? 0)) / 8;
}

/** Size in bytes; null if another module or the launch determines it. */
function knownSize({ linkage, variable }: VariableSymbol): number | null {
  const size = linkage === '.extern' || linkage === '.common' ? 0 : sizeOf(variable);
  return size === 0 ? null : size;
}
