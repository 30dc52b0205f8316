/** `ptxlab run`: a kernel on the CPU. */
import { type ExitCode, UsageError } from './exit.ts';
import type { CommonFlags } from './options.ts';

export interface RunFlags extends CommonFlags {
  readonly entry?: string;
  readonly grid?: string;
  readonly block?: string;
  readonly shared?: string;
  readonly arg: readonly string[];
  readonly out: readonly string[];
  readonly target?: string;
  readonly engine?: 'jit' | 'interp';
  readonly workers?: string;
  readonly unchecked?: boolean;
  readonly job?: string;
  readonly timeout?: string;
  readonly budget?: string;
}

export function runCommand(_file: string | undefined, _flags: RunFlags): Promise<ExitCode> {
  throw new UsageError('run is not part of this build');
}
