/** What a process ends with: 0 clean, 1 findings, 2 wrong usage, input that cannot be read, or a fault of ptxlab. */
export type ExitCode = 0 | 1 | 2;

/** A mistake on the command line or in what it names: one line to stderr, exit 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The worst of two exits. */
export function worse(a: ExitCode, b: ExitCode): ExitCode {
  return a > b ? a : b;
}
