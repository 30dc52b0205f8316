/** Counts how often two functions use each mnemonic. */

export interface MnemonicCount {
  readonly mnemonic: string;
  readonly a: number;
  readonly b: number;
}

interface WithMnemonic {
  readonly mnemonic: string;
}

/**
 * Counts the uses of each mnemonic in `a` and in `b`. Returns the mnemonics whose counts differ, with the largest
 * difference first.
 */
export function mnemonicCounts(a: readonly WithMnemonic[], b: readonly WithMnemonic[]): readonly MnemonicCount[] {
  const ones = (lines: readonly WithMnemonic[], side: 'a' | 'b'): readonly MnemonicCount[] =>
    lines.map(({ mnemonic }) => ({ mnemonic, a: 0, b: 0, [side]: 1 }));
  return addedCounts([...ones(a, 'a'), ...ones(b, 'b')]);
}

/** Adds up the counts of each mnemonic, and sorts the sums the way `mnemonicCounts` does. */
export function addedCounts(counts: readonly MnemonicCount[]): readonly MnemonicCount[] {
  const sums = new Map<string, { mnemonic: string; a: number; b: number }>();
  for (const { mnemonic, a, b } of counts) {
    const sum = sums.get(mnemonic);
    if (sum === undefined) sums.set(mnemonic, { mnemonic, a, b });
    else {
      sum.a += a;
      sum.b += b;
    }
  }
  const change = ({ a, b }: MnemonicCount): number => Math.abs(b - a);
  return [...sums.values()]
    .filter((one) => change(one) > 0)
    .toSorted((x, y) => change(y) - change(x) || (x.mnemonic < y.mnemonic ? -1 : 1));
}
