/** Handles Ctrl-C, a closed terminal or a termination request in commands that take long. */
import type { ExitCode } from './exit.ts';

/** Signals that end a process: exit codes 130, 143 and 129 in a shell. */
const askingSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Runs work that checks a signal. If it is interrupted, the work cleans up, and the process then ends like an
 * interrupted one.
 */
export async function interruptible(work: (signal: AbortSignal) => Promise<ExitCode>): Promise<ExitCode> {
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
