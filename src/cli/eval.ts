import { type ExitCode, UsageError } from './exit.ts';
import type { JudgeFlags } from './options.ts';
export interface EvalFlags extends JudgeFlags {
  readonly explain?: boolean;
  readonly json?: boolean;
  readonly batch?: boolean;
}
export function evalCommand(_i: string | undefined, _o: readonly string[], _flags: EvalFlags): Promise<ExitCode> {
  throw new UsageError('soon');
}
