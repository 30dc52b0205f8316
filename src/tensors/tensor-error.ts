import { PtxlabError } from '../base/error.ts';

/**
 * The kinds of errors that can occur when tensor files are read or written. These codes never change, because scripts
 * depend on them.
 *
 * - `truncated`: the file is shorter than its header specifies.
 * - `not-this-container`: the first bytes of the file belong to another kind of file.
 * - `bad-header`: the header breaks the container's rules.
 * - `header-too-large`: the header is not read, because it exceeds the maximum length.
 * - `duplicate-name`: two tensors, or two keys, share a name.
 * - `bad-shape`: an extent is negative, fractional or too large, or the elements do not fill whole bytes or blocks.
 * - `bad-offsets`: data lies outside the file, overlaps, leaves gaps or differs in length from what its shape requires.
 * - `bad-data`: the length or checksum of a zip member differs from the value in the directory.
 * - `bad-scale`: a scale of a block or of a quantized tensor is NaN or infinite.
 * - `unknown-dtype`: an element type that the container does not define, or that ptxlab does not know.
 * - `unsupported`: well-formed, but ptxlab does not read or write it (objects, structures, encrypted zip, …).
 * - `unsafe-path`: a shard's name leads out of the model's folder.
 * - `no-such-tensor`: the file has no tensor with the given name, or the given entry belongs to another file.
 * - `not-found`, `is-a-directory`, `not-a-file`, `no-permission`, `exists`, `disk-full`, `changed` (the file was
 *   modified while it was read), `io`: errors of the operating system.
 */
export type TensorFileCode =
  | 'truncated'
  | 'not-this-container'
  | 'bad-header'
  | 'header-too-large'
  | 'duplicate-name'
  | 'bad-shape'
  | 'bad-offsets'
  | 'bad-scale'
  | 'bad-data'
  | 'unknown-dtype'
  | 'unsupported'
  | 'unsafe-path'
  | 'no-such-tensor'
  | 'not-found'
  | 'is-a-directory'
  | 'not-a-file'
  | 'no-permission'
  | 'exists'
  | 'disk-full'
  | 'changed'
  | 'io';

/** Thrown if a tensor file cannot be read or written as requested. The message is a single readable sentence. */
export class TensorFileError extends PtxlabError {
  declare readonly code: TensorFileCode;

  constructor(code: TensorFileCode, message: string, options?: ErrorOptions) {
    super(code, message, options);
    this.name = 'TensorFileError';
  }
}

/**
 * Formats a name from a file for use in a message. The name is quoted, and it is truncated if it would be longer than a
 * line.
 */
export function quote(name: string): string {
  const text = JSON.stringify(name);
  // The limit applies to the escaped text, because escape sequences can make a short name long.
  return text.length > 82 ? `${text.slice(0, 78)}..."` : text;
}

/** Adds the name of the file to the beginning of a PtxlabError's message; other errors are returned unchanged. */
export function named(file: string | null, error: unknown): unknown {
  if (file === null || !(error instanceof PtxlabError) || error.message.startsWith(file)) return error;
  return new PtxlabError(error.code, `${file}: ${error.message}`, { cause: error });
}
