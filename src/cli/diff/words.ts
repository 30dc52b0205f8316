/** Formats the results of a comparison as readable text. */
import type { Comparison } from '../../arrays/statistics/comparison.ts';
import type { SpacingUnit } from '../../arrays/statistics/spacing.ts';
import type { ComparedPair } from '../../tensors/compare-files.ts';
import { starredType } from '../encoding-text.ts';
import { countText, percentText, valueText } from '../number-text.ts';

/**
 * The types of two compared tensors: `F32`, or `F32 → F8_E4M3*` if the types differ. A star means that the elements
 * have scales.
 */
export function typesText({ a, b }: Pick<ComparedPair, 'a' | 'b'>, isAscii: boolean): string {
  const [from, to] = [starredType(a), starredType(b)];
  return from === to ? from : `${from} ${isAscii ? '->' : '\u2192'} ${to}`;
}

export function differentText({ different, count }: Comparison): string {
  return percentText(different, count);
}

/** Ways in which elements can differ that no size of an error expresses. */
export const mismatchWords = {
  nan: 'NaN in only one file',
  infinity: 'infinity in only one file',
  zeroSign: 'zeros of the opposite sign',
} as const;

/** `3 NaN in only one file`: for each such way, the number of elements that differ in this way, if there are any. */
export function mismatchTexts({ nanMismatches, infinityMismatches, zeroSigns }: Comparison): readonly string[] {
  const counts = [
    [nanMismatches, mismatchWords.nan],
    [infinityMismatches, mismatchWords.infinity],
    [zeroSigns, mismatchWords.zeroSign],
  ] as const;
  return counts.filter(([count]) => count > 0).map(([count, words]) => `${countText(count)} ${words}`);
}

export function decibelText(decibels: number): string {
  return Number.isFinite(decibels) ? `${decibels.toFixed(1)} dB` : valueText(decibels);
}

/** A cosine with six decimal places. A cosine between 0.999999 and 1 is written as a difference, such as `1 - 2e-8`. */
export function cosineText(cosine: number): string {
  if (cosine < 1 && cosine > 0.999999) return `1 - ${(1 - cosine).toExponential(0)}`;
  return cosine === 1 ? '1' : cosine.toFixed(6);
}

/** An error in ulps as text: `0`, `<= 1/2`, `<= 1`, …, `> 2^31`. */
export function ulpsText(ulps: number, isAscii: boolean): string {
  if (ulps === 0) return '0';
  if (!Number.isFinite(ulps)) return '> 2^31';
  const most = ulps === 0.5 ? '1/2' : ulps > 4096 ? `2^${Math.log2(ulps)}` : String(ulps);
  return `${isAscii ? '<=' : '\u2264'} ${most}`;
}

/** `[3, 17]`: the index of an element, computed from its position in C order. */
export function placeText(index: number, shape: readonly number[]): string {
  const place: number[] = [];
  let rest = index;
  for (const extent of shape.toReversed()) {
    place.unshift(rest % extent);
    rest = Math.floor(rest / extent);
  }
  return `[${place.join(', ')}]`;
}

/** `e4m3 ulps`, or `e4m3 ulps, scaled` if the scales change the exponents of the elements. */
export function unitText({ format, anyExponent }: SpacingUnit): string {
  return `${format} ulps${anyExponent ? ', scaled' : ''}`;
}

/** For an f32, the fewest digits that identify it; for any other value, at most nine digits. */
export function elementText(value: number): string {
  if (!Number.isFinite(value) || Number.isInteger(value)) return plainText(value);
  for (let digits = 1; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value || short === value) return plainText(short);
  }
  return plainText(Number(value.toPrecision(9)));
}

function plainText(value: number): string {
  return Number.isFinite(value) && !Object.is(value, -0) ? String(value) : valueText(value);
}
