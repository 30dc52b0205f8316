/** Completion scripts for bash, zsh and fish. */
import { type CommandShape, namesOf, type OptionShape, type ProgramShape } from './command-shape.ts';

export type Shell = 'bash' | 'zsh' | 'fish';

const makers: Readonly<Record<Shell, (program: ProgramShape) => string>> = { bash, zsh, fish };

/** The shells for which there is a script. */
export const shells: readonly Shell[] = ['bash', 'zsh', 'fish'];

/** A script that the shell reads at startup. */
export function completionScript(shell: Shell, program: ProgramShape): string {
  return makers[shell](program);
}

// --- bash -----------------------------------------------------------------------------------------------------------

function bash(program: ProgramShape): string {
  const { commands } = program;
  const words = commands.map(({ name }) => name).join(' ');
  const lists = commands.map(
    (command) => `    ${command.name}) options="${optionWords(command, program)}"; inner="${innerWords(command)}" ;;\n`,
  );
  const choices = [...commands, program].flatMap(({ options }) =>
    options.filter((option) => option.choices.length > 0),
  );
  const values = [...new Map(choices.map((option) => [namesOf(option).join('|'), option.choices.join(' ')]))].map(
    ([names, list]) => `    ${names}) COMPREPLY=($(compgen -W "${list}" -- "$word")); return ;;\n`,
  );
  return `# bash completion of ptxlab; load it with: source <(ptxlab completion bash)
_ptxlab() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} options= inner=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${words} help ${globalWords(program)}" -- "$word"))
    return
  fi
  case $before in
${values.join('')}  esac
  case \${COMP_WORDS[1]} in
    help) COMPREPLY=($(compgen -W "${words}" -- "$word")); return ;;
${lists.join('')}  esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
    *)
      if [ -n "$inner" ] && [ "$COMP_CWORD" -eq 2 ]; then COMPREPLY=($(compgen -W "$inner" -- "$word")); return; fi
      COMPREPLY=($(compgen -f -- "$word"))
      ;;
  esac
}
complete -o filenames -F _ptxlab ptxlab
`;
}

function optionWords({ options }: CommandShape, program: ProgramShape): string {
  return [...options, ...program.options].flatMap(namesOf).concat('-h', '--help').join(' ');
}

/** The names of the commands inside a command. */
function innerWords({ commands }: CommandShape): string {
  return commands.map(({ name }) => name).join(' ');
}

function globalWords({ options }: ProgramShape): string {
  return options.flatMap(namesOf).concat('-h', '--help').join(' ');
}

// --- zsh ------------------------------------------------------------------------------------------------------------

function zsh(program: ProgramShape): string {
  const commands = program.commands.map(({ name, description }) => `    '${zshText(`${name}:${description}`)}'\n`);
  const cases = program.commands.map(
    (command) =>
      `    ${command.name}) _arguments -s ${[...command.options, ...program.options].flatMap(zshOption).join(' ')} ${zshInner(command)}'*:file:_files' ;;\n`,
  );
  return `#compdef ptxlab
# zsh completion of ptxlab; load it with: source <(ptxlab completion zsh)
_ptxlab() {
  local -a commands
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

function zshInner(command: CommandShape): string {
  return command.commands.length === 0 ? '' : `'1:command:(${innerWords(command)})' `;
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
      ...command.options.map((option) => fishOption(option, command.name)),
    ]),
  ];
  return `# fish completion of ptxlab; load it with: ptxlab completion fish | source\n${lines.join('\n')}\n`;
}

function fishOption({ short, long, value, choices, description }: OptionShape, command: string | null): string {
  const name = short === null || short.length > 2 ? [] : [`-s ${short.slice(1)}`];
  const old = short !== null && short.length > 2 ? [`-o ${short.slice(1)}`] : [];
  const where = command === null ? [] : [`-n '__fish_seen_subcommand_from ${command}'`];
  const values = choices.length === 0 ? (value === null ? [] : ['-r']) : [`-x -a ${fishText(choices.join(' '))}`];
  const spelled = long === null ? [] : [`-l ${long.slice(2)}`];
  return ['complete -c ptxlab', ...where, ...name, ...old, ...spelled, ...values, `-d ${fishText(description)}`].join(
    ' ',
  );
}

function fishText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
