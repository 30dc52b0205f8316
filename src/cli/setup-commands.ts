/** Declares the commands that help to set up ptxlab. */
import type { Command } from 'commander';
import { examples, type Start } from './command-parts.ts';
import type { DoctorFlags } from './doctor.ts';
import type { Session } from './session.ts';

/** The program with all commands declared. */
export type WholeProgram = (session: Session) => Command;

export function defineCompletion(program: Command, start: Start, whole: WholeProgram): void {
  const command = program
    .command('completion')
    .description('Print a completion script for bash, zsh or fish.')
    .argument('[shell]', 'bash, zsh or fish')
    .action(async (shell: string | undefined) => {
      await start(async (session) =>
        (await import('./completion.ts')).completionCommand(shell, whole(session), session),
      );
    });
  examples(command, 'source <(ptxlab completion bash)', 'ptxlab completion fish | source');
}

export function defineMan(program: Command, start: Start, whole: WholeProgram): void {
  const command = program
    .command('man')
    .description('Print the man page.')
    .action(async () => {
      await start(async (session) => (await import('./completion.ts')).manCommand(whole(session), session));
    });
  examples(command, 'ptxlab man | man -l -');
}

export function defineDoctor(program: Command, start: Start): void {
  const command = program
    .command('doctor')
    .description('Report whether this machine has everything that ptxlab uses.')
    .option('--json', 'write JSON')
    .action(async (_: unknown, self: Command) => {
      const flags = self.optsWithGlobals<DoctorFlags>();
      await start(async (session) => (await import('./doctor.ts')).doctorCommand(flags, session));
    });
  examples(command, 'ptxlab doctor');
}
