/** Numbers that describe the differences between two functions, for both the text output and the JSON output. */
import type { FunctionDiff, LineDiff } from '../../analysis.ts';

export interface DiffCounts {
  /** The number of instructions in each function. */
  readonly a: number;
  readonly b: number;
  readonly same: number;
  readonly changed: number;
  readonly removed: number;
  readonly added: number;
}

export function countsOf({ blocks }: FunctionDiff): DiffCounts {
  const lines = blocks.flatMap((block) => block.lines);
  const count = (wanted: LineDiff['kind']): number => lines.filter(({ kind }) => kind === wanted).length;
  const [same, changed, removed, added] = [count('same'), count('changed'), count('removed'), count('added')];
  return { a: same + changed + removed, b: same + changed + added, same, changed, removed, added };
}
