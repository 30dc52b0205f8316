/** The state of the matrix page: an instruction, a GPU, an element of D, and the values it is computed from. */
import {
  type Bits,
  type DotExplanation,
  evaluateDot,
  explainDot,
  explainMatrices,
  type MatricesExplanation,
  PtxlabError,
  type ProductEntry,
} from 'ptxlab';
import { type FormatName, formats, numberText, readNumber } from 'ptxlab/numbers';

export type ElementFormat = FormatName | 'b1';
export type ListName = 'a' | 'b' | 'scaleA' | 'scaleB';

export interface MatrixState {
  readonly entry: ProductEntry;
  /** The GPU whose arithmetic is shown. It is always a GPU that can run the instruction. */
  readonly gpu: ProductEntry['gpus'][number];
  /** The row and column of the selected element of D. */
  readonly row: number;
  readonly column: number;
  readonly a: readonly Bits[];
  readonly b: readonly Bits[];
  readonly c: Bits;
  readonly scaleA: readonly Bits[];
  readonly scaleB: readonly Bits[];
}

export interface View {
  readonly state: MatrixState;
  readonly matrices: MatricesExplanation;
  /** The computed value of the selected element of D. */
  readonly result: Bits;
  /** Null for integers, bits and f64, whose results are the same on all GPUs. */
  readonly explanation: DotExplanation | null;
}

export function viewOf(state: MatrixState): View {
  const { entry, gpu, a, b, c, scaleA, scaleB } = state;
  const inputs = { a, b, c, ...(entry.scales === null ? {} : { scaleA, scaleB }) };
  return {
    state,
    matrices: explainMatrices(entry.mnemonic, { gpu }),
    result: evaluateDot(entry.mnemonic, inputs, { gpu }),
    explanation: explainDot(entry.mnemonic, inputs, { gpu }),
  };
}

/**
 * The initial state of the page for an instruction. The values are chosen to show rounding: sixteenths for A and B, and
 * 0.1 for C.
 */
export function openingState(entry: ProductEntry): MatrixState {
  const newest = entry.gpus.at(-1);
  if (newest === undefined) throw new Error(`no GPU runs ${entry.mnemonic}`);
  const list = (format: ElementFormat, factor: number): readonly Bits[] =>
    Array.from({ length: entry.count }, (_, k) => sample(format, ((k + 1) * factor) % 61));
  const scales = Array.from({ length: entry.scales?.count ?? 0 }, () => unitScale(entry));
  return {
    entry,
    gpu: newest,
    row: 0,
    column: 0,
    a: list(entry.a, 36),
    b: list(entry.b, 58),
    c: readElement(isInteger(entry.c) ? '1' : '0.1', entry.c),
    scaleA: scales,
    scaleB: scales,
  };
}

/**
 * Turns an integer from 0 to 60 into a sample value of a format: a float from -1.875 to 1.875, a small integer, or a
 * bit.
 */
function sample(format: ElementFormat, place: number): Bits {
  if (format === 'b1') return place % 2;
  if (!isInteger(format)) return readElement(String((place - 30) / 16), format);
  return readElement(String(formats[format].signed ? (place % 16) - 8 : place % 16), format);
}

function isInteger(format: FormatName): boolean {
  return formats[format].kind === 'integer';
}

function unitScale({ scales }: ProductEntry): Bits {
  return scales === null ? 0 : readElement('1', scaleFormat(scales.format));
}

/**
 * The format with which scales are decoded. ue4m3 is decoded as e4m3, which has the same values and also their
 * negatives.
 */
export function scaleFormat(format: 'ue8m0' | 'ue4m3'): FormatName {
  return format === 'ue4m3' ? 'e4m3' : format;
}

/** The format of the numbers in one of the editable lists: elements of A or B, or scales. */
export function formatOf({ entry }: MatrixState, list: ListName): ElementFormat {
  return list === 'a' || list === 'b' ? entry[list] : scaleFormat(entry.scales?.format ?? 'ue8m0');
}

export function widthOf(format: ElementFormat): number {
  return format === 'b1' ? 1 : formats[format].width;
}

/** Reads an element that a user has typed. Throws a PtxlabError with a message that can be shown to the user. */
export function readElement(text: string, format: ElementFormat): Bits {
  return format === 'b1' ? readBit(text) : readNumber(text, format).bits;
}

function readBit(text: string): Bits {
  const digit = /^(?:0[xb])?0*([01])$/i.exec(text.trim())?.[1];
  if (digit === undefined) throw new PtxlabError('argument-type', `a bit must be 0 or 1, but got '${text.trim()}'`);
  return Number(digit);
}

/** The value as text, without its hexadecimal form. */
export function elementText(bits: Bits, format: ElementFormat): string {
  return format === 'b1' ? String(bits) : numberText(format, bits).replace(/ \(.*/, '');
}

export function withElement(state: MatrixState, list: ListName, index: number, bits: Bits): MatrixState {
  return { ...state, [list]: state[list].with(index, bits) };
}

/**
 * Selects another instruction. The selected GPU is kept if it can run the new instruction, and a list of values is kept
 * if its format and length stay the same. The row and column of the selected element are clamped to the size of the new
 * D.
 */
export function withEntry(state: MatrixState, entry: ProductEntry): MatrixState {
  const fresh = openingState(entry);
  const keep = (list: ListName): readonly Bits[] =>
    formatOf(state, list) === formatOf(fresh, list) && state[list].length === fresh[list].length
      ? state[list]
      : fresh[list];
  return {
    ...fresh,
    gpu: entry.gpus.find((name) => name === state.gpu) ?? fresh.gpu,
    row: Math.min(state.row, entry.m - 1),
    column: Math.min(state.column, entry.n - 1),
    a: keep('a'),
    b: keep('b'),
    c: state.entry.c === entry.c ? state.c : fresh.c,
    scaleA: keep('scaleA'),
    scaleB: keep('scaleB'),
  };
}
