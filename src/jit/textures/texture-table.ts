/**
 * A table in memory in which compiled code looks up textures that the launch has already read. An entry contains
 * everything that is needed to read texels of one level. All instructions that find texels in the same way share an
 * entry.
 */
import type { TextureRead } from '../../isa/texture-read.ts';
import { addressModes, type TexelType, type TexelTypeName, texelTypes } from '../../isa/texture-fields.ts';
import type { Axis, LevelTexels } from '../../machine/textures/level-texels.ts';
import { alignTo16 } from '../layout.ts';
import type { MemoryOpcode, PlainOpcode } from '../../wasm/opcodes.ts';

/** Offsets in an entry. */
export const entryFields = {
  /** The handles, which take up 8 bytes each. No texture has the handle 0. */
  texture: 0,
  sampler: 8,
  /** These fields take up 4 bytes each. `way` is a number that identifies how texels are found (see `wayOf`). */
  way: 16,
  address: 20,
  channels: 24,
  /** An index into `channelFormats`, or into `mixedFormats` if texels are mixed. */
  format: 28,
  /** 0 or 1 each. */
  isLinear: 32,
  scales: 36,
  /** For each axis, three 4-byte fields: the size, the stride, and the address mode as an index into `addressModes`. */
  axes: 40,
} as const;

export const axisFields = { size: 0, stride: 4, mode: 8, end: 12 } as const;

export const entryBytes: number = alignTo16(entryFields.axes + 3 * axisFields.end);

/** The number of entries, a power of two. Textures that map to the same entry evict each other. */
export const entryCount = 64;

export const tableBytes: number = entryCount * entryBytes;

/** Handles are about 2^`handleShift` bytes apart. */
export const handleShift = 7;

/** How a channel of a texel is read. */
export interface ChannelFormat {
  readonly type: TexelTypeName;
  readonly bytes: number;
  readonly load: MemoryOpcode;
  /** Extends the loaded bits. */
  readonly extend: PlainOpcode | null;
  /** If integers are read as fractions: the largest integer, and whether integers are signed. Otherwise null. */
  readonly fraction: { readonly greatest: number; readonly isSigned: boolean } | null;
}

const loads = { 1: 'i32.load8_u', 2: 'i32.load16_u', 4: 'i32.load' } as const;
const extensions = { 1: 'i32.extend8_s', 2: 'i32.extend16_s', 4: null } as const;

function formatOf({ name, kind, bytes }: TexelType, isFraction: boolean): ChannelFormat {
  const isSigned = kind === 'signed';
  const greatest = 2 ** (isSigned ? 8 * bytes - 1 : 8 * bytes) - 1;
  return {
    type: name,
    bytes,
    load: loads[bytes],
    extend: isSigned ? extensions[bytes] : null,
    fraction: isFraction ? { greatest, isSigned } : null,
  };
}

/** The formats that compiled code can read. The engine reads all other formats. */
export const channelFormats: readonly ChannelFormat[] = texelTypes
  .filter(({ name }) => name !== 'f16')
  .flatMap((texel) => (texel.bytes === 4 ? [false] : [false, true]).map((isFraction) => formatOf(texel, isFraction)));

/** The formats whose texels compiled code can mix. */
export const mixedFormats: readonly ChannelFormat[] = channelFormats.filter(
  ({ type, fraction }) => type === 'f32' || fraction !== null,
);

/** A number that identifies how an instruction finds texels; null if compiled code cannot find texels in this way. */
export function wayOf({ geometry, isFloat, level, hasOffset, gathers, narrows }: TextureRead): number | null {
  const { dimensions, isArray, isCube } = geometry;
  const isPlain = level === 'finest' && !hasOffset && gathers === null && !narrows && !isArray && !isCube;
  return isPlain ? 2 * dimensions + Number(isFloat) : null;
}

/** The key with which an instruction looks up a texture in the table. */
export interface EntryKey {
  readonly way: number;
  readonly texture: number;
  readonly sampler: number;
}

/** The offset of a texture's entry in the table. */
export function entryOffset({ way, texture }: EntryKey): number {
  return (((texture >>> handleShift) + way) % entryCount) * entryBytes;
}

export function isEntryOf(entry: DataView, { way, texture, sampler }: EntryKey): boolean {
  const handleAt = (at: number): number => Number(entry.getBigUint64(at, true));
  return (
    entry.getUint32(entryFields.way, true) === way &&
    handleAt(entryFields.texture) === texture &&
    handleAt(entryFields.sampler) === sampler
  );
}

/** Writes an entry, unless compiled code cannot read the texels. */
export function writeEntry(entry: DataView, { way, texture, sampler }: EntryKey, found: LevelTexels): void {
  const { texel, isFraction, axes } = found;
  const format = (found.isLinear ? mixedFormats : channelFormats).findIndex(
    ({ type, fraction }) => type === texel.name && (fraction !== null) === isFraction,
  );
  if (format < 0) return;
  entry.setBigUint64(entryFields.texture, BigInt(texture), true);
  entry.setBigUint64(entryFields.sampler, BigInt(sampler), true);
  const word = (at: number, value: number): void => entry.setUint32(at, value, true);
  word(entryFields.way, way);
  word(entryFields.address, found.address);
  word(entryFields.channels, found.channels);
  word(entryFields.format, format);
  word(entryFields.isLinear, Number(found.isLinear));
  word(entryFields.scales, Number(found.scales));
  axes.forEach((axis, i) => writeAxis(word, entryFields.axes + i * axisFields.end, axis));
}

function writeAxis(word: (at: number, value: number) => void, start: number, { size, stride, mode }: Axis): void {
  word(start + axisFields.size, size);
  word(start + axisFields.stride, stride);
  word(start + axisFields.mode, addressModes.indexOf(mode));
}
