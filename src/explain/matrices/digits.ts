/**
 * Returns a formula for a row, column or matrix number in terms of the lane and the element index. The formula is built
 * from the digits of that number.
 */
import { elementAt } from '../../base/element-at.ts';
import type { Digit } from '../../isa/fragments.ts';

/**
 * A group of adjacent binary digits of a row, column or matrix number. They are copies of adjacent digits of the lane's
 * number or of the element's index.
 */
interface Run {
  readonly from: 'lane' | 'i';
  readonly low: number;
  readonly count: number;
  /** The position of the run's lowest digit within the number. */
  readonly place: number;
}

/** For example `lane / 4 + 8 * (i / 2 % 2)`; `0` if there are no digits. */
export function digitsText(digits: readonly Digit[]): string {
  const text = runsOf(digits).map(termText).join(' + ');
  return text === '' ? '0' : text;
}

function runsOf(digits: readonly Digit[]): readonly Run[] {
  const runs: Run[] = [];
  digits.forEach((digit, place) => {
    const from = digit.startsWith('l') ? 'lane' : 'i';
    const low = Number(digit.slice(1));
    const last = runs.length === 0 ? null : elementAt(runs, runs.length - 1);
    if (last !== null && last.from === from && last.low + last.count === low) {
      runs[runs.length - 1] = { ...last, count: last.count + 1 };
    } else runs.push({ from, low, count: 1, place });
  });
  return runs;
}

const laneDigits = 5;

function termText({ from, low, count, place }: Run): string {
  const divided = low === 0 ? from : `${from} / ${2 ** low}`;
  const isTop = from === 'lane' && low + count === laneDigits;
  const taken = isTop ? divided : `${divided} % ${2 ** count}`;
  return place > 0 ? `${2 ** place} * (${taken})` : taken;
}
