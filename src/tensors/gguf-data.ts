/** How the data of a GGUF file lies behind its header. */
import type { GgufField } from './gguf-fields.ts';
import type { GgufType } from './gguf-types.ts';
import { bytesOf, elementsOf } from './sizes.ts';
import { TensorFileError } from './tensor-error.ts';

/** What `general.alignment` says, 32 without it. */
export function alignmentOf(fields: readonly GgufField[]): number {
  const value = fields.find(({ key }) => key === 'general.alignment')?.value ?? 32;
  if (typeof value !== 'number' || !Number.isInteger(Math.log2(value)) || value > 2 ** 31)
    throw new TensorFileError('bad-header', 'general.alignment is not a power of two');
  return value;
}

export function aligned(offset: number, alignment: number): number {
  return Math.ceil(offset / alignment) * alignment;
}

/** Bytes of a tensor; blocks lie along the last extent. Throws `bad-shape` if they do not fill it. */
export function ggufBytes(type: GgufType, shape: readonly number[], name: string): number {
  bytesOf(shape.at(-1) ?? 1, type.blockElements, type.blockBytes, name);
  return bytesOf(elementsOf(shape, name), type.blockElements, type.blockBytes, name);
}
