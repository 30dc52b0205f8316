/** `ptxlab forms`: prints a table of the instruction forms, or a matrix of the conversions between types. */
import { nearestWord } from '../base/nearest-word.ts';
import { describeForm, detailedText, formsAt, listingText, opcodesNamed } from '../explain/form-listing.ts';
import { conversionMatrix, matrixText } from '../explain/conversion-matrix.ts';
import { ptxForms } from '../isa/table.ts';
import { type ExitCode, UsageError } from './exit.ts';
import { type JudgeFlags, readTargetChoice } from './options.ts';
import { write, writeJson } from './output.ts';
import type { Session } from './session.ts';
import { columnsOf } from './style.ts';

export interface FormsFlags extends JudgeFlags {
  readonly opcode?: string;
  readonly matrix?: boolean;
  readonly json?: boolean;
}

export async function formsCommand(flags: FormsFlags, { stdout }: Session): Promise<ExitCode> {
  const place = readTargetChoice(flags);
  if (flags.matrix === true) {
    const opcode = flags.opcode === undefined ? 'cvt' : requireOpcode(flags.opcode);
    if (opcode !== 'cvt') throw new UsageError(`--matrix shows the conversions of cvt; ${opcode} has none`);
    const cells = conversionMatrix(place);
    await (flags.json === true ? writeJson(stdout, cells) : write(stdout, lines(matrixText(cells))));
    return 0;
  }
  const found = formsAt(place, flags.opcode === undefined ? null : requireOpcode(flags.opcode));
  if (found.length === 0) throw new UsageError(`no forms${nameOf(flags)} in this version and on this target`);
  const entries = found.map((form) => describeForm(form, place));
  const width = columnsOf(stdout);
  if (flags.json === true) await writeJson(stdout, entries);
  else
    await write(stdout, lines(flags.opcode === undefined ? listingText(entries, width) : detailedText(entries, width)));
  return 0;
}

const nameOf = ({ opcode }: FormsFlags): string => (opcode === undefined ? '' : ` of '${opcode}'`);

function requireOpcode(name: string): string {
  if (opcodesNamed(name).length > 0) return name;
  const close = nearestWord(name, ptxForms.opcodes());
  throw new UsageError(`no forms of '${name}'${close === null ? '' : ` (did you mean ${close}?)`}`);
}

function lines(text: readonly string[]): string {
  return `${text.join('\n').trimEnd()}\n`;
}
