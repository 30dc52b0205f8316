/** Histograms as text. */
import type { ExponentCount } from '../arrays/statistics/exponent-histogram.ts';
import { elementAt } from '../base/element-at.ts';
import { countText, percentText } from './number-text.ts';

/** The characters that bars are drawn with. */
interface BarGlyphs {
  /** Nine characters, from an empty one to a full one, for bars that grow upward. */
  readonly heights: string;
  /** Characters that are filled from the left edge, in order of increasing width; the last one is completely filled. */
  readonly widths: string;
  /** For bars that grow to the left: a half-filled character and a full one. */
  readonly leftward: string;
}

const blocks: BarGlyphs = {
  heights: ' \u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588',
  widths: '\u258f\u258e\u258d\u258c\u258b\u258a\u2589\u2588',
  leftward: '\u2590\u2588',
};
const ascii: BarGlyphs = { heights: ' .:-=+*#@', widths: '#', leftward: '#' };

function glyphsOf(isAscii: boolean): BarGlyphs {
  return isAscii ? ascii : blocks;
}

/**
 * A bar that starts at the left edge and fills the fraction `share` (0 to 1) of `width` columns. Unless the share is
 * zero, at least a sliver is visible.
 */
export function bar(share: number, width: number, isAscii: boolean): string {
  return drawBar(share, width, glyphsOf(isAscii).widths, (whole, rest) => whole + rest);
}

/** A bar that starts at the right edge and is padded on the left to `width` columns. */
function leftwardBar(share: number, width: number, isAscii: boolean): string {
  return drawBar(share, width, glyphsOf(isAscii).leftward, (whole, rest) => rest + whole).padStart(width);
}

function drawBar(share: number, width: number, parts: string, join: (whole: string, rest: string) => string): string {
  if (share <= 0) return '';
  const steps = Math.max(1, Math.round(share * width * parts.length));
  const rest = steps % parts.length;
  return join((parts.at(-1) ?? '').repeat(Math.floor(steps / parts.length)), rest === 0 ? '' : parts.charAt(rest - 1));
}

/**
 * The counts for the `limit` highest exponents, in ascending order. Exponents that do not occur have a count of 0, and
 * the first count includes all lower exponents as well.
 */
function topBinades(exponents: readonly ExponentCount[], limit: number): readonly ExponentCount[] {
  const highest = exponents.at(-1)?.exponent;
  if (highest === undefined) return [];
  const lowest = Math.max(exponents[0]?.exponent ?? highest, highest - limit + 1);
  const bins = Array.from({ length: highest - lowest + 1 }, (_, i) => ({
    exponent: lowest + i,
    negative: 0,
    positive: 0,
  }));
  for (const { exponent, negative, positive } of exponents) {
    const bin = elementAt(bins, Math.max(0, exponent - lowest));
    bin.negative += negative;
    bin.positive += positive;
  }
  return bins;
}

/** The width of a sparkline in columns, without its label. */
const sparkWidth = 12;

/**
 * The number of elements in each of the twelve highest binades, drawn as one character each, followed by the exponent
 * of the highest binade.
 */
export function sparkline(exponents: readonly ExponentCount[], isAscii: boolean): string {
  const bins = topBinades(exponents, sparkWidth);
  if (bins.length === 0) return '';
  const { heights } = glyphsOf(isAscii);
  const totals = bins.map(({ negative, positive }) => negative + positive);
  const most = Math.max(...totals);
  const line = totals.map((total) => heights.charAt(Math.ceil((total / most) * (heights.length - 1))));
  return `${line.join('').padStart(sparkWidth)} 2^${bins.at(-1)?.exponent}`;
}

/** The maximum number of binades that are drawn, each on its own line. */
const lines = 24;

/** A line for each binade, highest first: negative elements to the left, positive ones to the right. */
export function drawBinades(exponents: readonly ExponentCount[], width: number, isAscii: boolean): readonly string[] {
  const bins = topBinades(exponents, lines).toReversed();
  const whole = bins.reduce((sum, { negative, positive }) => sum + negative + positive, 0);
  const most = Math.max(1, ...bins.map(({ negative, positive }) => Math.max(negative, positive)));
  const isCut = (exponents[0]?.exponent ?? 0) < (bins.at(-1)?.exponent ?? 0);
  const counts = bins.map(({ negative, positive }) => countText(negative + positive));
  const countWidth = Math.max(5, ...counts.map((text) => text.length));
  const columns = Math.max(4, Math.min(24, Math.floor((width - countWidth - 24) / 2)));
  const head = `${'negative'.padStart(columns)}  ${'|x|'.padStart(7)}  ${'positive'.padEnd(columns)}  ${'count'.padStart(countWidth)}`;
  const body = bins.map(({ exponent, negative, positive }, i) => {
    const isRest = isCut && i === bins.length - 1;
    const label = isRest ? `< 2^${exponent + 1}` : `2^${exponent}`;
    const left = leftwardBar(negative / most, columns, isAscii);
    const right = bar(positive / most, columns, isAscii).padEnd(columns);
    const share = percentText(negative + positive, whole).padStart(8);
    return `${left}  ${label.padStart(7)}  ${right}  ${elementAt(counts, i).padStart(countWidth)}  ${share}`;
  });
  return bins.length === 0 ? [] : [head, ...body];
}
