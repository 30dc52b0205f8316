/**
 * The command line. The code of a command is loaded only when the command is run, and not when the help or the version
 * is printed.
 */
import { Command, Option } from 'commander';
import { examples, type Start } from './command-parts.ts';
import type { ExitCode } from './exit.ts';
import { defineConvert, defineDiff, defineInspect } from './file-commands.ts';
import {
  defineCheck,
  defineEval,
  defineExplain,
  defineForms,
  defineGraph,
  defineLsp,
  definePtxas,
  defineRun,
  defineServe,
  defineSweep,
  defineTest,
} from './language-commands.ts';
import type { OutputStream, Session } from './session.ts';
import { defineMerge, definePlan, defineStatus, defineWork } from './shard-commands.ts';
import { defineCompletion, defineDoctor, defineMan, type WholeProgram } from './setup-commands.ts';

/** The functions that declare the commands. The help lists the commands in this order. */
const commands: ReadonlyMap<string, (program: Command, start: Start, whole: WholeProgram) => void> = new Map([
  ['check', defineCheck],
  ['eval', defineEval],
  ['run', defineRun],
  ['test', defineTest],
  ['explain', defineExplain],
  ['forms', defineForms],
  ['graph', defineGraph],
  ['lsp', defineLsp],
  ['sweep', defineSweep],
  ['ptxas', definePtxas],
  ['serve', defineServe],
  ['convert', defineConvert],
  ['inspect', defineInspect],
  ['diff', defineDiff],
  ['plan', definePlan],
  ['work', defineWork],
  ['status', defineStatus],
  ['merge', defineMerge],
  ['completion', defineCompletion],
  ['man', defineMan],
  ['doctor', defineDoctor],
]);

/**
 * Returns the commander program that parses the arguments. When a command has ended, the program calls `finish` with
 * the exit code. If the arguments are wrong, the program throws a CommanderError. If the first argument is the name of
 * a command, only that command is declared, which saves 3 ms.
 */
export function makeProgram(
  [first = '']: readonly string[],
  version: string,
  session: Session,
  finish: (exit: ExitCode) => void,
): Command {
  const { stdout, stderr } = session;
  const program = new Command('ptxlab')
    .description('NVIDIA PTX without the GPU: check, explain, evaluate and run it, bit for bit.')
    .version(version, '-V, --version', 'print the version')
    .addOption(new Option('--color <when>', 'colors').choices(['auto', 'always', 'never']).default('auto'))
    .option('-q, --quiet', 'write only errors to stderr')
    .helpOption('-h, --help', 'print this help')
    .configureHelp({
      showGlobalOptions: true,
      subcommandTerm: (command) => command.name(),
      optionTerm: termOf,
      optionDescription: describe,
    })
    .helpCommand('help [command]', 'print help for a command')
    .configureOutput({
      writeOut: (text) => stdout.write(text),
      writeErr: (text) => stderr.write(text),
      outputError: (text, write) => write(usageLine(text)),
      getOutHelpWidth: () => widthOf(stdout),
      getErrHelpWidth: () => widthOf(stderr),
    })
    .exitOverride();
  const start: Start = async (command) => finish(await command(session));
  const whole: WholeProgram = (its) => makeProgram([], version, its, () => undefined);
  const chosen = commands.get(first);
  for (const define of chosen === undefined ? commands.values() : [chosen]) define(program, start, whole);
  return examples(
    program,
    'ptxlab check kernel.ptx',
    'ptxlab eval --explain cvt.rn.satfinite.e4m3x2.f32 1.5 -0.1',
    'ptxlab explain cvt.rs.satfinite.e4m3x4.f32',
    'ptxlab forms --matrix',
  );
}

/** The number of columns at which the lines of the help are wrapped. */
function widthOf({ isTTY, columns = 80 }: OutputStream): number {
  return isTTY === true ? columns : 80;
}

/**
 * Turns commander's message about wrong usage into a message in the style of all other errors: one line that names the
 * program.
 */
function usageLine(text: string): string {
  const words = text
    .trim()
    .replace(/^error: /, '')
    .replace(/\.$/, '');
  return `ptxlab: ${words.replace(/\n\(Did/, ' (did')}; see --help\n`;
}

/** `-W` has only one possible value, so the help shows `-Werror` as a whole. */
function termOf(option: Option): string {
  return option.short === '-W' ? '-Werror' : option.flags;
}

/** The description followed by the possible values, the default first. */
function describe({ description, short, argChoices, defaultValue }: Option): string {
  if (argChoices === undefined || short === '-W') return description;
  const others = argChoices.filter((choice) => choice !== defaultValue);
  const list = defaultValue === undefined ? others : [`${defaultValue} by default`, ...others];
  return `${description}: ${list.join(', ')}`;
}
