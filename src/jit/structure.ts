/**
 * A region's control-flow graph as nested blocks and loops of WebAssembly. Reducible graphs follow their dominator tree
 * (Ramsey, "Beyond Relooper", 2022): a loop for each target of a back edge, a block around what comes before each join.
 * Any other graph becomes a loop around a branch table.
 */
import type { Region } from '../program/regions.ts';
import type { Code, Label } from '../wasm/code.ts';

export interface BlockWriter {
  /** Writes a block; `goTo` goes on to a successor, and must come last on its path. */
  readonly block: (block: number, goTo: (target: number) => void) => void;
  /** The successor that the block goes on to where it has nowhere else to go, behind all it writes; null without one. */
  readonly next: (block: number) => number | null;
  /** Writes what is to happen once before a loop that begins with the block. */
  readonly beforeLoop: (block: number) => void;
  /** Writes what is to happen before a loop goes round, on the path to its start `target`. */
  readonly backEdge: (target: number) => void;
}

/** Writes all blocks of a region. Paths that leave it must branch out of what is written here. */
export function writeRegion(code: Code, region: Region, writer: BlockWriter): void {
  if (region.reducible) new Structure(code, region, writer).write();
  else writeDispatch(code, region, writer);
}

/** What is left to be written, the last first. */
type Task = { readonly kind: 'tree'; readonly block: number } | { readonly kind: 'close' };

/** Kernels can be long, so nothing here calls itself: the trees that follow a block wait on a stack. */
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

  /** A block, and as tasks all it dominates. */
  private tree(block: number): void {
    const { loops, joins, children } = this.region;
    const next = this.writer.next(block);
    if (loops.has(block)) {
      this.writer.beforeLoop(block);
      this.loopStarts.set(block, this.code.openLoop());
      this.tasks.push({ kind: 'close' });
    }
    // What does not simply follow is branched to, and lies behind a block of its own; what comes last in the order lies
    // behind the outermost.
    for (const child of (children.get(block) ?? []).toReversed()) {
      if (child === next && !joins.has(child)) continue;
      this.ends.set(child, this.code.openBlock());
      this.tasks.push({ kind: 'tree', block: child }, { kind: 'close' });
    }
    this.writer.block(block, (target) => this.goTo(block, target));
  }

  private goTo(source: number, target: number): void {
    const rankOf = (block: number): number => this.rank.get(block) as number;
    const end = this.ends.get(target);
    if (rankOf(target) <= rankOf(source)) {
      this.writer.backEdge(target);
      this.code.br(this.loopStarts.get(target) as Label);
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
        const next = rank.get(target) as number;
        if (next <= index) writer.backEdge(target);
        code.i32(next).set(at).br(again);
      });
    });
  });
}
