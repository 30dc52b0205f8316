/**
 * The interface between commands and their environment, such as streams and signals. Through this interface, other
 * programs and tests can run a command in an environment that they provide.
 */
import type { ExitCode } from './exit.ts';

/** The properties of an output stream that determine how text is drawn on it. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export type OutputStream = NodeJS.WritableStream & Screen;

export type Environment = Readonly<Record<string, string | undefined>>;

export interface Session {
  /** Returns the input in chunks. The input is not opened until it is read. */
  readonly stdin: () => AsyncIterable<Buffer>;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Environment;
  /**
   * Prepares the process for a short run, for example by delaying the optimization of code. Absent if the process also
   * does other work and may therefore run for longer.
   */
  readonly expectShortRun?: () => void;
  /** Sets the exit code that applies if the reader of the command's output stops reading before the command ends. */
  readonly expectExit?: (exit: ExitCode) => void;
  /**
   * Runs work that can be interrupted through the given signal. When the session is interrupted, the work is told to
   * stop and to clean up. After that, the session ends in the same way as any other interrupted program.
   */
  readonly interruptible: (work: (signal: AbortSignal) => Promise<ExitCode>) => Promise<ExitCode>;
}
