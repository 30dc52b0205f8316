/** Cuts work into shards. The work is a list of units, which are never divided. A shard is a range of this list. */

/** Units from `from` up to, but not including, `to`. */
export interface UnitRange {
  readonly from: number;
  readonly to: number;
}

/**
 * Divides units into `shards` ranges of about equal weight. If there are fewer units than shards, some shards are
 * empty.
 */
export function cutUnits(weights: readonly number[], shards: number): readonly UnitRange[] {
  const share = weights.reduce((sum, weight) => sum + weight, 0) / shards;
  const ends: number[] = [];
  let [unit, before] = [0, 0];
  for (let shard = 1; shard < shards; shard++) {
    // A unit belongs to the shard in which the middle of the unit lies.
    for (let weight = weights[unit]; weight !== undefined; weight = weights[unit]) {
      if (before + weight / 2 > share * shard) break;
      before += weight;
      unit++;
    }
    ends.push(unit);
  }
  return [...ends, weights.length].map((to, shard) => ({ from: ends[shard - 1] ?? 0, to }));
}

/**
 * Returns null if the ranges cover every unit exactly once, in order; otherwise, returns a message that says what is
 * wrong.
 */
export function coverTrouble(shards: readonly UnitRange[], units: number): string | null {
  let end = 0;
  for (const [shard, { from, to }] of shards.entries()) {
    if (from < end) return `shard ${shard} repeats unit ${from}`;
    if (from > end) return `no shard has unit ${end}`;
    if (to < from) return `shard ${shard} ends before it begins`;
    end = to;
  }
  if (end < units) return `no shard has unit ${end}`;
  return end > units ? `the last shard ends at unit ${end} of ${units}` : null;
}
