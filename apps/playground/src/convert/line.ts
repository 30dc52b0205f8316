/**
 * The stretch of the number line around a source: the source itself, its two neighbors in the destination format, and
 * their midpoint.
 */
import {
  type Bits,
  type ConversionExplanation,
  type Encoding,
  type FormatName,
  nextNumber,
  numberText,
  numberValue,
} from 'ptxlab/numbers';

export interface Mark {
  /** Position on the stretch: 0 is the left neighbor, and 1 is the right neighbor. */
  readonly at: number;
  readonly encoding: Encoding | null;
  /** The label that is shown if the value has no encoding in the destination format. */
  readonly note: string;
}

export interface Stretch {
  readonly left: Mark;
  readonly right: Mark;
  /** The values at the left and right ends of the stretch. */
  readonly low: number;
  readonly high: number;
  /** Where the source is. */
  readonly source: number;
  /** Position of the result; null if it is not in view. */
  readonly result: number | null;
  /** Whether the midpoint is shown. If so, the source snaps to it while it is dragged. */
  readonly hasMidpoint: boolean;
}

/** Returns the stretch around a source; null if the source is NaN or infinite, because it has no place on the line. */
export function stretchOf(to: FormatName, explained: Explained): Stretch | null {
  const { weights, result, below, source } = explained;
  const value = weights === null ? 0 : Number(weights.significand) * 2 ** weights.lowest * signOf(source);
  if (weights === null && source.value !== '0' && source.value !== '-0') return null;
  const [low, high] = endsOf(to, explained, weights?.lastPlace ?? 0, value);
  if (low === null || high === null) return null;
  const place = (x: number): number => (x - low.value) / (high.value - low.value);
  const resultValue = numberValue(to, result.bits);
  const resultAt = Number.isFinite(resultValue) ? place(resultValue) : null;
  return {
    left: { at: 0, encoding: low.encoding, note: low.note },
    right: { at: 1, encoding: high.encoding, note: high.note },
    low: low.value,
    high: high.value,
    source: place(value),
    result: resultAt === null || resultAt < -0.5 || resultAt > 1.5 ? null : resultAt,
    hasMidpoint: low.encoding !== null && high.encoding !== null && below !== null,
  };
}

type Explained = Pick<ConversionExplanation, 'weights' | 'result' | 'below' | 'above' | 'source'>;

interface End {
  readonly value: number;
  readonly encoding: Encoding | null;
  readonly note: string;
}

type Ends = readonly [End | null, End | null];

function endsOf(to: FormatName, { below, above, result }: Explained, lastPlace: number, value: number): Ends {
  const ulp = 2 ** lastPlace;
  const low = below === null ? null : endAt(to, below);
  const high = above === null ? null : endAt(to, above);
  if (low !== null && high !== null) return [finite(low, high.value - ulp), finite(high, low.value + ulp)];
  if (low !== null) return [low, missing(to, low.value + ulp)];
  if (high !== null) return [missing(to, high.value - ulp), high];
  return exactEnds(to, result, value);
}

/**
 * An end of a stretch that lies beyond the largest or smallest value of the format, so that the format has no value
 * there. The end is placed where the next value would be.
 */
function missing(to: FormatName, value: number): End {
  return { value, encoding: null, note: `${value}: not in ${to}` };
}

/** An infinite neighbor is drawn where the next finite value would be. */
function finite(end: End, instead: number): End {
  return Number.isFinite(end.value) ? end : { ...end, value: instead };
}

/** If the destination can represent the source, the source is the left end and the next value is the right end. */
function exactEnds(to: FormatName, result: Encoding, value: number): Ends {
  const here = endAt(to, result);
  if (!Number.isFinite(here.value) || here.value !== value) return [null, null];
  const up = neighbor(to, result.bits, true);
  if (up !== null) return [here, up];
  const down = neighbor(to, result.bits, false);
  return [down, down === null ? null : here];
}

function neighbor(to: FormatName, bits: Bits, up: boolean): End | null {
  const next = nextNumber(to, bits, up);
  const end = next === null ? null : endAt(to, { bits: next, value: numberText(to, next) });
  return end !== null && Number.isFinite(end.value) ? end : null;
}

function endAt(to: FormatName, encoding: Encoding): End {
  return { value: numberValue(to, encoding.bits), encoding, note: '' };
}

function signOf({ value }: Encoding): 1 | -1 {
  return value.startsWith('-') ? -1 : 1;
}

/** Distance from the midpoint within which a dragged source snaps to it. */
const snap = 0.02;

/** The value at a position on the stretch; positions near the midpoint or a neighbor snap to that point. */
export function valueAt({ low, high, hasMidpoint }: Stretch, at: number): number {
  const stops = hasMidpoint ? [0, 0.5, 1] : [0, 1];
  const near = stops.find((stop) => Math.abs(stop - at) < snap);
  return low + (near ?? at) * (high - low);
}
