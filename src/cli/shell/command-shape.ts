/** Describes the command line as data, from which completions and man pages are generated. */
import type { Command, Option } from 'commander';

export interface OptionShape {
  /** The short and the long spelling of the option, including the dashes; null if the option has no such spelling. */
  readonly short: string | null;
  readonly long: string | null;
  /** The placeholder for the value of the option, such as `<format>`; null if the option takes no value. */
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
  /** The subcommands of the command. The options of the subcommands are also included in `options`. */
  readonly commands: readonly CommandShape[];
}

export interface ProgramShape extends CommandShape {
  readonly version: string;
}

/** The shape of a program whose commands are all declared. */
export function shapeOf(program: Command, version: string): ProgramShape {
  return { ...commandShape(program), options: program.options.map(optionShape), version };
}

function commandShape(command: Command): CommandShape {
  const commands = command.commands.map(commandShape);
  const options = [...command.options.map(optionShape), ...commands.flatMap((inner) => inner.options)];
  return {
    name: command.name(),
    description: command.description(),
    arguments: command.registeredArguments.map((argument) => {
      const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
      return argument.required ? `<${name}>` : `[${name}]`;
    }),
    options: [...new Map(options.map((option) => [namesOf(option).join(), option])).values()],
    commands,
  };
}

function optionShape({ short, long, flags, argChoices, description }: Option): OptionShape {
  // `-W <kind>` is shown as `-Werror`, because that is its only possible value.
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
