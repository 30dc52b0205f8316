/**
 * Everything that a run of the command line uses of its environment, so that another program or a test can run a
 * command, too.
 */
import type { ExitCode } from './exit.ts';

/** Where something is drawn: a terminal or another stream. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export type OutputStream = NodeJS.WritableStream & Screen;

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Session {
  /** The input, in chunks. It is opened when it is first read. */
  readonly stdin: () => AsyncIterable<Buffer>;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Environment;
  /** Prepares the process for a short run that is its only work; absent if the process also does other work. */
  readonly expectShortRun?: () => void;
  /**
   * Runs work that can be stopped by a signal. If the session is interrupted, the work cleans up, and the session then
   * ends in the way that is usual for an interrupted program.
   */
  readonly interruptible: (work: (signal: AbortSignal) => Promise<ExitCode>) => Promise<ExitCode>;
}
