/** Runs the code of a suite: its module, and its reference functions. */
import { Console } from 'node:console';
import { UsageError } from '../exit.ts';
import type { Session } from '../session.ts';

/**
 * Runs code from a suite and waits for its result. The code's log output goes to stderr, because stdout is for the
 * report. If the code ends the process, the process exits with 2.
 *
 * @throws UsageError if the code waits for a promise that never settles. Such a promise does not keep Node running, so
 *   the process would otherwise end without a report.
 */
export async function runSuiteCode<T>(run: () => Promise<T> | T, { stderr }: Pick<Session, 'stderr'>): Promise<T> {
  let giveUp = (): void => {};
  const unsettled = new Promise<never>((_, reject) => {
    giveUp = () => reject(new UsageError('waits for a promise that never settles'));
  });
  const refuse = (): void => {
    process.exitCode = 2;
    stderr.write('ptxlab: code of a suite ended the process, so there is no report\n');
  };
  const { console: usual } = globalThis;
  globalThis.console = new Console(stderr, stderr);
  process.once('beforeExit', giveUp);
  process.once('exit', refuse);
  try {
    return await Promise.race([run(), unsettled]);
  } finally {
    process.off('beforeExit', giveUp);
    process.off('exit', refuse);
    globalThis.console = usual;
  }
}
