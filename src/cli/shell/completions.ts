/** Completion scripts for bash, zsh and fish. */
import { type CommandShape, namesOf, type OptionShape, type ProgramShape } from './command-shape.ts';

export type Shell = 'bash' | 'zsh' | 'fish';

const makers: Readonly<Record<Shell, (program: ProgramShape) => string>> = { bash, zsh, fish };

/** The shells for which a completion script is available. */
export const shells: readonly Shell[] = ['bash', 'zsh', 'fish'];

/** A script that the shell reads at startup. */
export function completionScript(shell: Shell, program: ProgramShape): string {
  return makers[shell](program);
}

/** A command and its full name. The full name of a subcommand includes the name of its parent, as in `plan check`. */
interface NamedCommand extends CommandShape {
  readonly path: string;
}

/** The commands that take options. A command that has subcommands is replaced with its subcommands. */
function namedCommands({ commands }: ProgramShape): readonly NamedCommand[] {
  return commands.flatMap((command) =>
    command.commands.length === 0
      ? [{ ...command, path: command.name }]
      : command.commands.map((inner) => ({ ...inner, path: `${command.name} ${inner.name}` })),
  );
}

function outerCommands({ commands }: ProgramShape): readonly CommandShape[] {
  return commands.filter((command) => command.commands.length > 0);
}

// --- bash -----------------------------------------------------------------------------------------------------------

function bash(program: ProgramShape): string {
  const words = program.commands.map(({ name }) => name).join(' ');
  const named = namedCommands(program);
  const lists = named.map((command) => `    '${command.path}') options="${optionWords(command, program)}" ;;\n`);
  const inner = outerCommands(program).map(
    (command) => `    ${command.name}) inner="${innerWords(command)}"; path="$path \${COMP_WORDS[2]}" ;;\n`,
  );
  const values = [
    ...named.flatMap(({ path, options }) => bashValues(options, (name) => `'${path} ${name}'`)),
    ...bashValues(program.options, (name) => `*' ${name}'`),
  ];
  return `# bash completion of ptxlab; load it with: source <(ptxlab completion bash)
_ptxlab() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} path=\${COMP_WORDS[1]} options= inner=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${words} help ${globalWords(program)}" -- "$word"))
    return
  fi
  case $path in
    help) inner="${words}" ;;
${inner.join('')}  esac
  if [ -n "$inner" ] && [ "$COMP_CWORD" -eq 2 ]; then COMPREPLY=($(compgen -W "$inner" -- "$word")); return; fi
  case "$path $before" in
${values.join('')}  esac
  case $path in
${lists.join('')}  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -F _ptxlab ptxlab
`;
}

/** One line for each option with a list of values. */
function bashValues(options: readonly OptionShape[], pattern: (name: string) => string): readonly string[] {
  return options.flatMap((option) => {
    const patterns = namesOf(option).map(pattern).join('|');
    const reply = `COMPREPLY=($(compgen -W "${option.choices.join(' ')}" -- "$word")); return`;
    return option.choices.length === 0 ? [] : [`    ${patterns}) ${reply} ;;\n`];
  });
}

function optionWords({ options }: CommandShape, program: ProgramShape): string {
  return [...options, ...program.options].flatMap(namesOf).concat('-h', '--help').join(' ');
}

/** The names of the subcommands of a command. */
function innerWords({ commands }: CommandShape): string {
  return commands.map(({ name }) => name).join(' ');
}

function globalWords({ options }: ProgramShape): string {
  return options.flatMap(namesOf).concat('-h', '--help').join(' ');
}

// --- zsh ------------------------------------------------------------------------------------------------------------

function zsh(program: ProgramShape): string {
  const commands = program.commands.map(({ name, description }) => `    '${zshText(`${name}:${description}`)}'\n`);
  const cases = namedCommands(program).map(
    ({ path, options }) =>
      `    '${path}') _arguments -s ${[...options, ...program.options].flatMap(zshOption).join(' ')} '*:file:_files' ;;\n`,
  );
  const inner = outerCommands(program).map((command) => `    ${command.name}) inner=(${innerWords(command)}) ;;\n`);
  return `#compdef ptxlab
# zsh completion of ptxlab; load it with: source <(ptxlab completion zsh)
_ptxlab() {
  local -a commands inner
  commands=(
${commands.join('')}    'help:print help for a command'
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local name=$words[2]
  shift words
  (( CURRENT-- ))
  case $name in
${inner.join('')}  esac
  if (( $#inner )); then
    if (( CURRENT == 2 )); then
      compadd -a inner
      return
    fi
    name="$name $words[2]"
    shift words
    (( CURRENT-- ))
  fi
  case $name in
    help) _describe command commands ;;
${cases.join('')}  esac
}
(( $+functions[compdef] )) && compdef _ptxlab ptxlab
`;
}

function zshOption(option: OptionShape): readonly string[] {
  const { value, choices, description } = option;
  const list = choices.length === 0 ? ':value:_files' : `:value:(${choices.join(' ')})`;
  return namesOf(option).map((name) => `'*${name}[${zshText(description)}]${value === null ? '' : list}'`);
}

function zshText(text: string): string {
  return text.replaceAll("'", `'\\''`).replaceAll(/[[\]]/g, '\\$&');
}

// --- fish -----------------------------------------------------------------------------------------------------------

function fish(program: ProgramShape): string {
  const lines = [
    ...program.options.map((option) => fishOption(option, null)),
    ...program.commands.flatMap((command) => [
      `complete -c ptxlab -n __fish_use_subcommand -f -a ${command.name} -d ${fishText(command.description)}`,
      ...(command.commands.length === 0
        ? []
        : [
            `complete -c ptxlab -n '__fish_seen_subcommand_from ${command.name}' -f -a ${fishText(innerWords(command))}`,
          ]),
    ]),
    ...namedCommands(program).flatMap(({ path, options }) =>
      options.map((option) => fishOption(option, fishCondition(path, program))),
    ),
  ];
  return `# fish completion of ptxlab; load it with: ptxlab completion fish | source\n${lines.join('\n')}\n`;
}

/**
 * A fish condition that is true if the given command is being typed. Because `plan check` also contains the word
 * `check`, the condition for `check` excludes command lines that contain `plan`.
 */
function fishCondition(path: string, program: ProgramShape): string {
  const words = path.split(' ');
  const others =
    words.length > 1 ? [] : outerCommands(program).map(({ name }) => `not __fish_seen_subcommand_from ${name}`);
  return [...words.map((word) => `__fish_seen_subcommand_from ${word}`), ...others].join('; and ');
}

function fishOption({ short, long, value, choices, description }: OptionShape, condition: string | null): string {
  const name = short === null || short.length > 2 ? [] : [`-s ${short.slice(1)}`];
  const old = short !== null && short.length > 2 ? [`-o ${short.slice(1)}`] : [];
  const where = condition === null ? [] : [`-n '${condition}'`];
  const values = choices.length === 0 ? (value === null ? [] : ['-r']) : [`-x -a ${fishText(choices.join(' '))}`];
  const spelled = long === null ? [] : [`-l ${long.slice(2)}`];
  return ['complete -c ptxlab', ...where, ...name, ...old, ...spelled, ...values, `-d ${fishText(description)}`].join(
    ' ',
  );
}

function fishText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
