/**
 * `ptxlab completion` and `ptxlab man`: print a completion script and the man page, which are generated from the
 * declarations of the commands.
 */
import type { Command } from 'commander';
import { completionScript, shells } from './shell/completions.ts';
import { shapeOf } from './shell/command-shape.ts';
import { manPage } from './shell/man-page.ts';
import { type ExitCode, UsageError } from './exit.ts';
import { write } from './output.ts';
import type { Session } from './session.ts';
import { packageVersion } from './version.ts';

/** All commands of `program` must already be declared. */
export async function completionCommand(
  shell: string | undefined,
  program: Command,
  { stdout }: Session,
): Promise<ExitCode> {
  const found = shells.find((name) => name === shell);
  if (found === undefined) throw new UsageError(`completion needs a shell: ${shells.join(', ')}`);
  await write(stdout, completionScript(found, shapeOf(program, packageVersion())));
  return 0;
}

/** All commands of `program` must already be declared. */
export async function manCommand(program: Command, { stdout }: Session): Promise<ExitCode> {
  await write(stdout, manPage(shapeOf(program, packageVersion())));
  return 0;
}
