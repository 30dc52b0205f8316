/** The layout of the data after the header of a GGUF file. */
import type { GgufField } from './fields.ts';
import type { GgufType } from './types.ts';
import { bytesOf, elementsOf } from '../sizes.ts';
import { TensorFileError } from '../tensor-error.ts';

/** The value of the metadata field `general.alignment`, or 32 if the file does not have this field. */
export function alignmentOf(fields: readonly GgufField[]): number {
  const value = fields.find(({ key }) => key === 'general.alignment')?.value ?? 32;
  if (typeof value !== 'number' || !Number.isInteger(Math.log2(value)) || value > 2 ** 31)
    throw new TensorFileError('bad-header', 'general.alignment is not a power of two');
  return value;
}

/**
 * Number of bytes in a tensor. A block consists of consecutive elements along the last axis. Throws `bad-shape` if the
 * elements do not fill whole blocks.
 */
export function ggufBytes(type: GgufType, shape: readonly number[], name: string): number {
  bytesOf(shape.at(-1) ?? 1, type.blockElements, type.blockBytes, name);
  return bytesOf(elementsOf(shape, name), type.blockElements, type.blockBytes, name);
}
