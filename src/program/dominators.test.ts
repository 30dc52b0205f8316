/**
 * Checks the dominators of random graphs against the definition of a dominator: a node becomes unreachable if one of
 * its dominators is removed.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { BasicBlock } from './flow.ts';
import { regionsOf } from './regions.ts';

/** A control-flow graph: for each block, the list of blocks that may follow it. */
type Graph = readonly (readonly number[])[];

function reachableWithout(graph: Graph, left: number | null): ReadonlySet<number> {
  const found = new Set(left === 0 ? [] : [0]);
  for (const node of found) for (const next of graph[node] ?? []) if (next !== left) found.add(next);
  return found;
}

const graphs = fc
  .integer({ min: 1, max: 12 })
  .chain((size) =>
    fc.array(fc.array(fc.nat(size - 1), { minLength: 1, maxLength: 3 }), { minLength: size, maxLength: size }),
  );

test('a block dominates exactly the blocks that cannot be reached without it', () => {
  fc.assert(
    fc.property(graphs, (graph) => {
      const blocks = graph.map(
        (targets): BasicBlock => ({ start: 0, end: 0, exit: { kind: 'switch', targets, next: null } }),
      );
      const [region] = regionsOf(blocks);
      if (region === undefined) throw new Error('no region');
      const all = reachableWithout(graph, null);
      const below = (node: number): ReadonlySet<number> =>
        new Set([node, ...(region.children.get(node) ?? []).flatMap((child) => [...below(child)])]);
      for (const node of all) {
        const others = reachableWithout(graph, node);
        expect(below(node)).toEqual(new Set([...all].filter((other) => !others.has(other))));
      }
      const ranks = new Map(region.order.map((block, rank) => [block, rank] as const));
      const rank = (block: number): number => ranks.get(block) ?? -1;
      const back = [...all].flatMap((from) =>
        (graph[from] ?? []).filter((to) => rank(to) <= rank(from)).map((to) => [from, to] as const),
      );
      expect(region.reducible).toBe(back.every(([from, to]) => below(to).has(from)));
    }),
    { numRuns: 500 },
  );
});
