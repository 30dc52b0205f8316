/** Reads the values that ptxas folded (test/golden/folded-values/README.md describes them). */
import { readFileSync } from 'node:fs';

export interface Folded {
  readonly inst: string;
  /** Each row contains the sources, in order, and then the result. */
  readonly rows: readonly (readonly string[])[];
}

export function foldedValues(): readonly Folded[] {
  const file = new URL('./folded-values/rows.jsonl', import.meta.url);
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line): Folded => JSON.parse(line));
}

/** A chain of instructions in which each passes a carry to the next. The last result is in hexadecimal. */
export interface FoldedChain {
  readonly chain: string;
  readonly width: 32 | 64;
  readonly result: string;
}

export function foldedChains(): readonly FoldedChain[] {
  const file = new URL('./folded-values/carries.jsonl', import.meta.url);
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line): FoldedChain => JSON.parse(line));
}
