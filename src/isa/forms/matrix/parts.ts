/**
 * Parts that the forms of matrix instructions have in common: lists of registers, and fields of the rows from which the
 * forms are made.
 */
import type { AvailabilityRow } from '../../conditions.ts';
import type { InstructionForm } from '../../form.ts';
import { type OperandPattern, read, write } from '../../operand-patterns.ts';
import type { Constraint } from '../../conditions.ts';
import type { Sparsity } from '../../matrix-product.ts';
import { at, type Availability } from '../../targets.ts';
import { needsModifier } from '../availability-rows.ts';
import type { Ref } from '../../steps/ref.ts';
import type { TypeName } from '../../types.ts';

export type ListType = 'f32' | 'f32 or constants' | 'f16' | 's32' | 'bits' | 'any' | 'f64' | 'any double';

/**
 * For each kind of list, the register types that its members may have. A bit-size type is always allowed. A list that
 * consists only of decimal constants is allowed as `f32 or constants`, but not as `f32`, because decimal constants have
 * the type f64.
 */
export const listTypes: Readonly<Record<ListType, readonly TypeName[]>> = {
  f32: ['.b32', '.f32'],
  'f32 or constants': ['.b32', '.f32'],
  f16: ['.b32', '.f16x2'],
  s32: ['.b32', '.u32', '.s32'],
  bits: ['.b32'],
  any: ['.b32', '.u32', '.s32', '.f16x2', '.f32'],
  f64: ['.b64', '.f64'],
  'any double': ['.b64', '.u64', '.s64', '.f64'],
};

/** `{a.0, a.1, …}`: the registers of a fragment. */
export function registerList(name: string, role: 'read' | 'write', count: number, type: ListType): OperandPattern {
  const element = type.includes('64') || type.includes('double') ? '.b64' : '.b32';
  const make = role === 'read' ? read : write;
  const elements = Array.from({ length: count }, (_, i) =>
    make(`${name}.${i}`, element, role === 'write' ? { sink: true } : { special: true }),
  );
  const isUntyped = role === 'read' && (type === 'f32' || type === 'any');
  return { kind: 'vector', name, elements, types: listTypes[type], ...(isUntyped ? { untyped: true } : {}) };
}

/** The registers of A or B, or the registers of a matrix that an instruction stores to memory. */
export function factorList(name: string, count: number, type: ListType): OperandPattern {
  const list = registerList(name, 'read', count, type);
  const isNarrow = type !== 'f64' && type !== 'any double';
  return list.kind === 'vector' && isNarrow ? { ...list, untyped: true } : list;
}

/** The names of the registers in a list, such as `$a.0`, `$a.1` and so on. */
export function refsOf(name: string, count: number): readonly Ref[] {
  return Array.from({ length: count }, (_, i): Ref => `$${name}.${i}`);
}

/** One row of a table of matrix instructions. */
export interface Line {
  readonly id: string;
  readonly section: string;
  readonly syntax: string;
  readonly summary: string;
  readonly subject: string;
  readonly ways: readonly Availability[];
  readonly rows?: readonly AvailabilityRow[];
  readonly sets?: InstructionForm['sets'];
  readonly constraints?: readonly Constraint[];
  readonly operands: readonly OperandPattern[];
  readonly steps: InstructionForm['steps'];
}

export function matrixForm({ ways, subject, rows = [], sets, constraints, ...line }: Line): InstructionForm {
  return {
    ...line,
    regime: 'exact',
    availability: [{ subject, ways }, ...rows],
    ...(sets === undefined ? {} : { sets }),
    ...(constraints === undefined ? {} : { constraints }),
  };
}

export const sharedRow: AvailabilityRow = needsModifier('.shared::cta', at('7.8', 30));

/**
 * The sets of layouts that the syntax line of a form refers to. In an instruction, the layout of A is written before
 * that of B.
 */
export const layouts: Readonly<Record<'alayout' | 'blayout', readonly string[]>> = {
  alayout: ['.row', '.col'],
  blayout: ['.row', '.col'],
};

/** A must be stored by rows and B by columns. */
export const rowColumn: readonly Constraint[] = [
  { kind: 'axis-goes-with', axis: 'blayout', other: 'alayout', values: ['.row'] },
  { kind: 'axis-goes-with', axis: 'alayout', other: 'blayout', values: ['.col'] },
];

/** The types that the elements of C and D can have. */
export type SumType = '.f16' | '.f32' | '.s32' | '.f64';

/** The kinds of register lists that C (source) and D (result) can have, by the type of their elements. */
export const sumLists: Readonly<Record<SumType, readonly [source: ListType, result: ListType]>> = {
  '.f16': ['f16', 'f16'],
  '.f32': ['f32', 'f32'],
  '.s32': ['s32', 's32'],
  '.f64': ['any double', 'f64'],
};

/** The register lists of C if A and B are floats of at most 8 bits. */
export const smallFloatSums: Readonly<Record<'.f16' | '.f32', ListType>> = {
  '.f16': 'f16',
  '.f32': 'f32 or constants',
};

/** Sparsity for 16-bit elements: each lane holds the metadata of 16 columns. */
export const halfSparsity = (lanes: 1 | 2): Sparsity => ({ unit: 1, rowBits: 16, lanes });
/**
 * Sparsity for 32-bit elements, where one of every two elements is kept: each lane holds the metadata of eight columns.
 */
export const wordSparsity = (lanes: 1 | 2): Sparsity => ({ unit: 0.5, rowBits: 16, lanes });
/** Sparsity for one-byte elements: each pair of lanes holds the metadata of 32 columns. */
export const byteSparsity = (lanes: 2 | 4): Sparsity => ({ unit: 1, rowBits: 32, lanes });
/**
 * Sparsity for 4-bit elements, which are kept or omitted in pairs: each pair of lanes holds the metadata of 64 columns.
 */
export const nibbleSparsity = (lanes: 2 | 4): Sparsity => ({ unit: 2, rowBits: 32, lanes });

/**
 * The metadata operands: a register that holds the indices, and a constant that selects the lanes whose registers
 * provide the metadata.
 */
export function metadataOperands(sparsity: Sparsity): readonly OperandPattern[] {
  return [registerOperand('e'), selectorOperand('f', sparsity)];
}

/** A 32-bit register that may be in braces. The ISA shows no braces, but CUTLASS writes scale factors in braces. */
export function registerOperand(name: string): OperandPattern {
  return { kind: 'lanes', name, value: read(name, '.b32', { registerOnly: true }), braced: true };
}

/** The constant that selects the lanes whose registers provide the metadata. */
export function selectorOperand(name: string, { lanes }: Sparsity): OperandPattern {
  return read(name, '.u32', { constantOnly: true, range: [0, 4 / lanes - 1] });
}

/** The size in bits of an element of C or D. */
export function bitsOfSum(type: SumType): number {
  return type === '.f16' ? 16 : type === '.f64' ? 64 : 32;
}

export const bytesOfFloats: readonly TypeName[] = ['.e4m3', '.e5m2'];
export const smallFloats: readonly TypeName[] = [...bytesOfFloats, '.e3m2', '.e2m3', '.e2m1'];

/** The kinds of matrix products. Products of fp8 types accept every kind, and the kind does not affect their result. */
export const kinds = ['.kind::f8f6f4', '.kind::mxf8f6f4', '.kind::mxf4', '.kind::mxf4nvf4'] as const;
