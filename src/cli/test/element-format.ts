/** The formats in which results are compared. */
import { viewOf } from '../../base/byte-view.ts';
import type { Bits } from '../../base/bits.ts';
import { type FormatName, formats, isFormatName } from '../../numerics/formats.ts';
import type { NpyType } from '../../tensors/npy/npy.ts';
import { UsageError } from '../exit.ts';

/**
 * The format with this name. It is a scalar type such as `f32` or `b32`, or a format such as `bf16` or `e4m3`. Its
 * elements must consist of whole bytes.
 */
export function formatOfType(type: string): FormatName {
  const name = type.startsWith('b') && /^b\d+$/.test(type) ? `u${type.slice(1)}` : type;
  if (isFormatName(name) && formats[name].width % 8 === 0) return name;
  throw new UsageError(`'${type}' is not an element type; choose one such as f32, f16, bf16, e4m3, s32 or u8`);
}

/** The format that corresponds to a numpy type. */
export function formatOfNpy(type: NpyType): FormatName {
  return formatOfType(
    type === 'b1' ? 'u8' : type.replace('i', 's').replace(/\d/, (bytes) => String(8 * Number(bytes))),
  );
}

/**
 * The numpy type that corresponds to a format. If numpy does not have the format, its elements are stored as unsigned
 * integers.
 */
export function npyOfFormat(format: FormatName): NpyType {
  const { width, kind, signed } = formats[format];
  const known: Readonly<Record<string, NpyType>> = { f16: 'f2', f32: 'f4', f64: 'f8' };
  const found = known[format];
  if (found !== undefined) return found;
  const isSigned = kind === 'integer' && signed;
  switch (width) {
    case 16:
      return isSigned ? 'i2' : 'u2';
    case 32:
      return isSigned ? 'i4' : 'u4';
    case 64:
      return isSigned ? 'i8' : 'u8';
    default:
      return isSigned ? 'i1' : 'u1';
  }
}

/** Number of bytes of one element. */
export function bytesOfFormat(format: FormatName): number {
  return formats[format].width / 8;
}

/** Returns a function that reads the bits of the element with a given index. */
export function elementReader(bytes: Uint8Array, format: FormatName): (index: number) => Bits {
  const view = viewOf(bytes);
  switch (bytesOfFormat(format)) {
    case 1:
      return (i) => view.getUint8(i);
    case 2:
      return (i) => view.getUint16(2 * i, true);
    case 4:
      return (i) => view.getUint32(4 * i, true);
    default:
      return (i) => view.getBigUint64(8 * i, true);
  }
}
