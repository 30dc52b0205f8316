/** Parses flags whose values are counts. */
import { UsageError } from './exit.ts';

/** The smallest and the largest number that a flag accepts. */
interface CountRange {
  readonly least: number;
  readonly most: number;
}

/** Parses the value of a flag as a whole number. */
export function readCount(flag: string, text: string, { least, most }: CountRange): number {
  const count = /^\d+$/.test(text) ? Number(text) : null;
  if (count !== null && count >= least && count <= most) return count;
  throw new UsageError(`${flag} takes a whole number from ${least} to ${most}, not '${text}'`);
}
