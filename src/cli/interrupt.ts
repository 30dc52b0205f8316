/** Ctrl-C of commands that take long. */
import type { ExitCode } from './exit.ts';

/**
 * Runs work that looks at a signal. Where it was interrupted, whatever it had begun is put in order, and the process then
 * ends as an interrupted one does.
 */
export async function interruptible(work: (signal: AbortSignal) => Promise<ExitCode>): Promise<ExitCode> {
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  process.once('SIGINT', interrupt);
  try {
    const exit = await work(stop.signal);
    if (!stop.signal.aborted) return exit;
  } finally {
    process.off('SIGINT', interrupt);
  }
  process.removeAllListeners('SIGINT');
  process.kill(process.pid, 'SIGINT');
  return 2;
}
