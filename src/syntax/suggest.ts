const farthest = 2;

/** The candidate that is at most two edits from `word` and nearest to it; null if there is none. */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  if (word.length > 40) return null;
  let best: string | null = null;
  let least = farthest + 1;
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

/** The number of insertions, deletions and replacements between two words. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[b.length] as number;
}
