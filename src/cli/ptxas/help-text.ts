/** The output of `--help`, `--version` and `--list-version`, in the form that other programs expect from ptxas. */
import { formatVersion, newestVersion, versions } from '../../isa/targets.ts';
import { type OptionRow, optionRows, type OptionValue } from './option-rows.ts';

const width = 80;
const indent = ' '.repeat(8);

/** The help text. The architectures are listed below `--gpu-name`, because LLVM's tests look for them there. */
export function helpText(): string {
  return `
Usage  : ptxas [options] <ptx file>,...

ptxlab, not NVIDIA: verifies PTX as ptxas does, but generates no machine code.

Options
=======

${optionRows.map(optionText).join('\n')}
`;
}

function optionText({ long, short, value, what, standard }: OptionRow): string {
  const name = `--${long}${valueName(value)}`;
  const allowed = value.kind === 'one of' ? allowedText(value.values) : '';
  const rest = standard === undefined ? '' : `${indent}Default value:  '${standard}'.\n`;
  return `${name.padEnd(52)}(-${short})\n${wrapped(what.split(' '), ' ')}${allowed}${rest}`;
}

function valueName(value: OptionValue): string {
  switch (value.kind) {
    case 'nothing':
      return '';
    case 'boolean':
      return ' <true|false>';
    case 'registers':
      return ' <archmax/archmin/N>';
    case 'list':
      return ` <${value.name}>,...`;
    case 'text':
    case 'number':
    case 'one of':
      return ` <${value.name}>`;
  }
}

function allowedText(values: readonly string[]): string {
  const quoted = values.map((value, i) => `'${value}'${i < values.length - 1 ? ',' : '.'}`);
  return wrapped(['Allowed values for this option: ', ...quoted], '');
}

function wrapped(words: readonly string[], between: string): string {
  const lines = [''];
  for (const word of words) {
    const last = lines.length - 1;
    const line = lines[last] ?? '';
    const longer = line === '' ? word : `${line}${between}${word}`;
    if (line !== '' && indent.length + longer.length > width) lines.push(word);
    else lines[last] = longer;
  }
  return lines.map((line) => `${indent}${line}\n`).join('');
}

/** The CUDA release that introduced the newest PTX version known to ptxlab, such as 13.1 for PTX 9.1. */
function release(): string {
  return `${Math.floor(newestVersion / 100) + 4}.${newestVersion % 100}`;
}

/** `version` is the version of ptxlab. */
export function versionText(version: string): string {
  return `ptxas: PTX verifier (ptxlab, not NVIDIA)
ptxlab ${version}; verifies PTX up to version ${formatVersion(newestVersion)}, generates no machine code
Cuda compilation tools, release ${release()}, V${release()}.0
Build ptxlab_${version}
`;
}

export function versionList(): string {
  return versions.map((version) => `${formatVersion(version)}\n`).join('');
}
