/** Declarations that commands share. */
import type { Command } from 'commander';
import type { ExitCode } from './exit.ts';

/** Receives the exit code of a command. */
export type Finish = (exit: ExitCode) => void;

export function examples(command: Command, ...lines: readonly string[]): Command {
  return command.addHelpText('before', `Examples:\n${lines.map((line) => `  ${line}\n`).join('')}`);
}

/** For options that may be given several times. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
