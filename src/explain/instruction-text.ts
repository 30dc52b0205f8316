/** Prints an explained instruction for a terminal. */
import { elementAt } from '../base/element-at.ts';
import type { Style } from '../diagnostics/renderers/style.ts';
import { wrap } from '../diagnostics/renderers/wrap.ts';
import { parseVersion } from '../isa/targets.ts';
import { drawPicture, type Glyphs } from './draw.ts';
import type { InstructionExplanation, OperandExplanation } from './instruction.ts';
import { drawFragment } from './matrices/draw-fragment.ts';
import { table, wrapSyntax } from './table.ts';

export interface TextOptions {
  readonly width: number;
  readonly style: Style;
  readonly glyphs: Glyphs;
}

/** Prints the explanation as lines: what the instruction does, its bits, its operands, and where it is legal. */
export function instructionText(explained: InstructionExplanation, options: TextOptions): readonly string[] {
  const { style, width } = options;
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : ['', style.strong(title), ...lines];
  return [
    style.accent(explained.mnemonic),
    ...wrap(explained.summary, width),
    ...section('Result', pictures(explained, options)),
    ...section('Arithmetic', productLines(explained, width)),
    ...section('Lane that holds each element', fragmentLines(explained, width)),
    ...section('Operands', table(operandRows(explained.operands), width)),
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
    ...section('Steps', stepLines(explained.steps, width)),
    ...section(
      'Other forms of this mnemonic',
      explained.siblings.map((id) => `  ${id}`),
    ),
    '',
    ...wrapSyntax(`Form ${explained.form}: ${explained.syntax}`, width).map(style.faint),
    style.faint(`PTX ISA 9.1, section ${explained.section}${extension(explained)}`),
  ];
}

/**
 * Returns a note with the version that added the instruction if this version is later than 9.1; otherwise, an empty
 * string.
 */
function extension({ availability }: InstructionExplanation): string {
  const versions = availability.map(({ since }) => since);
  const isLater = versions.length > 0 && versions.every((since) => parseVersion(since) > parseVersion('9.1'));
  return isLater ? `; extended in ${versions[0]}` : '';
}

/** Maximum number of steps that are listed. Instructions that load a matrix have hundreds of steps that look alike. */
const mostSteps = 60;

function stepLines(steps: readonly string[], width: number): readonly string[] {
  const listed = steps.slice(0, mostSteps).flatMap((step) => table([[step]], width));
  const more = steps.length - mostSteps;
  return more > 0 ? [...listed, `  ... and ${more} more steps; --json lists all of them`] : listed;
}

function pictures({ lanes }: InstructionExplanation, { width, glyphs }: TextOptions): readonly string[] {
  const margin = Math.max(4, ...lanes.map(({ operand }) => operand.length + 3));
  return lanes.flatMap((picture) => drawPicture(picture, width, glyphs, margin));
}

function productLines({ product }: InstructionExplanation, width: number): readonly string[] {
  if (product === null) return [];
  return [
    ...table(
      product.rules.map((rule) => ['-', rule]),
      width,
    ),
    ...table(
      product.byGpu.map(({ gpus, rule }) => [gpus, rule]),
      width,
    ),
  ];
}

function fragmentLines({ fragments }: InstructionExplanation, width: number): readonly string[] {
  return fragments.flatMap((fragment, i) => [...(i === 0 ? [] : ['']), ...drawFragment(fragment, width)]);
}

/**
 * Returns one row for each operand; consecutive registers of a list share a row if they differ only in their number.
 */
function operandRows(operands: readonly OperandExplanation[]): readonly (readonly string[])[] {
  const groups: OperandExplanation[][] = [];
  for (const operand of operands) {
    const last = groups[groups.length - 1];
    if (last?.[0] !== undefined && isAlike(last[0], operand)) last.push(operand);
    else groups.push([operand]);
  }
  return groups.map((group) => {
    const [first, last] = [elementAt(group, 0), elementAt(group, group.length - 1)];
    const [shown = '', ...rest] = operandRow(first);
    return [group.length === 1 ? shown : `${first.name} to ${last.name}`, ...rest];
  });
}

function isAlike(one: OperandExplanation, other: OperandExplanation): boolean {
  const [own, of] = [one, other].map(({ name }) => name.replace(/\.\d+$/, '.'));
  const written = one.written !== null || other.written !== null;
  return !written && own === of && one.type === other.type && one.role === other.role && one.takes === other.takes;
}

function operandRow({ name, written, role, type, width, takes }: OperandExplanation): readonly string[] {
  const shown = written === null ? name : `${name} = ${written}`;
  return [shown, role === 'write' ? 'result' : 'source', type, `${width} bit${width === 1 ? '' : 's'}`, takes];
}

function modifierLines({ modifiers, alternatives }: InstructionExplanation, width: number): readonly string[] {
  const meanings = modifiers.flatMap(({ modifier, meaning }) => (meaning === null ? [] : [[modifier, meaning]]));
  const added = [...new Set(alternatives.filter(({ written }) => written === null).flatMap(({ others }) => others))];
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
  const rows = openChoices.map(({ id, title, choice, evidence }) => [id, `${title}: ${choice} (${evidence})`]);
  return table(rows, width);
}
