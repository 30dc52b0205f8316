/** Runs one command and sets the exit code of this process. */
import { exitOf, runCommandLine } from './command-line.ts';
import { guardOutput, processSession } from './process-session.ts';

function abort(error: unknown): never {
  process.exit(exitOf(error, processSession));
}

/** `args` are the words after the program's name, such as `['check', 'kernel.ptx']`. */
export async function runProcess(args: readonly string[]): Promise<void> {
  guardOutput();
  process.on('uncaughtException', abort);
  process.on('unhandledRejection', abort);
  process.exitCode = await runCommandLine(args, processSession);
}
