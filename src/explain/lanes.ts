/**
 * Finds which bits of a result come from which operand bits, by following an instruction's steps. The code is not
 * specific to any instruction, so a new form can be drawn as soon as it has steps.
 */
import { elementAt, valueAt } from '../base/element-at.ts';
import type { Variant } from '../isa/form.ts';
import { operandRef } from '../isa/steps/ref.ts';
import type { Step } from '../isa/steps/step.ts';
import {
  describePiece,
  fit,
  follow,
  type Piece,
  range,
  type Read,
  readsOf,
  type Value,
  widthOf,
} from './bit-origins.ts';
import { type OperandBits, operandBits } from './operand-bits.ts';

/** The bits `[high:low]` of an operand, and a label that describes their contents. */
export interface Field {
  readonly high: number;
  readonly low: number;
  /**
   * For a result, the source of the bits, such as `e4m3(a)`, or `0` for padding; for a source, the fields that use the
   * bits, or `unused` if nothing reads them.
   */
  readonly label: string;
}

/** All fields of one operand, topmost first, without gaps between them. */
export interface LanePicture {
  readonly operand: string;
  readonly width: number;
  readonly fields: readonly Field[];
}

/**
 * Returns a picture of each result, followed by a picture of each source that is divided. A source is divided if at
 * least one result field uses only some of its bits. The list is empty if the steps compute no bits.
 */
export function lanePictures(variant: Variant, steps: readonly Step[]): readonly LanePicture[] {
  const operands = operandBits(variant);
  const values = follow(operands, steps);
  const results = operands.filter(({ name, role }) => role === 'write' && values.has(operandRef(name)));
  const pictures = results.map(({ name, type }) => pictureOf(name, fit(valueAt(values, operandRef(name)), type.width)));
  const reads = results.flatMap(({ name, type }) =>
    readsByField(name, fit(valueAt(values, operandRef(name)), type.width)),
  );
  const sources = operands.filter(({ role }) => role === 'read');
  return [...pictures, ...sources.flatMap((source) => sourcePicture(source, reads))];
}

function pictureOf(operand: string, value: Value): LanePicture {
  const width = widthOf(value);
  let top = width;
  const fields = value.map((piece): Field => {
    const field = { high: top - 1, low: top - piece.width, label: labelOf(piece) };
    top -= piece.width;
    return field;
  });
  return { operand, width, fields };
}

/** A formula longer than this is harder to understand than the steps, which are also listed. */
const longestFormula = 160;

function labelOf(piece: Piece): string {
  const formula = describePiece(piece);
  return formula.length > longestFormula ? 'computed by the steps' : formula;
}

interface Served extends Read {
  /** The label of the result field that depends on these bits. */
  readonly target: string;
}

function readsByField(operand: string, value: Value): readonly Served[] {
  const whole = value.length === 1;
  let top = widthOf(value);
  return value.flatMap((piece) => {
    const target = whole ? operand : operand + range(top - 1, top - piece.width);
    top -= piece.width;
    return readsOf([piece]).map((read) => ({ ...read, target }));
  });
}

/** Shows how a source is divided among the fields that use it; empty if every field uses the whole source. */
function sourcePicture({ name, type }: OperandBits, reads: readonly Served[]): readonly LanePicture[] {
  const own = reads.filter((read) => read.operand === name);
  if (own.every((read) => read.low === 0 && read.width === type.width)) return [];
  const edges = [...new Set([0, type.width, ...own.flatMap((read) => [read.low, read.low + read.width])])];
  edges.sort((x, y) => y - x);
  const fields = edges.slice(1).map((low, i): Field => {
    const high = elementAt(edges, i) - 1;
    const served = own.filter((read) => read.low <= low && read.low + read.width > high);
    return { high, low, label: served.length === 0 ? 'unused' : purpose(served) };
  });
  return [{ operand: name, width: type.width, fields }];
}

function purpose(served: readonly Served[]): string {
  return `\u2192 ${[...new Set(served.map(({ target }) => target))].join(' ')}`;
}
