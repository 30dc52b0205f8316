/** Opens the tensor files that are specified on the command line. */
import { requireFormat } from '../arrays/names.ts';
import { openTensors as openFiles, type OpenTensors } from '../hosts/node-tensors.ts';
import type { OpenFile } from '../hosts/node-open-file.ts';
import { matchesGlob } from '../base/glob.ts';
import type { ByteSource } from '../tensors/bytes.ts';
import { isNamedForHeader } from '../tensors/containers.ts';
import type { OpenOptions } from '../tensors/open.ts';
import { named, TensorFileError } from '../tensors/tensor-error.ts';
import type { TensorEntry } from '../tensors/tensor-file.ts';
import { UsageError } from './exit.ts';

/** The flags that describe input files; several commands have them. */
export interface TensorFlags {
  /**
   * The format of the elements in a file of raw bytes, or in an .npy file with elements for which numpy has no type
   * code.
   */
  readonly dtype?: string;
  readonly shape?: string;
  readonly only?: readonly string[];
}

export interface TensorInput extends OpenTensors {
  readonly path: string;
  /** Whether `--only` selects a tensor. */
  readonly takes: (name: string) => boolean;
}

/**
 * Opens a file and reads its header; errors are PtxlabErrors whose messages contain the file's path.
 *
 * @param through called with each file after it is opened; returns the file to read instead
 */
export async function openTensors(
  path: string,
  flags: TensorFlags,
  through?: (opened: OpenFile) => OpenFile,
): Promise<TensorInput> {
  if (path === '-') throw new UsageError('tensor files are not read sequentially, so they cannot come from stdin');
  const options = readOptions(path, flags);
  const { only = [] } = flags;
  const takes = (name: string): boolean => only.length === 0 || only.some((glob) => matchesGlob(glob, name));
  try {
    const { file, ...opened } = await openFiles(path, options, through);
    const data = (entry: TensorEntry): ByteSource => namedSource(path, file.data(entry));
    return { path, takes, ...opened, file: { ...file, data } };
  } catch (error) {
    throw named(path, isUnknown(path, error, flags) ? withRawHint(error) : error);
  }
}

/**
 * True if the format of the file could not be recognized. Such a file probably contains raw bytes, for which the user
 * has not specified a format.
 */
function isUnknown(path: string, error: unknown, { shape }: TensorFlags): error is TensorFileError {
  const isOther = error instanceof TensorFileError && error.code === 'not-this-container';
  return isOther && shape === undefined && !hasHeader(path);
}

function withRawHint({ code, message }: TensorFileError): TensorFileError {
  return new TensorFileError(
    code,
    `${message}; if these are raw bytes, give their format: --dtype f32 --shape 1024,1024`,
  );
}

/**
 * Whether the file has a header that describes its contents. If only one of two files has such a header, `--shape`
 * applies only to the other file.
 */
function hasHeader(path: string): boolean {
  return isNamedForHeader(path) || /\.json$/i.test(path);
}

function readOptions(name: string, { dtype, shape }: TensorFlags): OpenOptions {
  return {
    name,
    ...(dtype === undefined ? {} : { dtype: requireFormat(dtype) }),
    ...(shape === undefined || hasHeader(name) ? {} : { shape: readShape(shape), container: 'raw' }),
  };
}

/** `1024,1024` or `1024x1024`. */
function readShape(text: string): readonly number[] {
  const extents = text.split(/[,x\u00d7]/).map((extent) => extent.trim());
  if (extents.every((extent) => /^\d{1,15}$/.test(extent))) return extents.map(Number);
  throw new UsageError(`--shape takes extents such as 1024,1024, not '${text}'`);
}

/** Adds the path of the file to the messages of errors that occur while the source is being read. */
function namedSource(path: string, source: ByteSource): ByteSource {
  return {
    size: source.size,
    async read(offset, into) {
      try {
        await source.read(offset, into);
      } catch (error) {
        throw named(path, error);
      }
    },
  };
}
