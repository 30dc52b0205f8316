/** Opens a tensor file of any container. */
import { type ByteSource, readBytes } from './bytes.ts';
import { npyMagic } from './npy-header.ts';
import { openNpy } from './npy-file.ts';
import { openRaw } from './raw.ts';
import { openSafetensors } from './safetensors.ts';
import { isIndexName, openShards } from './safetensors-shards.ts';
import { TensorFileError } from './tensor-error.ts';
import type { Container, TensorFile } from './tensor-file.ts';

export interface OpenOptions {
  /** The file's name or path. Its ending decides where the first bytes do not. */
  readonly name?: string;
  /** Says the container instead of letting it be found out; `raw` is never found out. */
  readonly container?: Container;
  /** For `raw`, and for elements of an .npy that numpy has no code for (`V1`, `V2`): what they are, a format's name. */
  readonly dtype?: string;
  /** For `raw`: the extents. */
  readonly shape?: readonly number[];
  /** For `raw`: how elements of less than 8 bits lie; `dense` if not given. */
  readonly packing?: 'whole' | 'dense';
  /** Opens a file beside this one: the shards of `model.safetensors.index.json`. */
  readonly openBeside?: (name: string) => Promise<ByteSource>;
}

/**
 * Reads the header of a tensor file. Throws TensorFileError if it is not well-formed; the file's data is not looked at.
 * The sources stay the caller's to close. The libraries behind .npz and GGUF are loaded only for these. An .npy's tensor is called like the file, without folder and ending.
 */
export async function openTensorFile(source: ByteSource, options: OpenOptions = {}): Promise<TensorFile> {
  if (options.container === undefined && isIndexName(options.name ?? '')) return openIndex(source, options);
  const kind = options.container ?? (await kindOf(source, options.name ?? ''));
  switch (kind) {
    case 'safetensors':
      return (await isIndex(source)) ? openIndex(source, options) : openSafetensors(source);
    case 'npy':
      return openNpy(source, tensorName(options.name), options.dtype);
    case 'npz':
      return (await import('./npz.ts')).openNpz(source, options.dtype);
    case 'gguf':
      return (await import('./gguf.ts')).openGguf(source);
    case 'raw':
      return openRawAs(source, options);
  }
}

/** By the first bytes; a safetensors file has no signature, but its header begins with a brace behind eight bytes. */
async function kindOf(source: ByteSource, name: string): Promise<Container> {
  const start = await readBytes(source, 0, Math.min(source.size, 9));
  const begins = (...signature: readonly number[]): boolean => signature.every((byte, i) => start[i] === byte);
  if (begins(...npyMagic)) return 'npy';
  if (begins(0x47, 0x47, 0x55, 0x46)) return 'gguf';
  if (begins(0x50, 0x4b)) return 'npz';
  if (start[8] === 0x7b || begins(0x7b)) return 'safetensors';
  const ending = /\.(safetensors|npy|npz|gguf)$/i.exec(name)?.[1]?.toLowerCase();
  if (ending !== undefined) return ending as Container;
  throw new TensorFileError('not-this-container', 'not a safetensors, .npy, .npz or GGUF file');
}

/** A header's length of 0x7b… bytes would be too much, so a file that begins with a brace is an index. */
async function isIndex(source: ByteSource): Promise<boolean> {
  const start = await readBytes(source, 0, Math.min(source.size, 8));
  return start[0] === 0x7b && start.slice(4).some((byte) => byte !== 0);
}

function openIndex(source: ByteSource, { openBeside }: OpenOptions): Promise<TensorFile> {
  if (openBeside === undefined)
    throw new TensorFileError('unsupported', 'the index of a model is of no use without the files beside it');
  return openShards(source, openBeside);
}

function openRawAs(source: ByteSource, { name, dtype, shape, packing }: OpenOptions): TensorFile {
  if (dtype === undefined || shape === undefined)
    throw new TensorFileError('unknown-dtype', 'of a file without header, dtype and shape must be given');
  return openRaw(source, { name: tensorName(name), dtype, shape, ...(packing && { packing }) });
}

function tensorName(path = 'tensor'): string {
  return path.replace(/^.*[/\\]/s, '').replace(/\.(npy|raw|bin)$/i, '');
}
