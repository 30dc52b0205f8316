/**
 * The types that can be used in instructions and declarations. The table has one row for each type (sections 5.2.1 to
 * 5.2.5 of PTX ISA 9.1).
 */
import { valueAt } from '../base/element-at.ts';
import { keysOf } from '../base/records.ts';
import type { FormatName } from '../numerics/formats.ts';
import { at, type Availability, type VersionName } from './targets.ts';

/**
 * The class of a type. Registers cannot be declared with an `alternate` type, so values of such a type are kept in
 * bit-size registers. A `packed` type consists of several lanes in another format.
 */
export type TypeClass = 'signed' | 'unsigned' | 'float' | 'bits' | 'predicate' | 'alternate' | 'packed';

/**
 * Where a type name may be used. `variable`: in declarations and instructions. `quirk`: like `variable`, but
 * undocumented, although ptxas accepts it. `instruction`: in instructions, and in declarations of arrays. `element`:
 * only in instructions; in declarations, it is a syntax error.
 */
export type TypeUse = 'variable' | 'quirk' | 'instruction' | 'element';

export interface PtxType {
  readonly name: TypeName;
  /** The index of the type's row in the table. */
  readonly index: number;
  readonly class: TypeClass;
  /**
   * The width in bits of a register that holds a value of this type; for `element` types, the width of the element
   * itself.
   */
  readonly width: number;
  readonly use: TypeUse;
  /** The number format of a lane; null for bit-size types and predicates. */
  readonly format: FormatName | null;
  readonly lanes: number;
  /**
   * The distance in bits from the start of one lane to the start of the next. For fp6 and `.e2m1p4x4`, this distance is
   * 8, although a lane has only 6 or 4 bits.
   */
  readonly laneStride: number;
  /** The first version in which variables can be declared with this type; null if this is possible in every version. */
  readonly since: Availability | null;
  /** Whether arrays can be declared with this type in every version. */
  readonly freeArrays: boolean;
}

type Row = readonly [
  cls: TypeClass,
  width: number,
  use: TypeUse,
  format: FormatName | null,
  lanes?: number,
  since?: readonly [version: VersionName, sm: number, arrays?: 'free'],
];

const rows = {
  '.pred': ['predicate', 1, 'variable', null],
  '.b8': ['bits', 8, 'variable', null],
  '.b16': ['bits', 16, 'variable', null],
  '.b32': ['bits', 32, 'variable', null],
  '.b64': ['bits', 64, 'variable', null],
  '.b128': ['bits', 128, 'variable', null, 1, ['8.3', 70, 'free']],
  '.u8': ['unsigned', 8, 'variable', 'u8'],
  '.u16': ['unsigned', 16, 'variable', 'u16'],
  '.u32': ['unsigned', 32, 'variable', 'u32'],
  '.u64': ['unsigned', 64, 'variable', 'u64'],
  '.s8': ['signed', 8, 'variable', 's8'],
  '.s16': ['signed', 16, 'variable', 's16'],
  '.s32': ['signed', 32, 'variable', 's32'],
  '.s64': ['signed', 64, 'variable', 's64'],
  '.f16': ['float', 16, 'variable', 'f16'],
  '.f16x2': ['packed', 32, 'variable', 'f16', 2, ['4.2', 53]],
  '.f32': ['float', 32, 'variable', 'f32'],
  '.f64': ['float', 64, 'variable', 'f64'],
  '.bf16': ['alternate', 16, 'element', 'bf16'],
  '.bf16x2': ['packed', 32, 'element', 'bf16', 2],
  '.tf32': ['alternate', 32, 'element', 'tf32'],
  '.e4m3': ['alternate', 8, 'instruction', 'e4m3'],
  '.e5m2': ['alternate', 8, 'instruction', 'e5m2'],
  '.e2m3': ['alternate', 6, 'element', 'e2m3'],
  '.e3m2': ['alternate', 6, 'element', 'e3m2'],
  '.e2m1': ['alternate', 4, 'element', 'e2m1'],
  '.ue8m0': ['alternate', 8, 'element', 'ue8m0'],
  '.ue5m3': ['alternate', 8, 'element', 'ue5m3'],
  '.s2f6': ['alternate', 8, 'element', 's2f6'],
  '.e4m3x2': ['packed', 16, 'instruction', 'e4m3', 2],
  '.e5m2x2': ['packed', 16, 'instruction', 'e5m2', 2],
  '.e2m3x2': ['packed', 16, 'instruction', 'e2m3', 2],
  '.e3m2x2': ['packed', 16, 'instruction', 'e3m2', 2],
  '.e2m1x2': ['packed', 8, 'instruction', 'e2m1', 2],
  '.ue8m0x2': ['packed', 16, 'instruction', 'ue8m0', 2],
  '.ue5m3x2': ['packed', 16, 'instruction', 'ue5m3', 2],
  '.s2f6x2': ['packed', 16, 'element', 's2f6', 2],
  '.e4m3x4': ['packed', 32, 'instruction', 'e4m3', 4],
  '.e5m2x4': ['packed', 32, 'instruction', 'e5m2', 4],
  '.e2m3x4': ['packed', 32, 'quirk', 'e2m3', 4],
  '.e3m2x4': ['packed', 32, 'quirk', 'e3m2', 4],
  '.e2m1x4': ['packed', 16, 'quirk', 'e2m1', 4],
  '.e2m1p4x4': ['packed', 32, 'element', 'e2m1', 4],
  '.ue8m0x4': ['packed', 32, 'element', 'ue8m0', 4],
  '.u16x2': ['packed', 32, 'instruction', 'u16', 2],
  '.s16x2': ['packed', 32, 'instruction', 's16', 2],
  '.u8x4': ['packed', 32, 'instruction', 'u8', 4],
  '.s8x4': ['packed', 32, 'instruction', 's8', 4],
  '.f32x2': ['packed', 64, 'instruction', 'f32', 2],
  '.u2': ['unsigned', 2, 'element', 'u2'],
  '.s2': ['signed', 2, 'element', 's2'],
  '.u4': ['unsigned', 4, 'element', 'u4'],
  '.s4': ['signed', 4, 'element', 's4'],
  '.b1': ['bits', 1, 'element', null],
} as const;

rows satisfies Readonly<Record<string, Row>>;

export type TypeName = keyof typeof rows;

function makeType(name: TypeName, index: number): PtxType {
  const [cls, width, use, format, lanes = 1, from]: Row = rows[name];
  const [version, sm, arrays] = from ?? [];
  const since = version === undefined ? null : at(version, sm);
  const freeArrays = arrays === 'free';
  return { name, index, class: cls, width, use, format, lanes, laneStride: width / lanes, since, freeArrays };
}

/** All types by name, including the dot. */
export const types: ReadonlyMap<string, PtxType> = new Map(
  keysOf(rows).map((name, index) => [name, makeType(name, index)]),
);

/** The type with a given name. The name must be in the table. */
export function typeOf(name: TypeName): PtxType {
  return valueAt(types, name);
}

/** The opaque types of textures, samplers and surfaces. A variable of such a type holds a 64-bit handle. */
export const opaqueTypes: ReadonlySet<string> = new Set(['.texref', '.samplerref', '.surfref']);

/** Whether the grammar of ptxas accepts a word as the type of a declaration. */
export function isDeclarable(word: string): boolean {
  const type = types.get(word);
  return opaqueTypes.has(word) || (type !== undefined && type.use !== 'element');
}

export function isTypeName(name: string): name is TypeName {
  return types.has(name);
}

export function isInteger(type: PtxType): boolean {
  return type.class === 'signed' || type.class === 'unsigned';
}
