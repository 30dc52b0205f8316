/**
 * The caches of a checker that persist between modules. All of them are bounded, and none of them affects the findings.
 */
import { LineShapes } from '../syntax/line-shapes.ts';
import { FamilyTable } from './instructions/families.ts';
import type { Shape } from './instructions/shape.ts';
import { ShapeTable } from './instructions/shape-table.ts';
import { VerdictCache } from './instructions/verdicts.ts';
import { environmentKey, type ModuleEnvironment } from './availability.ts';

/**
 * A line with a `.loc` directive. The slots of the line shape contain a position and, for inlined code, the name of the
 * function and the position of the call.
 */
export interface KnownLocation {
  readonly kind: 'location';
  readonly inlined: boolean;
  /** As in `KnownInstruction`. */
  module: number;
}

/**
 * The instruction from which a line shape was derived, and everything that the verdict on the instruction depends on.
 */
export interface KnownInstruction {
  readonly kind: 'instruction';
  readonly mnemonic: string;
  readonly shapes: readonly Shape[];
  /**
   * The meaning of each slot of the line shape. For a register number, this is the index of the register's family; for
   * anything else, it is a marker.
   */
  readonly slots: Int32Array;
  /**
   * The meanings of the names that are part of the line shape's text. All other names are in the slots of the line
   * shape.
   */
  readonly names: readonly { readonly name: string; readonly shape: Shape }[];
  /** The meaning that is shared by all names in the slots; null if no slot contains a name. */
  readonly folded: Shape | null;
  /**
   * The combinations of integers for which the line is known to be valid; null if the verdict does not depend on the
   * integers.
   */
  readonly values: (readonly number[])[] | null;
  /**
   * The scope, identified by its number from `CheckMemory`, in which the names were last found to have these meanings.
   */
  namesSeen: number;
  /** The module, identified by its number from `CheckMemory`, in which the line was last found to be valid. */
  module: number;
}

export type KnownLine = KnownInstruction | KnownLocation;

/**
 * The number of cached operand shapes above which the next module starts with empty caches. Only generated or hostile
 * input exceeds this limit.
 */
const mostShapes = 20_000;
const mostEnvironments = 64;

export class CheckMemory {
  readonly lineShapes: LineShapes = new LineShapes();
  readonly families: FamilyTable = new FamilyTable();
  private table = new ShapeTable();
  private readonly verdicts = new Map<string, VerdictCache>();
  private lastNumber = 0;
  private lines: (KnownLine | undefined)[] = [];
  private generation = 0;

  /**
   * Must be called before each module. If too many shapes are cached, clears the shapes and all caches that refer to
   * them.
   */
  begin(): void {
    if (this.table.size <= mostShapes) return;
    this.table = new ShapeTable();
    this.verdicts.clear();
    this.lines = [];
  }

  get shapes(): ShapeTable {
    return this.table;
  }

  /** The cache of verdicts for an environment. All modules with the same environment share it. */
  verdictsFor(environment: ModuleEnvironment): VerdictCache {
    const key = environmentKey(environment);
    const known = this.verdicts.get(key);
    if (known !== undefined) return known;
    if (this.verdicts.size >= mostEnvironments) this.verdicts.clear();
    const made = new VerdictCache(environment);
    this.verdicts.set(key, made);
    return made;
  }

  /** Returns a unique number for a scope or a module. */
  nextNumber(): number {
    return ++this.lastNumber;
  }

  /** The known lines, indexed by the ID of the line shape. */
  knownLines(): (KnownLine | undefined)[] {
    if (this.generation !== this.lineShapes.generation) {
      this.generation = this.lineShapes.generation;
      this.lines = [];
    }
    return this.lines;
  }
}
