/**
 * The control flow of a function as a drawing: the blocks one below the other in the order of the text, indented by
 * loop depth. Forward jumps are drawn on the right, backward jumps on the left with dashed lines.
 */
import { elementAt } from '../base/element-at.ts';
import { leadingCount } from '../base/leading-count.ts';
import { requireArgument } from '../base/require.ts';
import { list, number, shaped, text as textRule } from '../base/rules.ts';
import type { Span } from '../base/span.ts';
import type { BlockOutline } from './block-outline.ts';

/**
 * A basic block, drawn as a box. Lengths are in pixels; `start` and `end` delimit the text of the block in the
 * document.
 */
export interface FlowBox extends Span {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** The labels of the block, its size, and its last instruction. */
  readonly lines: readonly string[];
}

export interface FlowArrow {
  /** Indices of boxes. */
  readonly from: number;
  readonly to: number;
  readonly isBack: boolean;
  /** The points that the line of the arrow connects; the arrowhead is at the last point. */
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface FlowGraph {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly FlowBox[];
  readonly arrows: readonly FlowArrow[];
}

const margin = 12;
const lineHeight = 18;
/** The width of a character in a 13-pixel monospaced font. */
const letterWidth = 7.9;
const mostLetters = 44;
const gap = 28;
const laneWidth = 12;
/** The maximum number of lanes on each side. Any further jumps share the outermost lane. */
export const laneLimit = 256;
const indent = 24;

/** `textOf` returns the text between two offsets of the document. */
export function layOutBlocks(
  blocks: readonly BlockOutline[],
  textOf: (start: number, end: number) => string,
): FlowGraph {
  const jumps = blocks.flatMap(({ successors }, from) =>
    successors.filter((to) => to !== from + 1).map((to) => ({ from, to, isBack: to <= from })),
  );
  const back = lanesOf(jumps.filter(({ isBack }) => isBack));
  const ahead = lanesOf(jumps.filter(({ isBack }) => !isBack));
  const left = margin + (back.count + 1) * laneWidth;
  const boxes = placeBoxes(blocks, left, textOf);
  const right = Math.max(0, ...boxes.map(({ x, width }) => x + width));
  const arrows = [
    ...blocks.flatMap(({ successors }, i) => (successors.includes(i + 1) ? [fallThrough(boxes, i)] : [])),
    ...back.lanes.map(({ from, to, lane }) => aside(boxes, from, to, left - (lane + 1) * laneWidth, true)),
    ...ahead.lanes.map(({ from, to, lane }) => aside(boxes, from, to, right + (lane + 1) * laneWidth, false)),
  ];
  const last = boxes.at(-1);
  return {
    width: right + (ahead.count + 1) * laneWidth + margin,
    height: last === undefined ? 2 * margin : last.y + last.height + margin,
    boxes,
    arrows: arrows.toSorted((a, b) => a.from - b.from || a.to - b.to),
  };
}

function placeBoxes(
  blocks: readonly BlockOutline[],
  left: number,
  textOf: (start: number, end: number) => string,
): readonly FlowBox[] {
  let y = margin;
  return blocks.map(({ start, end, labels, instructions, loopDepth }) => {
    const lines = [
      ...labels.map((label) => `${label}:`),
      instructions === 1 ? '1 instruction' : `${instructions} instructions`,
      lastStatement(textOf(start, end)),
    ].map(shortened);
    const width = Math.ceil(Math.max(...lines.map(({ length }) => length)) * letterWidth) + 2 * margin;
    const box = {
      start,
      end,
      x: left + loopDepth * indent,
      y,
      width,
      height: lines.length * lineHeight + margin,
      lines,
    };
    y += box.height + gap;
    return box;
  });
}

/** The last instruction in the text of a block, with each run of white space replaced by a single space. */
function lastStatement(text: string): string {
  const statements = text.replace(/\/\/[^\n]*|\/\*[^]*?\*\//g, '').split(';');
  const last = statements.findLast((statement) => statement.trim() !== '') ?? '';
  return last
    .replace(/\n[ \t]*\.[^\n]*/g, '\n')
    .replace(/^[\s{}]*(?:[\w$%]+:(?!:)[\s{}]*)*/, '')
    .replace(/\s+/g, ' ')
    .trim();
}

function shortened(line: string): string {
  return line.length <= mostLetters ? line : `${line.slice(0, mostLetters - 1)}…`;
}

interface Jump {
  readonly from: number;
  readonly to: number;
}

/** The jumps in one lane, which do not overlap. They are sorted by their positions. */
class Lane {
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];

  /** Adds a jump that spans the boxes from `start` to `end`. Returns false if another jump is in the way. */
  add(start: number, end: number): boolean {
    const { starts, ends } = this;
    const before = leadingCount(starts.length, (i) => elementAt(starts, i) <= end);
    if (before > 0 && elementAt(ends, before - 1) >= start) return false;
    starts.splice(before, 0, start);
    ends.splice(before, 0, end);
    return true;
  }
}

/**
 * Assigns each jump to a lane beside the boxes, so that jumps in the same lane do not overlap and short jumps are in
 * the nearest lanes. If all lanes are taken, jumps in the outermost lane may overlap.
 */
function lanesOf(jumps: readonly Jump[]): {
  readonly count: number;
  readonly lanes: readonly (Jump & { readonly lane: number })[];
} {
  const taken: Lane[] = [];
  const length = (jump: Jump): number => Math.abs(jump.to - jump.from);
  const laneOf = ({ from, to }: Jump): number => {
    const [start, end] = [Math.min(from, to), Math.max(from, to)];
    const free = taken.findIndex((lane) => lane.add(start, end));
    if (free >= 0) return free;
    if (taken.length === laneLimit) return laneLimit - 1;
    const lane = new Lane();
    lane.add(start, end);
    return taken.push(lane) - 1;
  };
  const lanes = jumps
    .toSorted((a, b) => length(a) - length(b) || a.from - b.from)
    .map(({ from, to }) => ({ from, to, lane: laneOf({ from, to }) }));
  return { count: taken.length, lanes };
}

function fallThrough(boxes: readonly FlowBox[], from: number): FlowArrow {
  const [upper, lower] = [elementAt(boxes, from), elementAt(boxes, from + 1)];
  const x = Math.max(upper.x, lower.x) + indent;
  const points: FlowArrow['points'] = [
    [x, upper.y + upper.height],
    [x, lower.y],
  ];
  return { from, to: from + 1, isBack: false, points };
}

/**
 * An arrow that runs beside the boxes, along the vertical line at the x coordinate `lane`. It starts near the lower
 * edge of the box `from` and ends near the upper edge of the box `to`.
 */
function aside(boxes: readonly FlowBox[], from: number, to: number, lane: number, isBack: boolean): FlowArrow {
  const [source, target] = [elementAt(boxes, from), elementAt(boxes, to)];
  const edge = ({ x, width }: FlowBox): number => (isBack ? x : x + width);
  const out = source.y + source.height - margin;
  const into = target.y + margin;
  const points: FlowArrow['points'] = [
    [edge(source), out],
    [lane, out],
    [lane, into],
    [edge(target), into],
  ];
  return { from, to, isBack, points };
}

const graphRule = shaped<FlowGraph>('a graph', { width: number, height: number, boxes: list, arrows: list });

/**
 * The drawing as an SVG file. It uses the color of the text around it, or black if it stands alone.
 *
 * @throws PtxlabError `argument-type` if `graph` is not a graph or `title` is not a string
 */
export function flowGraphSvg(graph: FlowGraph, title: string): string {
  requireArgument('the graph', graph, graphRule);
  requireArgument('the title', title, textRule);
  const { width, height, boxes, arrows } = graph;
  const lines = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" color="#1d1b18" fill="none" stroke="currentColor" font-family="monospace" font-size="13">`,
    `<title>${escapeText(title)}</title>`,
    `<defs><marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" fill="currentColor" stroke="none"/></marker></defs>`,
    `<rect width="${width}" height="${height}" fill="#ffffff" stroke="none"/>`,
    ...arrows.map(({ points, isBack }) => {
      const dash = isBack ? ' stroke-dasharray="4 3"' : '';
      return `<polyline points="${points.map((point) => point.join(',')).join(' ')}" marker-end="url(#head)"${dash}/>`;
    }),
    ...boxes.flatMap(boxSvg),
    '</svg>',
  ];
  return `${lines.join('\n')}\n`;
}

function boxSvg({ x, y, width, height, lines }: FlowBox): readonly string[] {
  return [
    `<rect x="${x}" y="${y}" width="${width}" height="${height}" rx="4" fill="#ffffff"/>`,
    ...lines.map((line, i) => {
      const baseline = y + (i + 1) * lineHeight;
      return `<text x="${x + margin}" y="${baseline}" fill="currentColor" stroke="none">${escapeText(line)}</text>`;
    }),
  ];
}

function escapeText(text: string): string {
  return text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');
}
