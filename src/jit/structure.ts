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
  /** Writes what is to happen before a loop goes round, on the path to its start `target`. */
  readonly backEdge: (target: number) => void;
}

/** Writes all blocks of a region. Paths that leave it must branch out of what is written here. */
export function writeRegion(code: Code, region: Region, writer: BlockWriter): void {
  if (region.reducible) new Structure(code, region, writer).tree(region.entry);
  else writeDispatch(code, region, writer);
}

class Structure {
  private readonly code: Code;
  private readonly region: Region;
  private readonly writer: BlockWriter;
  private readonly rank: ReadonlyMap<number, number>;
  private readonly loopStarts = new Map<number, Label>();
  private readonly joinEnds = new Map<number, Label>();

  constructor(code: Code, region: Region, writer: BlockWriter) {
    this.code = code;
    this.region = region;
    this.writer = writer;
    this.rank = new Map(region.order.map((block, i) => [block, i] as const));
  }

  /** A block and all it dominates. */
  tree(block: number): void {
    const { loops, joins, children } = this.region;
    // The join that comes last in the order lies outermost.
    const inner = (children.get(block) ?? []).filter((child) => joins.has(child)).reverse();
    if (!loops.has(block)) {
      this.within(block, inner);
      return;
    }
    this.code.loop((label) => {
      this.loopStarts.set(block, label);
      this.within(block, inner);
    });
  }

  private within(block: number, joins: readonly number[]): void {
    const [outermost, ...rest] = joins;
    if (outermost === undefined) {
      this.writer.block(block, (target) => this.goTo(block, target));
      return;
    }
    this.code.block((label) => {
      this.joinEnds.set(outermost, label);
      this.within(block, rest);
    });
    this.tree(outermost);
  }

  private goTo(source: number, target: number): void {
    const rankOf = (block: number): number => this.rank.get(block) as number;
    if (rankOf(target) <= rankOf(source)) {
      this.writer.backEdge(target);
      this.code.br(this.loopStarts.get(target) as Label);
    } else if (this.region.joins.has(target)) this.code.br(this.joinEnds.get(target) as Label);
    else this.tree(target);
  }
}

function writeDispatch(code: Code, { order }: Region, writer: BlockWriter): void {
  const at = code.local('i32');
  const rank = new Map(order.map((block, i) => [block, i] as const));
  code.i32(0).set(at);
  code.loop((again) => {
    const labels: Label[] = [];
    const nest = (index: number): void => {
      if (index < 0) {
        code.get(at).brTable(labels.toReversed(), again);
        return;
      }
      code.block((label) => {
        labels.push(label);
        nest(index - 1);
      });
      const block = order[index] as number;
      writer.block(block, (target) => {
        const next = rank.get(target) as number;
        if (next <= index) writer.backEdge(target);
        code.i32(next).set(at).br(again);
      });
    };
    nest(order.length - 1);
  });
}
