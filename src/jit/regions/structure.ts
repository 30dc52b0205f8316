/**
 * Turns a region's control-flow graph into nested WebAssembly blocks and loops. The code for a reducible graph follows
 * its dominator tree (Ramsey, "Beyond Relooper", 2022). It has a WebAssembly loop for each target of a back edge, and a
 * WebAssembly block around the code before each join (a basic block with several incoming forward edges). Any other
 * graph becomes a loop around a branch table.
 */
import { valueAt } from '../../base/element-at.ts';
import type { Region } from '../../program/regions.ts';
import type { Code, Label } from '../../wasm/code.ts';

export interface BlockWriter {
  /** Writes a block. The function `goTo` writes a branch to a successor; no code may follow it on the same path. */
  readonly block: (block: number, goTo: (target: number) => void) => void;
  /**
   * The successor that is reached by falling through at the end of the block's code; null if the block always ends with
   * a branch.
   */
  readonly next: (block: number) => number | null;
  /** Writes code that runs once, before the loop whose first block is `block`. */
  readonly beforeLoop: (block: number) => void;
  /** Writes code that runs each time before a loop repeats; `target` is the first block of the loop. */
  readonly backEdge: (target: number) => void;
}

/**
 * Writes all blocks of a region. Control must never reach the end of the code written here: paths that leave the region
 * must branch to a label outside it.
 */
export function writeRegion(code: Code, region: Region, writer: BlockWriter): void {
  if (region.reducible) new Structure(code, region, writer).write();
  else writeDispatch(code, region, writer);
}

/** A pending task. The most recently added task is performed first. */
type Task = { readonly kind: 'tree'; readonly block: number } | { readonly kind: 'close' };

/**
 * Writes a reducible region. Because kernels can be long, recursion is avoided: the subtrees of the dominator tree that
 * still have to be written are kept on a stack.
 */
class Structure {
  private readonly code: Code;
  private readonly region: Region;
  private readonly writer: BlockWriter;
  private readonly rank: ReadonlyMap<number, number>;
  private readonly loopStarts = new Map<number, Label>();
  private readonly ends = new Map<number, Label>();
  private readonly tasks: Task[] = [];

  constructor(code: Code, region: Region, writer: BlockWriter) {
    this.code = code;
    this.region = region;
    this.writer = writer;
    this.rank = new Map(region.order.map((block, i) => [block, i] as const));
  }

  write(): void {
    this.tasks.push({ kind: 'tree', block: this.region.entry });
    for (let task = this.tasks.pop(); task !== undefined; task = this.tasks.pop()) {
      if (task.kind === 'close') this.code.close();
      else this.tree(task.block);
    }
  }

  /** Writes a block, and adds a task for each of its children in the dominator tree. */
  private tree(block: number): void {
    const { loops, joins, children } = this.region;
    const next = this.writer.next(block);
    if (loops.has(block)) {
      this.writer.beforeLoop(block);
      this.loopStarts.set(block, this.code.openLoop());
      this.tasks.push({ kind: 'close' });
    }
    // Each child that is reached by a branch has its own WebAssembly block. The child's code is placed directly after
    // the end of this WebAssembly block, because a branch out of the block leads there. The blocks are nested, and the
    // outermost one belongs to the child that comes last.
    for (const child of (children.get(block) ?? []).toReversed()) {
      if (child === next && !joins.has(child)) continue;
      this.ends.set(child, this.code.openBlock());
      this.tasks.push({ kind: 'tree', block: child }, { kind: 'close' });
    }
    this.writer.block(block, (target) => this.goTo(block, target));
  }

  private goTo(source: number, target: number): void {
    const rankOf = (block: number): number => valueAt(this.rank, block);
    const end = this.ends.get(target);
    if (rankOf(target) <= rankOf(source)) {
      this.writer.backEdge(target);
      this.code.br(valueAt(this.loopStarts, target));
    } else if (end !== undefined) this.code.br(end);
    else this.tasks.push({ kind: 'tree', block: target });
  }
}

function writeDispatch(code: Code, { order }: Region, writer: BlockWriter): void {
  const at = code.local('i32');
  const rank = new Map(order.map((block, i) => [block, i] as const));
  code.i32(0).set(at);
  code.loop((again) => {
    const labels = order.map(() => code.openBlock()).reverse();
    code.get(at).brTable(labels, again);
    order.forEach((block, index) => {
      code.close();
      writer.block(block, (target) => {
        const next = valueAt(rank, target);
        if (next <= index) writer.backEdge(target);
        code.i32(next).set(at).br(again);
      });
    });
  });
}
