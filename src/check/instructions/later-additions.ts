/**
 * Instructions of versions of which the table contains only a part. A variant that the table lacks is reported as not
 * checked rather than as wrong, if all its words exist in PTX.
 */
import type { AvailabilityRow } from '../../isa/form.ts';
import { splitMnemonic } from '../../isa/notation.ts';
import { additionTo, isLaterModifier } from '../../isa/opcodes.ts';
import type { Version } from '../../isa/targets.ts';
import { isTypeName, typeOf } from '../../isa/types.ts';
import { isModifier } from './form-match.ts';
import type { Problem } from './problem.ts';
import type { Resolution } from './resolve.ts';

/** The same resolution, unless it refuses a mnemonic that may be one of those that the version added to the opcode. */
export function withAdditions(resolution: Resolution, mnemonic: string, version: Version): Resolution {
  if (resolution.kind !== 'refused') return resolution;
  const { opcode, parts } = splitMnemonic(mnemonic);
  const addition = additionTo(opcode, version);
  if (addition === null || !parts.every(isWord)) return resolution;
  if (addition.packed && !hasPackedTypes(parts)) return resolution;
  return { kind: 'unchecked', opcode, row: rowOf(opcode, addition) };
}

/**
 * The requirements of an instruction with another number of operands than those in the table, if the version added
 * operands to the opcode; null if it did not.
 */
export function additionalOperands(opcode: string, version: Version): AvailabilityRow | null {
  const addition = additionTo(opcode, version);
  return addition?.operands === true ? rowOf(opcode, addition) : null;
}

/** Whether a problem says that the number of operands is wrong. */
export function isOperandCount({ code }: Problem): boolean {
  return code === 'PTX3002';
}

function rowOf(subject: string, { since }: { readonly since: Version }): AvailabilityRow {
  return { subject, ways: [{ since, on: { kind: 'from', sm: 10 } }] };
}

function isWord(part: string): boolean {
  return isTypeName(part) || isModifier(part) || isLaterModifier(part);
}

function hasPackedTypes(parts: readonly string[]): boolean {
  const types = parts.filter(isTypeName).map(typeOf);
  return types.length > 1 || types.some(({ lanes }) => lanes > 1);
}
