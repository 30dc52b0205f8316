/** `ptxlab eval mma… --a … --b …`: evaluates one element of a matrix product. */
import { type Bits, hex } from '../../base/bits.ts';
import type { Style } from '../../diagnostics/renderers/style.ts';
import {
  dotBits,
  type DotExplanation,
  type DotOperands,
  type ElementType,
  elementTypes,
  explainDotProduct,
  type PreparedDot,
  prepareDot,
  unitScale,
} from '../../evaluation/dot-product.ts';
import { readValue } from '../../explain/read-value.ts';
import { table } from '../../explain/table.ts';
import type { TargetChoice } from '../../explain/target-choice.ts';
import { findGpu } from '../../isa/gpus.ts';
import { decode } from '../../numerics/exact.ts';
import { formatValue } from '../../numerics/describe.ts';
import type { ExplainedChunk, ExplainedTerm } from '../../numerics/explain-dot.ts';
import { type ExitCode, UsageError } from '../exit.ts';
import { plural } from '../number-text.ts';
import { type CommonFlags, readGpu } from '../options.ts';
import { write, writeJson } from '../output.ts';
import { writeRefusal } from '../refusal.ts';
import type { Session } from '../session.ts';
import { columnsOf, styleFor } from '../style.ts';

/** The flags of `eval` for matrix products. Lists of elements are separated by commas. */
export interface DotFlags extends CommonFlags {
  readonly gpu?: string;
  readonly a?: string;
  readonly b?: string;
  readonly c?: string;
  readonly scaleA?: string;
  readonly scaleB?: string;
  readonly explain?: boolean;
  readonly json?: boolean;
}

/** Returns a flag that was given although it is allowed only for matrix products; null if there is none. */
export function dotFlagOf({ gpu, a, b, c, scaleA, scaleB }: DotFlags): string | null {
  const given = { '--a': a, '--b': b, '--c': c, '--scale-a': scaleA, '--scale-b': scaleB, '--gpu': gpu };
  return Object.entries(given).find(([, value]) => value !== undefined)?.[0] ?? null;
}

export async function evalDot(
  mnemonic: string,
  flags: DotFlags,
  place: TargetChoice,
  session: Session,
): Promise<ExitCode> {
  const name = readGpu(flags.gpu);
  const prepared = prepareDot(mnemonic, place, name === null ? null : (findGpu(name) ?? null));
  if (!prepared.ok) {
    await writeRefusal(prepared.error, flags.color, session);
    return 1;
  }
  const operands = readOperands(prepared.value, flags);
  const bits = dotBits(prepared.value, operands);
  const explained = flags.explain === true ? explainDotProduct(prepared.value, operands) : null;
  const { stdout, env } = session;
  if (flags.json === true) {
    await writeJson(stdout, jsonOf(prepared.value, operands, bits, explained));
    return 0;
  }
  const style = await styleFor(flags.color, stdout, env);
  const width = columnsOf(stdout);
  const lines = [
    ...resultLines(prepared.value, operands, bits, width, style),
    ...(explained === null ? [] : explanationLines(prepared.value, explained, width, style)),
  ];
  await write(stdout, `${lines.join('\n')}\n`);
  return 0;
}

// --- operands -------------------------------------------------------------------------------------------------------

function readOperands(prepared: PreparedDot, flags: DotFlags): DotOperands {
  const types = elementTypes(prepared);
  const { count, scales, variant } = prepared;
  const list = (flag: string, text: string | undefined, type: ElementType, size: number): readonly Bits[] => {
    const sized = plural(size, 'element');
    if (text === undefined) throw new UsageError(`${variant.mnemonic} needs ${flag} with ${sized}`);
    const words = text.split(/[\s,]+/).filter((word) => word !== '');
    if (words.length !== size)
      throw new UsageError(`${flag} takes ${sized}, separated by commas; found ${words.length}`);
    return words.map((word) => readElement(flag, word, type));
  };
  const scaled = (flag: string, text: string | undefined): readonly number[] => {
    if (scales === 0 && text !== undefined) throw new UsageError(`${variant.mnemonic} has no scales for ${flag}`);
    if (text === undefined) return Array.from({ length: scales }, () => unitScale(prepared));
    return list(flag, text, types.scale, scales).map(Number);
  };
  return {
    a: list('--a', flags.a, types.a, count),
    b: list('--b', flags.b, types.b, count),
    c: flags.c === undefined ? (types.c.width === 64 ? 0n : 0) : readElement('--c', flags.c, types.c),
    scaleA: scaled('--scale-a', flags.scaleA),
    scaleB: scaled('--scale-b', flags.scaleB),
  };
}

