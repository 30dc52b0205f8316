/** What a checker remembers from module to module. All of it is bounded, and none of it changes what is found. */
import { LineShapes } from '../syntax/line-shapes.ts';
import { FamilyTable } from './families.ts';
import type { Judge, Verdict } from './judge.ts';
import type { Shape } from './shapes.ts';

/** The verdict on a shape of lines, and all that it hung on. */
export interface LineVerdict {
  readonly verdict: Verdict;
  /** What the slots of the shape hold: the number of a register of the family with this index, or one of the marks of `line-verdicts.ts`. */
  readonly slots: Int32Array;
  /** What the other names were. */
  readonly names: readonly { readonly name: string; readonly shape: Shape }[];
  /** What the names that are folded away were, all of them; null where there are none. */
  readonly folded: Shape | null;
  /** Its integers, where not all are allowed; null where they are. */
  readonly values: (readonly number[])[] | null;
  /** Where the names were last found to be that: a number of the memory. */
  namesSeen: number;
  /** The module in which the verdict was last met. */
  module: number;
}

/** The verdicts that a judge remembers by shape. */
export class LineVerdicts {
  private kept: (LineVerdict | undefined)[] = [];
  private generation = 0;

  /** By the ids of shapes; ids of an earlier generation are forgotten. */
  of(generation: number): (LineVerdict | undefined)[] {
    if (generation !== this.generation) {
      this.kept = [];
      this.generation = generation;
    }
    return this.kept;
  }
}

export class CheckMemory {
  readonly shapes: LineShapes = new LineShapes();
  readonly families: FamilyTable = new FamilyTable();
  private lastNumber = 0;
  private readonly verdicts = new WeakMap<Judge, LineVerdicts>();

  /** A number for a scope or a module, which no other has. */
  nextNumber(): number {
    return ++this.lastNumber;
  }

  /** The verdicts on lines for a judge's environment. */
  verdictsOf(judge: Judge): LineVerdicts {
    const known = this.verdicts.get(judge);
    if (known !== undefined) return known;
    const made = new LineVerdicts();
    this.verdicts.set(judge, made);
    return made;
  }
}
