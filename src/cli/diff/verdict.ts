/** Whether two tensor files are close enough to each other. */
import type { Comparison } from '../../arrays/statistics/comparison.ts';
import type { ComparedPair } from '../../tensors/compare-files.ts';
import type { FileDiff } from './file-diff.ts';
import { mismatchWords } from './words.ts';

/** The limits on the differences; a limit that is not given is null. */
export interface Limits {
  readonly maxAbs: number | null;
  readonly maxRel: number | null;
  readonly minSqnr: number | null;
}

/** Whether any limit was given. If no limit was given, tensors have to be equal. */
export function isLimited({ maxAbs, maxRel, minSqnr }: Limits): boolean {
  return maxAbs !== null || maxRel !== null || minSqnr !== null;
}

/** Whether every element has the same value as its counterpart. */
export function isEqual({ outcome }: ComparedPair): boolean {
  switch (outcome.kind) {
    case 'compared':
      return outcome.comparison.different === 0;
    case 'bytes':
      return outcome.areEqual;
    case 'shapes-differ':
    case 'types-differ':
      return false;
  }
}

/** Whether a pair is acceptable: equal, or different but within the limits. */
export function isAccepted(pair: ComparedPair, limits: Limits): boolean {
  return complaints(pair, limits).length === 0;
}

/** The problems with a pair; empty if the pair is acceptable. */
export function complaints(pair: ComparedPair, limits: Limits): readonly string[] {
  if (isEqual(pair)) return [];
  switch (pair.outcome.kind) {
    case 'shapes-differ':
      return ['shapes differ'];
    case 'types-differ':
      return ['types differ, and one of them is unknown'];
    case 'bytes':
      return ['bytes differ'];
    case 'compared':
      return isLimited(limits) ? exceeded(pair.outcome.comparison, limits) : ['values differ'];
  }
}

function exceeded(found: Comparison, { maxAbs, maxRel, minSqnr }: Limits): readonly string[] {
  const words: string[] = [];
  if (found.nanMismatches > 0) words.push(mismatchWords.nan);
  if (found.infinityMismatches > 0) words.push(mismatchWords.infinity);
  if (maxAbs !== null && found.maxAbs > maxAbs) words.push(`beyond --max-abs ${maxAbs}`);
  if (maxRel !== null && found.maxRel > maxRel) words.push(`beyond --max-rel ${maxRel}`);
  // The comparison is negated so that an SQNR of NaN, which results from an overflow, also counts as too low.
  if (minSqnr !== null && !(found.sqnr >= minSqnr)) words.push(`below --min-sqnr ${minSqnr}`);
  return words;
}

/** True if nothing is missing on either side and every pair is accepted. */
export function isClean({ pairs, onlyInA, onlyInB }: FileDiff, limits: Limits): boolean {
  return onlyInA.length + onlyInB.length === 0 && pairs.every((pair) => isAccepted(pair, limits));
}
