/**
 * Shows each bit of the source's significand with its binary weight, and the place at which the source is rounded to
 * the destination format.
 */
import { type BitWeights, type FormatName, numberValue, type Bits } from 'ptxlab/numbers';

export type Part = 'kept' | 'guard' | 'sticky';

export interface Column {
  /**
   * The weight of the bit in this column: the bit has the value 2^weight. The last column may also represent all lower
   * bits.
   */
  readonly weight: number;
  readonly part: Part;
  readonly source: '0' | '1' | '';
  /**
   * The digit of the result. It is empty in columns below the last place of the result, and in all columns if the
   * result is not a rounded significand (for example, if it is infinite).
   */
  readonly result: '0' | '1' | '';
  /** Number of bits that the column represents. */
  readonly bits: number;
}

/** The maximum number of sticky bits that are shown one by one. */
const mostSticky = 7;

/** The columns, in descending order of weight. */
export function columnsOf(weights: BitWeights, to: FormatName, result: Bits): readonly Column[] {
  const { significand, lowest, lastPlace } = weights;
  const rounded = roundedSignificand(to, result, lastPlace);
  const top = lowest + lengthOf(significand) - 1;
  const highest = Math.max(top, lastPlace, rounded === null ? top : lastPlace + lengthOf(rounded) - 1);
  const lowestShown = Math.min(lowest, Math.max(lastPlace, lowest));
  const columns: Column[] = [];
  for (let weight = highest; weight >= lowestShown; weight--) {
    const sticky = lastPlace - 2 - weight;
    if (sticky === mostSticky - 1 && weight > lowestShown) {
      columns.push(restColumn(significand, lowest, weight));
      break;
    }
    columns.push({
      weight,
      part: weight >= lastPlace ? 'kept' : weight === lastPlace - 1 ? 'guard' : 'sticky',
      source: weight > top ? '' : digit(significand, weight - lowest),
      result: rounded === null || weight < lastPlace ? '' : digit(rounded, weight - lastPlace),
      bits: 1,
    });
  }
  return columns;
}

function restColumn(significand: bigint, lowest: number, weight: number): Column {
  const bits = weight - lowest + 1;
  const isSet = (significand & ((1n << BigInt(bits)) - 1n)) !== 0n;
  return { weight, part: 'sticky', source: isSet ? '1' : '0', result: '', bits };
}

/**
 * The result in units of the last place; null if it is not a multiple of that unit (because it is clamped, infinite or
 * NaN).
 */
function roundedSignificand(to: FormatName, result: Bits, lastPlace: number): bigint | null {
  const value = Math.abs(numberValue(to, result)) / 2 ** lastPlace;
  return Number.isSafeInteger(value) ? BigInt(value) : null;
}

function digit(significand: bigint, place: number): '0' | '1' {
  return place >= 0 && ((significand >> BigInt(place)) & 1n) === 1n ? '1' : '0';
}

function lengthOf(significand: bigint): number {
  return significand.toString(2).length;
}