function readElement(flag: string, word: string, type: ElementType): Bits {
  const value = readValue(word, type);
  if (!value.ok) throw new UsageError(`${flag}: ${value.error}`);
  return value.value.bits;
}

// --- text -----------------------------------------------------------------------------------------------------------

const bitsText = (bits: Bits, { width }: ElementType): string => `0x${hex(bits, width)}`;

function valueText(bits: Bits, { format }: ElementType): string {
  return format === null ? bits.toString() : formatValue(format, bits);
}

function resultLines(
  prepared: PreparedDot,
  operands: DotOperands,
  bits: Bits,
  width: number,
  style: Style,
): readonly string[] {
  const types = elementTypes(prepared);
  const list = (name: 'a' | 'b'): readonly string[] => {
    const type = types[name];
    return [name, `${prepared.count} elements`, type.name, operands[name].map((one) => valueText(one, type)).join(' ')];
  };
  const single = (name: 'c' | 'd', value: Bits): readonly string[] => {
    const type = types[name];
    return [name, bitsText(value, type), type.name, valueText(value, type)];
  };
  const scales = (['scaleA', 'scaleB'] as const).flatMap((name) => {
    const own = operands[name].map((one) => valueText(one, types.scale)).join(' ');
    return prepared.scales === 0 ? [] : [[`scale-${name.slice(-1).toLowerCase()}`, '', types.scale.name, own]];
  });
  return [
    `${style.accent(prepared.variant.mnemonic)} on ${prepared.gpu.name}`,
    ...table([list('a'), list('b'), ...scales, single('c', operands.c), single('d', bits)], width),
  ];
}

function explanationLines(
  prepared: PreparedDot,
  { chunks, addsLast, byGpu, exact }: DotExplanation,
  width: number,
  style: Style,
): readonly string[] {
  const { d } = elementTypes(prepared);
  const shown = (bits: Bits): readonly string[] => [bitsText(bits, d), valueText(bits, d)];
  const others = [
    ...byGpu.map(({ gpus, bits }) => [gpus, ...shown(bits)]),
    ...(exact === null ? [] : [['exact sum, rounded', ...shown(exact)]]),
  ];
  return [
    ...chunks.flatMap((chunk, i) => [
      '',
      style.strong(`Chunk ${i + 1} of ${chunks.length}${headingOf(chunk)}`),
      ...chunkLines(chunk, prepared, width),
      ...table([['result', ...shown(chunk.result), roundingOf(chunk, prepared)]], width),
    ]),
    ...(addsLast ? ['', 'Then c is added, and the sum is rounded to nearest even.'] : []),
    '',
    style.strong('On each GPU'),
    ...table(others, width),
  ];
}

const roundings = {
  f32: 'the sum truncated to 24 bits',
  e8m13: 'the sum truncated to 14 bits',
  f16: 'the sum rounded to nearest even',
} as const;

/** Describes how the sum was rounded to get the result; empty if the result is equal to the sum. */
function roundingOf({ sum, unit, result }: ExplainedChunk, { product }: PreparedDot): string {
  if (product.kind !== 'float' || sum === null || unit === null) return '';
  const value = decode(product.d.format, result);
  const isSame =
    value.kind === 'zero'
      ? sum === 0
      : value.kind === 'finite' && value.significand * 2 ** value.exponent === Math.abs(sum) * 2 ** unit;
  return isSame ? '' : roundings[product.arithmetic.end];
}

