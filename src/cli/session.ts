/** What one run of the command line reads, writes and heeds, so that another program or a test can run a command too. */
import type { ExitCode } from './exit.ts';

/** Where a drawing ends up: a terminal or something else. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export type OutputStream = NodeJS.WritableStream & Screen;

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Session {
  /** Data, in chunks; opened by the first read. */
  readonly stdin: () => AsyncIterable<Buffer>;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Environment;
  /**
   * Runs work that checks a signal. If the session is interrupted, the work cleans up, and the session then ends as an
   * interrupted one does.
   */
  readonly interruptible: (work: (signal: AbortSignal) => Promise<ExitCode>) => Promise<ExitCode>;
}
