/** Exit codes of the process: 0 clean, 1 findings, 2 wrong usage, unreadable input, or an internal error of ptxlab. */
export type ExitCode = 0 | 1 | 2;

/**
 * A mistake on the command line, or in a file that the command line refers to. It is reported as one line on stderr,
 * and the exit code is 2.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Returns the more severe of two exit codes. */
export function worse(a: ExitCode, b: ExitCode): ExitCode {
  return a > b ? a : b;
}
