/**
 * The stretch of the number line around a source: the source itself, its two neighbors in the destination format, and
 * their midpoint.
 */
import {
  type Bits,
  type ConversionExplanation,
  type Encoding,
  type FormatName,
  formats,
  nextNumber,
  numberText,
} from 'ptxlab/numbers';
import { type Exact, exactValue, isSame, minus, numberOf, plus, quotient, textOf, wholeOf } from './exact.ts';

export interface Mark {
  /** The value as text, without its hexadecimal form. */
  readonly text: string;
  /** The encoding of the value in the destination format; null if there is none. */
  readonly encoding: Encoding | null;
}

export interface Stretch {
  readonly to: FormatName;
  readonly left: Mark;
  readonly right: Mark;
  /** The values at the left and right ends of this stretch of the number line. */
  readonly low: Exact;
  readonly high: Exact;
  /** The position of the source: 0 is the left end of the stretch, and 1 is the right end. */
  readonly source: number;
  /**
   * The source as text, which is usually a short decimal number. If the destination is an integer format, an integer
   * that is in view is written with all its digits.
   */
  readonly sourceText: string;
  /** Position of the result; null if it is not in view. */
  readonly result: number | null;
  /** Whether the midpoint is shown. If so, the source snaps to it while it is dragged. */
  readonly hasMidpoint: boolean;
  /** The exact values of the source and the result. */
  readonly values: { readonly source: Exact; readonly result: Exact | null };
}

const zero: Exact = { significand: 0n, exponent: 0 };

/**
 * Returns the stretch around a source; null if the source is NaN or infinite, because it is then not on the number
 * line.
 */
export function stretchOf(to: FormatName, explained: Explained): Stretch | null {
  const { weights, result, below, source } = explained;
  if (weights === null && source.value !== '0' && source.value !== '-0') return null;
  const value = weights === null ? zero : signed(weights, source);
  const [low, high] = endsOf(to, explained, value);
  if (low === null || high === null) return null;
  const stretch = {
    to,
    left: { text: low.text, encoding: low.encoding },
    right: { text: high.text, encoding: high.encoding },
    low: low.value,
    high: high.value,
    hasMidpoint: low.encoding !== null && high.encoding !== null && below !== null,
    values: { source: value, result: exactValue(to, result.bits) },
  };
  const placed = onStretch(stretch, stretch);
  return { ...placed, sourceText: isInView(placed.source) ? textNear(to, value, source) : shortText(source.value) };
}

function signed({ significand, lowest }: NonNullable<Explained['weights']>, source: Encoding): Exact {
  return { significand: source.value.startsWith('-') ? -significand : significand, exponent: lowest };
}

/**
 * The source as text. If the destination is an integer format, integers are written with all their digits: next to the
 * digits of a 64-bit integer, the shortest decimal form of a float would be misleading.
 */
function textNear(to: FormatName, value: Exact, source: Encoding): string {
  return formats[to].kind === 'integer' && wholeOf(value) !== null ? textOf(value) : shortText(source.value);
}

function shortText(text: string): string {
  return text.split(' (')[0] ?? '';
}

type Ends = Pick<Stretch, 'low' | 'high'>;

/** Returns the stretch `fixed`, with the source and the result of another stretch marked on it. */
export function onStretch<T extends Ends>(fixed: T, { values }: Pick<Stretch, 'values'>): T & Placed {
  const width = minus(fixed.high, fixed.low);
  const place = (value: Exact): number => quotient(minus(value, fixed.low), width);
  const result = values.result === null ? null : place(values.result);
  return { ...fixed, source: place(values.source), result: result === null || !isInView(result) ? null : result };
}

type Placed = Pick<Stretch, 'source' | 'result'>;

function isInView(at: number): boolean {
  return at >= -0.5 && at <= 1.5;
}

type Explained = Pick<ConversionExplanation, 'weights' | 'result' | 'below' | 'above' | 'source'>;

interface End extends Mark {
  readonly value: Exact;
}

type EndPair = readonly [End | null, End | null];

function endsOf(to: FormatName, { below, above, result, weights }: Explained, value: Exact): EndPair {
  const ulp = { significand: 1n, exponent: weights?.lastPlace ?? 0 };
  const [low, high] = [below, above].map((end) => (end === null ? null : exactValue(to, end.bits)));
  const [after, before] = [low && plus(low, ulp), high && minus(high, ulp)];
  const [lower, upper] = [low ?? before ?? null, high ?? after ?? null];
  if (lower === null || upper === null) return exactEnds(to, result, value);
  return [endAt(lower, below), endAt(upper, above)];
}

/**
 * One end of a stretch of the number line. If the format has no finite value there, the end is placed where the next
 * finite value would be.
 */
function endAt(value: Exact, encoding: Encoding | null): End {
  return { value, encoding, text: encoding === null ? textOf(value) : shortText(encoding.value) };
}

/**
 * If the destination can represent the source, the source is the left end and the next value is the right end. The
 * largest value is the right end, because it has no next value.
 */
function exactEnds(to: FormatName, result: Encoding, value: Exact): EndPair {
  const here = exactValue(to, result.bits);
  if (here === null || !isSame(here, value)) return [null, null];
  const up = neighbor(to, result.bits, true);
  if (up !== null) return [endAt(here, result), up];
  const down = neighbor(to, result.bits, false);
  return [down, down === null ? null : endAt(here, result)];
}

function neighbor(to: FormatName, bits: Bits, up: boolean): End | null {
  const next = nextNumber(to, bits, up);
  const value = next === null ? null : exactValue(to, next);
  return next === null || value === null ? null : endAt(value, { bits: next, value: numberText(to, next) });
}

/** Distance from the midpoint within which a dragged source snaps to it. */
const snap = 0.02;

/**
 * The value at a position on this stretch of the number line; positions near the midpoint or a neighbor snap to that
 * point. Doubles are too coarse for large integers, so between two of these the value is the nearest integer.
 */
export function valueAt({ low, high, hasMidpoint }: Ends & Pick<Stretch, 'hasMidpoint'>, at: number): number | bigint {
  const stops = hasMidpoint ? [0, 0.5, 1] : [0, 1];
  const place = stops.find((stop) => Math.abs(stop - at) < snap) ?? at;
  const [first, last] = [numberOf(low), numberOf(high)];
  const [firstWhole, lastWhole] = [wholeOf(low), wholeOf(high)];
  const isFine = Math.max(Math.abs(first), Math.abs(last)) <= Number.MAX_SAFE_INTEGER;
  if (isFine || firstWhole === null || lastWhole === null) return first + place * (last - first);
  return firstWhole + BigInt(Math.round(place * Number(lastWhole - firstWhole)));
}
