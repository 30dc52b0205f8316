import { PtxlabError } from '../base/error.ts';

/**
 * The kinds of problems that a tensor file can have. These codes never change, because scripts depend on them.
 *
 * - `truncated`: the file is shorter than its header says.
 * - `not-this-container`: the first bytes are those of another kind of file.
 * - `bad-header`: the header breaks the container's rules.
 * - `header-too-large`: the header is longer than any real one; it is not read.
 * - `duplicate-name`: two tensors, or two keys, share a name.
 * - `bad-shape`: an extent is negative, fractional or too large, or the elements do not fill whole bytes or blocks.
 * - `bad-offsets`: data lies outside the file, overlaps, leaves gaps or differs in length from what its shape requires.
 * - `bad-data`: the length or checksum of a zip member differs from what the directory says.
 * - `bad-scale`: a scale of a block or of a quantized tensor is NaN or infinite.
 * - `unknown-dtype`: an element type that the container, or ptxlab, does not know.
 * - `unsupported`: well-formed, but ptxlab does not read or write it (big-endian, Fortran order, encrypted zip, …).
 * - `unsafe-path`: a shard's name leads out of the model's folder.
 * - `no-such-tensor`: the entry belongs to another file.
 * - `not-found`, `is-a-directory`, `not-a-file`, `no-permission`, `exists`, `disk-full`, `changed` (while it was read),
 *   `io`: the system's errors.
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

/** Formats a name from a file for use in a message: quoted, and truncated if it would be longer than a line. */
export function quote(name: string): string {
  const text = JSON.stringify(name);
  // The escaped text is measured, because escape sequences can make a short name long.
  return text.length > 82 ? `${text.slice(0, 78)}..."` : text;
}

/** Adds the name of the file to the beginning of a PtxlabError's message; other errors are returned unchanged. */
export function named(file: string | null, error: unknown): unknown {
  if (file === null || !(error instanceof PtxlabError) || error.message.startsWith(file)) return error;
  return new PtxlabError(error.code, `${file}: ${error.message}`, { cause: error });
}
