/**
 * Turns a region's control-flow graph into nested WebAssembly blocks and loops. The code for a reducible graph follows
 * its dominator tree (Ramsey, "Beyond Relooper", 2022), with a loop for each target of a back edge and a block around
 * the code before each join. Any other graph becomes a loop around a branch table.
 */
import { valueAt } from '../../base/element-at.ts';
import type { Region } from '../../program/regions.ts';
import type { Code, Label } from '../../wasm/code.ts';

export interface BlockWriter {
  /** Writes a block. `goTo` writes a branch to a successor, and must come last on its path. */
  readonly block: (block: number, goTo: (target: number) => void) => void;
  /** The successor that follows at the end of the block's code, without a branch; null if no successor does. */
  readonly next: (block: number) => number | null;
  /** Writes code that runs once before a loop that begins with the block. */
  readonly beforeLoop: (block: number) => void;
  /** Writes code that runs each time before a loop repeats; `target` is its first block. */
  readonly backEdge: (target: number) => void;
}

/** Writes all blocks of a region. Paths that leave the region must branch out of the code written here. */
export function writeRegion(code: Code, region: Region, writer: BlockWriter): void {
  if (region.reducible) new Structure(code, region, writer).write();
  else writeDispatch(code, region, writer);
}

/** A remaining task; the last one in the list is done first. */
type Task = { readonly kind: 'tree'; readonly block: number } | { readonly kind: 'close' };

/** Nothing here is recursive, because kernels can be long. The trees that follow a block are kept on a stack. */
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

  /** Writes a block, and adds everything that it dominates as tasks. */
  private tree(block: number): void {
    const { loops, joins, children } = this.region;
    const next = this.writer.next(block);
    if (loops.has(block)) {
      this.writer.beforeLoop(block);
      this.loopStarts.set(block, this.code.openLoop());
      this.tasks.push({ kind: 'close' });
    }
    // Successors that do not simply follow the code are reached by a branch to the end of a WebAssembly block of their
    // own. The last one in the order comes after the outermost block.
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
