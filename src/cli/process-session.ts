/** The session of this process: its streams, environment variables and signals. */
import { fstatSync } from 'node:fs';
import { optimizeLater } from '../hosts/node-tiers.ts';
import type { ExitCode } from './exit.ts';
import type { Session } from './session.ts';

export const processSession: Session = {
  stdin: openStdin,
  // Streams are opened only when they are used, because opening one takes a millisecond.
  get stdout() {
    return process.stdout;
  },
  get stderr() {
    return process.stderr;
  },
  env: process.env,
  expectShortRun: optimizeLater,
  expectExit: (exit) => {
    process.exitCode = exit;
  },
  interruptible,
};

/** If stdin is a directory, Node reads it as empty, without an error. */
function openStdin(): NodeJS.ReadStream {
  if (fstatSync(0).isDirectory()) throw Object.assign(new Error('is a directory'), { code: 'EISDIR' });
  return process.stdin;
}

/**
 * Signals that ask a process to end. If one of them ends the process, a shell reports exit code 130, 143 or 129,
 * respectively.
 */
const askingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs work, and lets it clean up if the user presses Ctrl-C, the terminal is closed, or the process is asked to
 * terminate. After the cleanup, the process ends itself by sending itself the same signal again.
 */
async function interruptible(work: (signal: AbortSignal) => Promise<ExitCode>): Promise<ExitCode> {
  const stop = new AbortController();
  let asked: NodeJS.Signals | null = null;
  const interrupt = (name: NodeJS.Signals): void => {
    asked ??= name;
    stop.abort();
  };
  for (const name of askingSignals) process.once(name, interrupt);
  let exit: ExitCode;
  try {
    exit = await work(stop.signal);
  } finally {
    for (const name of askingSignals) process.off(name, interrupt);
  }
  if (asked === null) return exit;
  process.removeAllListeners(asked);
  process.kill(process.pid, asked);
  return 2;
}

/**
 * If the program that reads the output closes the pipe, as `head` does, the process ends silently, with the exit code
 * determined so far. If writing fails for any other reason, such as a full disk, the failure is reported on stderr and
 * the process exits with 2.
 */
export function guardOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
    process.stderr.write(`ptxlab: cannot write the output: ${error.code ?? error.message}\n`);
    process.exit(2);
  });
  process.stderr.on('error', () => process.exit(2));
}
