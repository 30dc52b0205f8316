/** The man page of ptxlab, written with the macros of man(7). */
import { type CommandShape, namesOf, type OptionShape, type ProgramShape } from './command-shape.ts';

/** One page for the program and all its commands. */
export function manPage(program: ProgramShape): string {
  const { name, version, description, commands, options } = program;
  return `.TH ${name.toUpperCase()} 1 "" "${name} ${escaped(version)}" "User Commands"
.SH NAME
${name} \\- ${escaped(description)}
.SH SYNOPSIS
.B ${name}
.I command
.RI [ options ]
.RI [ arguments ]
.SH OPTIONS
${options.map(optionText).join('')}.SH COMMANDS
${commands.map((command) => commandText(command, ['ptxlab'])).join('')}.SH EXIT STATUS
0 if nothing was found, 1 for findings such as an error in a module or a fault in a kernel, 2 for wrong usage or input
that cannot be read.
.SH SEE ALSO
The folder docs of the package describes every command in full.
`;
}

/** @param before the words that the user types before the name of the command */
function commandText(
  { name, description, arguments: taken, options, commands }: CommandShape,
  before: readonly string[],
): string {
  const words = [...before, name];
  if (commands.length > 0) return commands.map((command) => commandText(command, words)).join('');
  return `.SS ${[...words, ...taken].map(escaped).join(' ')}
${escaped(description)}
${options.map(optionText).join('')}`;
}

function optionText(option: OptionShape): string {
  const names = namesOf(option).map((name) => `\\fB${escaped(name)}\\fR`);
  const value = option.value === null ? '' : ` \\fI${escaped(option.value.slice(1, -1))}\\fR`;
  const choices = option.choices.length === 0 ? '' : `: ${escaped(option.choices.join(', '))}`;
  return `.TP\n${names.join(', ')}${value}\n${escaped(option.description)}${choices}\n`;
}

/** Escapes text so that the formatter does not interpret any part of it as a request or an escape sequence. */
function escaped(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('…', '...')
    .replace(/^(?=[.'])/, '\\&');
}