function headingOf({ greatest, unit }: ExplainedChunk): string {
  return greatest === null ? '' : `: greatest exponent ${greatest}, cut off below 2^${unit}`;
}

/**
 * A line for each term, with its value, its exponent, and its digits. A bar separates the digits that are added from
 * those that are truncated.
 */
function chunkLines(chunk: ExplainedChunk, { product }: PreparedDot, width: number): readonly string[] {
  const { greatest, unit, sum, terms } = chunk;
  const isGrouped = product.kind === 'float' && product.scaling?.group === 16;
  const nameOf = ({ index }: ExplainedTerm): string =>
    index === null ? 'so far' : isGrouped ? `group ${index}` : `k = ${index}`;
  if (greatest === null || unit === null || sum === null) {
    return table(
      terms.map((term) => [nameOf(term), String(term.value)]),
      width,
    );
  }
  const fraction = greatest - unit;
  const total = Math.abs(sum).toString(2);
  const digits = Math.max(fraction + 1, total.length, ...terms.map(({ kept }) => kept.length));
  const row = (name: string, value: number, exponent: string, sign: string, kept: string): readonly string[] => [
    name.padEnd(8),
    shortNumber(value).padStart(12),
    exponent.padStart(5),
    sign + pointed(kept, digits, fraction),
  ];
  const room = (line: string): number => width - line.length - 3;
  const lines = terms.map((term) => {
    const { value, exponent, sign, kept, cut } = term;
    const line = `  ${row(nameOf(term), Number(value), String(exponent), sign, kept).join('  ')}`;
    return cut === '' ? line : `${line} |${shorten(cut, room(line))}`;
  });
  const sign = sum < 0 ? '-' : '+';
  return [
    `  ${['term'.padEnd(8), 'value'.padStart(12), 'exp'.padStart(5), ' digits | cut off'].join('  ')}`,
    ...lines,
    `  ${row('sum', sum * 2 ** unit, '', sign, total).join('  ')}`,
  ];
}

/** Binary digits with a point before the last `fraction` digits. */
function pointed(digits: string, length: number, fraction: number): string {
  const all = digits.padStart(Math.max(digits.length, fraction + 1), '0').padStart(length);
  return `${all.slice(0, length - fraction)}.${all.slice(length - fraction)}`;
}

function shortNumber(value: number): string {
  const exact = String(value);
  return exact.length <= 12 ? exact : value.toPrecision(6).replace(/\.?0+(?=e|$)/, '');
}

function shorten(digits: string, room: number): string {
  return digits.length <= room ? digits : `${digits.slice(0, Math.max(0, room - 1))}\u2026`;
}

// --- JSON -----------------------------------------------------------------------------------------------------------

function jsonOf(prepared: PreparedDot, operands: DotOperands, bits: Bits, explained: DotExplanation | null): object {
  const types = elementTypes(prepared);
  const one = (value: Bits, type: ElementType): object => ({
    bits: hex(value, type.width),
    value: valueText(value, type),
  });
  const scales = {
    scaleA: operands.scaleA.map((value) => one(value, types.scale)),
    scaleB: operands.scaleB.map((value) => one(value, types.scale)),
  };
  return {
    inst: prepared.variant.mnemonic,
    gpu: prepared.gpu.name,
    a: operands.a.map((value) => one(value, types.a)),
    b: operands.b.map((value) => one(value, types.b)),
    ...(prepared.scales === 0 ? {} : scales),
    c: one(operands.c, types.c),
    d: one(bits, types.d),
    ...(explained === null ? {} : { explanation: explanationJson(explained, types.d) }),
  };
}

function explanationJson({ chunks, addsLast, byGpu, exact }: DotExplanation, d: ElementType): object {
  const shown = (bits: Bits): object => ({ bits: hex(bits, d.width), value: valueText(bits, d) });
  return {
    chunks: chunks.map((chunk) => ({ ...chunk, result: shown(chunk.result) })),
    addsLast,
    byGpu: byGpu.map(({ gpus, bits }) => ({ gpus, ...shown(bits) })),
    exact: exact === null ? null : shown(exact),
  };
}
