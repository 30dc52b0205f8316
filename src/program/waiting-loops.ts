/**
 * Loops in which a thread may be waiting for another thread: loops that read memory others may write, or that offer to
 * let others run. Such a loop must let other threads run now and then.
 */
import { elementAt } from '../base/element-at.ts';
import { looksAtOthers } from '../isa/steps/effects.ts';
import { type BasicBlock, followersOf } from './flow.ts';
import type { FunctionProgram } from './function-program.ts';

/** The first blocks of such loops. */
export function waitingLoops(program: FunctionProgram, blocks: readonly BasicBlock[]): ReadonlySet<number> {
  const looks = blocks.map(({ start, end }) =>
    program.instructions.slice(start, end).some(({ steps }) => steps.some(looksAtOthers)),
  );
  const starts = new Set<number>();
  if (!looks.includes(true)) return starts;
  const before = predecessorsOf(blocks);
  for (const [source, start] of backEdges(blocks)) {
    if (starts.has(start)) continue;
    if (bodyOf(source, start, before).some((block) => looks[block])) starts.add(start);
  }
  return starts;
}

function predecessorsOf(blocks: readonly BasicBlock[]): readonly (readonly number[])[] {
  const before: number[][] = blocks.map(() => []);
  blocks.forEach((block, source) => {
    for (const target of followersOf(block)) before[target]?.push(source);
  });
  return before;
}

/** Edges to a block that is still being visited, depth first. Iterative because kernels can be long. */
function backEdges(blocks: readonly BasicBlock[]): readonly (readonly [source: number, target: number])[] {
  const found: [number, number][] = [];
  const open = new Set<number>([0]);
  const seen = new Set<number>([0]);
  const stack = [{ block: 0, rest: [...followersOf(elementAt(blocks, 0))] }];
  for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
    const next = top.rest.pop();
    if (next === undefined) {
      open.delete(top.block);
      stack.pop();
    } else if (open.has(next)) found.push([top.block, next]);
    else if (!seen.has(next)) {
      seen.add(next);
      open.add(next);
      stack.push({ block: next, rest: [...followersOf(elementAt(blocks, next))] });
    }
  }
  return found;
}

/** The blocks that reach the source of a back edge without passing its target, and the target itself. */
function bodyOf(source: number, start: number, before: readonly (readonly number[])[]): readonly number[] {
  const body = new Set([start, source]);
  const open = [source];
  for (let block = open.pop(); block !== undefined; block = open.pop()) {
    if (block === start) continue;
    for (const predecessor of before[block] ?? []) {
      if (body.has(predecessor)) continue;
      body.add(predecessor);
      open.push(predecessor);
    }
  }
  return [...body];
}
