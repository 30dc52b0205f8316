/** The candidate nearest to `word`, at most two edits from it, or one where `word` is short; null if there is none. */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  if (word.length > 40) return null;
  let best: string | null = null;
  let least = word.length < 6 ? 2 : 3;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= least) continue;
    const edits = distance(word, candidate);
    if (edits < least) {
      least = edits;
      best = candidate;
    }
  }
  return best;
}

/** The number of insertions, deletions, replacements and swaps of neighbours between two words. */
function distance(a: string, b: string): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (before[j - 2] as number) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] as number;
}
