/** What the command line offers, as data: completions and man pages are made from it. */
import type { Command, Option } from 'commander';

export interface OptionShape {
  /** With its dashes; null if the option has none. */
  readonly short: string | null;
  readonly long: string | null;
  /** `<format>`, as it is written after the option; null if it takes no value. */
  readonly value: string | null;
  readonly choices: readonly string[];
  readonly description: string;
}

export interface CommandShape {
  readonly name: string;
  readonly description: string;
  /** `[files...]`. */
  readonly arguments: readonly string[];
  readonly options: readonly OptionShape[];
}

export interface ProgramShape extends CommandShape {
  readonly version: string;
  readonly commands: readonly CommandShape[];
}

/** The shape of a program whose commands are all declared. */
export function shapeOf(program: Command, version: string): ProgramShape {
  const { name, description, arguments: taken, options } = commandShape(program);
  return { name, description, arguments: taken, options, version, commands: program.commands.map(commandShape) };
}

function commandShape(command: Command): CommandShape {
  return {
    name: command.name(),
    description: command.description(),
    arguments: command.registeredArguments.map((argument) => {
      const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
      return argument.required ? `<${name}>` : `[${name}]`;
    }),
    options: command.options.map(optionShape),
  };
}

function optionShape({ short, long, flags, argChoices, description }: Option): OptionShape {
  // `-W <kind>` is written `-Werror`, because it has one choice.
  const [only] = argChoices ?? [];
  if (short === '-W') return { short: `-W${only}`, long: null, value: null, choices: [], description };
  return {
    short: short ?? null,
    long: long ?? null,
    value: /[<[].*[>\]]/.exec(flags)?.[0] ?? null,
    choices: argChoices ?? [],
    description,
  };
}

/** Both spellings of an option. */
export function namesOf({ short, long }: OptionShape): readonly string[] {
  return [short, long].filter((name) => name !== null);
}
