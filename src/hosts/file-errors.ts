/** Turns system errors about files into messages with uniform wording: `PATH: no such file`. */
import { TensorFileError, type TensorFileCode } from '../tensors/tensor-error.ts';

const systemErrors: Readonly<Record<string, readonly [TensorFileCode, string]>> = {
  ENOENT: ['not-found', 'no such file'],
  ENOTDIR: ['not-found', 'no such file'],
  EISDIR: ['is-a-directory', 'is a directory, not a file'],
  EACCES: ['no-permission', 'permission denied'],
  EPERM: ['no-permission', 'permission denied'],
  EROFS: ['no-permission', 'is on a read-only disk'],
  EEXIST: ['exists', 'already exists'],
  ENOSPC: ['disk-full', 'does not fit on the disk'],
  EFBIG: ['disk-full', 'exceeds the file size limit'],
  EDQUOT: ['disk-full', 'exceeds the disk quota'],
  ELOOP: ['not-a-file', 'a symbolic link that cannot be followed'],
  ENAMETOOLONG: ['io', 'the name is too long'],
  // Node throws an error with this code for a name that contains a NUL character.
  ERR_INVALID_ARG_VALUE: ['io', 'not a file name'],
};

/** Returns the code of a failed system call, such as `ENOENT`; null for any other error. */
export function systemCode(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}

/** Returns the code and the wording for an error; null if the error is not in the table. */
function known(error: unknown): readonly [TensorFileCode, string] | null {
  return systemErrors[systemCode(error) ?? ''] ?? null;
}

/** Explains why a file could not be read or written. */
export function fileTrouble(error: unknown): string {
  return known(error)?.[1] ?? (error instanceof Error ? error.message : String(error));
}

export function fileError(code: TensorFileCode, path: string, reason: string, cause?: Error): TensorFileError {
  return new TensorFileError(code, `${path === '' ? "''" : path}: ${reason}`, cause === undefined ? {} : { cause });
}

/**
 * Turns the error of a failed file operation into a TensorFileError that names the file. If `error` is already a
 * TensorFileError, or is not an Error at all, it is returned unchanged.
 */
export function hostError(path: string, error: unknown): unknown {
  if (error instanceof TensorFileError || !(error instanceof Error)) return error;
  return fileError(known(error)?.[0] ?? 'io', path, fileTrouble(error), error);
}

/**
 * Runs a file operation. If the operation fails because the disk is full, the error names `made`, which is the output
 * file; if it fails for any other reason, the error names `path`.
 */
export async function withFileErrors<T>(path: string, action: () => Promise<T>, made: string = path): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw hostError(known(error)?.[0] === 'disk-full' ? made : path, error);
  }
}
