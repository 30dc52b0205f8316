/** Prints an explained instruction for a terminal. */
import type { Style } from '../diagnostics/renderers/style.ts';
import { wrap } from '../diagnostics/renderers/wrap.ts';
import { drawPicture, type Glyphs } from './draw.ts';
import type { InstructionExplanation, OperandExplanation } from './instruction.ts';
import { table, wrapSyntax } from './table.ts';

export interface TextOptions {
  readonly width: number;
  readonly style: Style;
  readonly glyphs: Glyphs;
}

/** The explanation as lines: what the instruction does, its bits, its operands, and where it is legal. */
export function instructionText(explained: InstructionExplanation, options: TextOptions): readonly string[] {
  const { style, width } = options;
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : ['', style.strong(title), ...lines];
  return [
    style.accent(explained.mnemonic),
    ...wrap(explained.summary, width),
    ...section('Result', pictures(explained, options)),
    ...section('Operands', table(explained.operands.map(operandRow), width)),
    ...section('Modifiers', modifierLines(explained, width)),
    ...section(
      'Special values',
      table(
        explained.specialValues.map(({ what, rule }) => [what, rule]),
        width,
      ),
    ),
    ...section(
      'Versions and targets',
      table(
        explained.availability.map(({ since, words }) => [`PTX ${since}`, words]),
        width,
      ),
    ),
    ...section('Left open by the specification', choiceLines(explained, width)),
    ...section(
      'Steps',
      explained.steps.flatMap((step) => table([[step]], width)),
    ),
    ...section(
      'Other forms of this mnemonic',
      explained.siblings.map((id) => `  ${id}`),
    ),
    '',
    ...wrapSyntax(`Form ${explained.form}: ${explained.syntax}`, width).map(style.faint),
    style.faint(`PTX ISA 9.1, section ${explained.section}`),
  ];
}

function pictures({ lanes }: InstructionExplanation, { width, glyphs }: TextOptions): readonly string[] {
  const margin = Math.max(4, ...lanes.map(({ operand }) => operand.length + 3));
  return lanes.flatMap((picture) => drawPicture(picture, width, glyphs, margin));
}

function operandRow({ name, written, role, type, width, takes }: OperandExplanation): readonly string[] {
  const shown = written === null ? name : `${name} = ${written}`;
  return [shown, role === 'write' ? 'result' : 'source', type, `${width} bits`, takes];
}

function modifierLines({ modifiers, alternatives }: InstructionExplanation, width: number): readonly string[] {
  const meanings = modifiers.flatMap(({ modifier, meaning }) => (meaning === null ? [] : [[modifier, meaning]]));
  const added = alternatives.filter(({ written }) => written === null).flatMap(({ others }) => others);
  const omissible = alternatives.flatMap((row) => (row.omissible && row.written !== null ? [row.written] : []));
  const replaced = alternatives.filter(({ written, others }) => written !== null && others.length > 0);
  const changes = [
    ...replaced.map(({ written, others }) => [`in place of ${written}`, others.join(' ')]),
    ...(added.length > 0 ? [['may be added', added.join(' ')]] : []),
    ...(omissible.length > 0 ? [['may be left out', omissible.join(' ')]] : []),
  ];
  return [...table(meanings, width), ...table(changes, width)];
}

function choiceLines({ openChoices }: InstructionExplanation, width: number): readonly string[] {
  return openChoices.flatMap(({ title, choice, evidence }) => [
    ...table([['-', `${title}: ${choice} (${evidence})`]], width),
  ]);
}
