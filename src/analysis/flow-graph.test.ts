import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Document } from './document.ts';
import { type FlowGraph, flowGraphSvg, laneLimit } from './flow-graph.ts';

const text = readFileSync(new URL('../../test/kernels/cuda/integers.sm_75.ptx', import.meta.url), 'latin1');
const document = new Document(text);

function graphOf(name: string): FlowGraph {
  const place = document.functions().find((one) => one.name === name);
  const view = place === undefined ? null : document.functionAt(place.selection.start);
  if (view === null) throw new Error(`${name} is a function`);
  return view.flowGraph();
}

describe('the control-flow graph', () => {
  const graph = graphOf('collatz');

  it('has a box for each block and an arrow for each edge', () => {
    const place = document.functions().find(({ name }) => name === 'collatz');
    const blocks = document.functionAt(place?.selection.start ?? 0)?.blocks() ?? [];
    expect(graph.boxes).toHaveLength(blocks.length);
    const edges = blocks.flatMap(({ successors }, from) => successors.map((to) => `${from} ${to}`));
    expect(graph.arrows.map(({ from, to }) => `${from} ${to}`).toSorted()).toEqual(edges.toSorted());
  });

  it('marks the jump back of the loop, and indents its blocks', () => {
    const back = graph.arrows.filter(({ isBack }) => isBack);
    expect(back.length).toBeGreaterThan(0);
    for (const { to } of back) expect(graph.boxes[to]?.x).toBeGreaterThan(graph.boxes[0]?.x ?? 0);
  });

  it.each(['collatz', 'crc32_blocks', 'modular_power'])('of %s has no boxes or lanes that overlap', (name) => {
    const { boxes, arrows, width } = graphOf(name);
    for (const [i, box] of boxes.entries()) expect(box.y).toBeGreaterThan((boxes[i - 1]?.y ?? -99) + 20);
    const upright = arrows.flatMap(({ points: [, a, b, end] }) =>
      a === undefined || b === undefined || end === undefined
        ? []
        : [{ x: a[0], top: Math.min(a[1], b[1]), bottom: Math.max(a[1], b[1]) }],
    );
    for (const [i, one] of upright.entries()) {
      expect(one.x > 0 && one.x < width).toBe(true);
      for (const other of upright.slice(i + 1)) {
        if (other.x === one.x) expect(one.bottom < other.top || other.bottom < one.top).toBe(true);
      }
    }
  });

  it('has a limited number of lanes, so that jumps beyond them share the outermost lane', () => {
    const count = laneLimit + 50;
    const loops = [
      ...Array.from({ length: count }, (_, i) => `L${i}: add.u32 %r1, %r1, 1;`),
      ...Array.from({ length: count }, (_, i) => `@%p1 bra L${count - 1 - i};`),
    ];
    const body = `.reg .b32 %r<2>; .reg .pred %p<2>;\n${loops.join('\n')}\nret;`;
    const nested = new Document(`.version 9.0\n.target sm_90\n.address_size 64\n.entry k() {\n${body}\n}`);
    const view = nested.functionAt(nested.text().indexOf('k()'));
    const back = view?.flowGraph().arrows.filter(({ isBack }) => isBack) ?? [];
    expect(back).toHaveLength(count);
    expect(new Set(back.map(({ points }) => points[1]?.[0])).size).toBe(laneLimit);
  });

  it('is drawn as SVG with the labels and last instructions of the blocks', () => {
    const svg = flowGraphSvg(graph, 'a<b>');
    expect(svg).toContain('<title>a&lt;b&gt;</title>');
    expect(svg.match(/<rect /g)).toHaveLength(graph.boxes.length + 1);
    expect(svg).toMatch(/>\$L__BB\w+:<\/text>/);
    expect(svg).toMatch(/>@%p\d+ bra \$L__BB\w+<\/text>/);
  });
});
