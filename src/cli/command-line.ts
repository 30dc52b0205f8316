/** Runs one command and returns its exit code. An error is printed as a single line. */
import { CommanderError } from 'commander';
import { PtxlabError } from '../base/error.ts';
import { type ExitCode, UsageError } from './exit.ts';
import { makeProgram } from './program.ts';
import type { PtxasExit } from './ptxas.ts';
import type { Session } from './session.ts';
import { packageVersion } from './version.ts';

/**
 * Runs the command that is given by the arguments, such as `['check', 'kernel.ptx']`. The promise never rejects: an
 * error is reported as a line on stderr, and the exit code is 2.
 */
export async function runCommandLine(args: readonly string[], session: Session): Promise<ExitCode | PtxasExit> {
  let exit: ExitCode = 0;
  try {
    const [command, ...others] = args;
    // This command has the options of ptxas, which commander cannot parse.
    if (command === 'ptxas') return await (await import('./ptxas.ts')).ptxasCommand(others, session);
    const program = makeProgram(args, packageVersion(), session, (code) => {
      exit = code;
    });
    await program.parseAsync(args, { from: 'user' });
    return exit;
  } catch (error) {
    return exitOf(error, session);
  }
}

/**
 * With these error codes, commander reports that it has printed the help or the version. They do not mean that
 * something went wrong.
 */
const wanted: ReadonlySet<string> = new Set(['commander.helpDisplayed', 'commander.version']);

/** Writes an error to stderr and returns its exit code. */
export function exitOf(error: unknown, { stderr, env }: Session): 0 | 2 {
  if (error instanceof CommanderError) return wanted.has(error.code) ? 0 : 2;
  const isDebugging = env['PTXLAB_DEBUG'] === '1';
  const isUsage = error instanceof UsageError || error instanceof PtxlabError;
  const message = (error instanceof Error ? error.message : String(error)).split('\n', 1)[0];
  const hint = isDebugging ? '' : ' (PTXLAB_DEBUG=1 shows where)';
  stderr.write(isUsage ? `ptxlab: ${message}\n` : `ptxlab: internal error: ${message}${hint}\n`);
  if (isDebugging && error instanceof Error) stderr.write(`${error.stack}\n`);
  return 2;
}
