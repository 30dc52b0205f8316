/** Reading the values that ptxas folded (test/golden/folded-values/README.md says what they are). */
import { readFileSync } from 'node:fs';

export interface Folded {
  readonly inst: string;
  /** Sources in their order, then the result. */
  readonly rows: readonly (readonly string[])[];
}

export function foldedValues(): readonly Folded[] {
  const file = new URL('./folded-values/rows.jsonl', import.meta.url);
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line): Folded => JSON.parse(line));
}
