/** The candidate with the fewest edits from `word`, where there are few enough for a slip of the finger; else null. */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  const limit = word.length <= 3 ? 1 : word.length <= 8 ? 2 : 3;
  let best: string | null = null;
  let bestDistance = limit + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue;
    const distance = edits(word.toLowerCase(), candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance && candidate !== word) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Levenshtein distance, cut off at `limit`. */
function edits(a: string, b: string, limit: number): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      const value = Math.min(
        (previous[j - 1] as number) + same,
        (previous[j] as number) + 1,
        (row[j - 1] as number) + 1,
      );
      row.push(value);
      if (value < least) least = value;
    }
    if (least >= limit) return limit;
    previous = row;
  }
  return previous[b.length] as number;
}
