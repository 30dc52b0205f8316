/** The longest chain of calls in a kernel. */
import { calleesOf } from './call-site.ts';
import type { FunctionProgram } from './function-program.ts';

/**
 * A function, and the length that it adds to a chain of calls: `last` if it is the last function of the chain, and
 * `caller` if it calls the next one.
 */
interface Link {
  readonly last: number;
  readonly caller: number;
  readonly callees: readonly number[];
}

/** A function that is being visited, and its callees. The callees from index `next` on have not been visited yet. */
interface Visit {
  readonly index: number;
  readonly link: Link;
  next: number;
  /** Length of the longest chain that begins with the function and contains only callees that have been visited. */
  longest: number;
}

/**
 * Returns the length of the longest chain of calls that begins with the kernel; null if functions are recursive. The
 * functions are visited in a loop instead of recursively, because chains of calls can be long.
 */
export function longestChain(linkOf: (index: number) => Link): number | null {
  const lengths = new Map<number, number>();
  const open = new Set<number>();
  const path: Visit[] = [];
  const enter = (index: number): void => {
    const link = linkOf(index);
    open.add(index);
    path.push({ index, link, next: 0, longest: link.last });
  };
  enter(0);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const callee = top.link.callees[top.next];
    if (callee === undefined) {
      path.pop();
      open.delete(top.index);
      lengths.set(top.index, top.longest);
      continue;
    }
    const after = lengths.get(callee);
    if (after !== undefined) {
      top.longest = Math.max(top.longest, top.link.caller + after);
      top.next++;
    } else if (open.has(callee)) return null;
    else enter(callee);
  }
  return lengths.get(0) ?? null;
}

/** Returns the indices of the functions that a function may call. */
export function calleesIn({ instructions }: Pick<FunctionProgram, 'instructions'>): readonly number[] {
  const callees = new Set<number>();
  for (const { call } of instructions) for (const callee of calleesOf(call)) callees.add(callee);
  return [...callees];
}
