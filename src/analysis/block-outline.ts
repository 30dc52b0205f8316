/** The basic blocks of a function, with their predecessors, their successors and the number of loops around them. */
import { append } from '../base/append.ts';
import { elementAt } from '../base/element-at.ts';
import type { Span } from '../base/span.ts';
import { followersOf } from '../program/flow.ts';
import type { FunctionBody } from './function-body.ts';
import { loopDepths } from './loop-depths.ts';

/** A block of instructions that run in sequence. */
export interface BlockOutline extends Span {
  /** The labels at the start of the block. */
  readonly labels: readonly string[];
  /**
   * Indices of the blocks that may run directly before this block (`predecessors`) and directly after it
   * (`successors`). Both lists are in ascending order.
   */
  readonly predecessors: readonly number[];
  readonly successors: readonly number[];
  /** The number of loops that contain the block. */
  readonly loopDepth: number;
  /** The number of instructions in the block. */
  readonly instructions: number;
}

/** The blocks of a function in the order of the text. Their positions are offsets in the document. */
export function blockOutlines(body: FunctionBody): readonly BlockOutline[] {
  const { instructions, start: origin } = body;
  const labels = labelsByInstruction(body);
  const { ranges, successors, predecessors } = joined(withoutEmpty(body), (start) => labels.has(start));
  const depths = loopDepths(successors, predecessors);
  return ranges.map(({ start, end }, i) => ({
    start: origin + elementAt(instructions, start).node.start,
    end: origin + elementAt(instructions, end - 1).node.end,
    labels: labels.get(start) ?? [],
    predecessors: elementAt(predecessors, i),
    successors: elementAt(successors, i),
    loopDepth: elementAt(depths, i),
    instructions: end - start,
  }));
}

/** A control-flow graph, in which each block is a range of instructions. */
interface Graph {
  readonly ranges: readonly Span[];
  readonly successors: readonly (readonly number[])[];
  readonly predecessors: readonly (readonly number[])[];
}

function graphOf(ranges: readonly Span[], successors: readonly (readonly number[])[]): Graph {
  const predecessors: number[][] = ranges.map(() => []);
  for (const [i, next] of successors.entries()) for (const one of next) elementAt(predecessors, one).push(i);
  return { ranges, successors, predecessors };
}

/**
 * The graph without its empty blocks. An edge to an empty block becomes an edge to the next block that contains
 * instructions.
 */
function withoutEmpty({ blocks }: FunctionBody): Graph {
  const numbers = new Map<number, number>();
  const kept = blocks.filter(({ start, end }) => end > start);
  let left = kept.length;
  for (let i = blocks.length - 1; i >= 0; i--) {
    const { start, end } = elementAt(blocks, i);
    if (end > start) left--;
    numbers.set(i, left);
  }
  const successors = kept.map((block) => {
    const next = followersOf(block).map((follower) => numbers.get(follower) ?? kept.length);
    return [...new Set(next)].filter((number) => number < kept.length).sort((a, b) => a - b);
  });
  return graphOf(kept, successors);
}

/**
 * Merges a block with the block before it if control always passes from the first to the second, and never enters the
 * second from elsewhere. The engines do not merge these blocks, because a thread may wait between them, or because the
 * first one ends in a call. A block that starts with a label is never merged.
 */
function joined({ ranges, successors, predecessors }: Graph, hasLabel: (start: number) => boolean): Graph {
  const numbers: number[] = [];
  const starts: number[] = [];
  for (const [i, { start }] of ranges.entries()) {
    const [before] = elementAt(predecessors, i);
    const isOnly = elementAt(predecessors, i).length === 1 && before === i - 1;
    const goesOn = isOnly && elementAt(successors, i - 1).length === 1 && !hasLabel(start);
    if (!goesOn) starts.push(i);
    numbers.push(starts.length - 1);
  }
  const lasts = starts.map((_, i) => (starts[i + 1] ?? ranges.length) - 1);
  const merged = starts.map((first, i) => ({
    start: elementAt(ranges, first).start,
    end: elementAt(ranges, elementAt(lasts, i)).end,
  }));
  return graphOf(
    merged,
    lasts.map((last) => elementAt(successors, last).map((next) => elementAt(numbers, next))),
  );
}

/** The labels before each instruction. The key is the index of the instruction. */
function labelsByInstruction({ entries }: FunctionBody): ReadonlyMap<number, readonly string[]> {
  const labels = new Map<number, string[]>();
  let index = 0;
  for (const entry of entries) {
    if (entry.kind === 'instruction') index++;
    if (entry.kind !== 'label') continue;
    append(labels, index, entry.symbol.name);
  }
  return labels;
}
