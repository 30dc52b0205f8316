/** Declarations that commands share. */
import type { Command } from 'commander';
import type { ExitCode } from './exit.ts';
import type { Session } from './session.ts';

/** Runs a command in the current session, and records its exit code. */
export type Start = (command: (session: Session) => Promise<ExitCode>) => Promise<void>;

export function examples(command: Command, ...lines: readonly string[]): Command {
  return command.addHelpText('before', `Examples:\n${lines.map((line) => `  ${line}\n`).join('')}`);
}

/** Collects the values of an option that can be repeated. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
