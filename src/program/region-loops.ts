/** Finds the natural loops of a region's back edges. */
import type { Region } from './regions.ts';

/** Maps each block that is in a loop to the first block of the outermost loop that contains it. */
export function outermostLoops(
  { order, loops }: Region,
  successors: ReadonlyMap<number, readonly number[]>,
): ReadonlyMap<number, number> {
  const found = new Map<number, number>();
  if (loops.size === 0) return found;
  const rank = new Map(order.map((block, i) => [block, i] as const));
  const before = new Map<number, number[]>(order.map((block) => [block, []]));
  for (const [source, targets] of successors) for (const target of targets) before.get(target)?.push(source);
  for (const start of order) {
    if (!loops.has(start) || found.has(start)) continue;
    found.set(start, start);
    const isBack = (source: number): boolean => (rank.get(source) ?? 0) >= (rank.get(start) ?? 0);
    const open = (before.get(start) ?? []).filter(isBack);
    for (let block = open.pop(); block !== undefined; block = open.pop()) {
      if (found.get(block) === start) continue;
      found.set(block, start);
      open.push(...(before.get(block) ?? []));
    }
  }
  return found;
}
