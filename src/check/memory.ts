/** What a checker remembers from module to module. All of it is bounded, and none of it changes what is found. */
import { LineShapes } from '../syntax/line-shapes.ts';
import { FamilyTable } from './families.ts';
import type { Shape } from './shapes.ts';

/** A `.loc`: its slots are a place, and for inlined code the name of the function and the place it was inlined at. */
export interface KnownLocation {
  readonly kind: 'location';
  readonly inlined: boolean;
  /** As in `KnownInstruction`. */
  module: number;
}

/** What an instruction was that a shape of lines came from, and all that its verdict hung on. */
export interface KnownInstruction {
  readonly kind: 'instruction';
  readonly mnemonic: string;
  readonly shapes: readonly Shape[];
  /** What the slots of the shape hold: the number of a register of the family with this index, or a mark. */
  readonly slots: Int32Array;
  /** What the other names were. */
  readonly names: readonly { readonly name: string; readonly shape: Shape }[];
  /** What the names that are folded away were, all of them; null where there are none. */
  readonly folded: Shape | null;
  /** Its integers, where not all are allowed; null where they are. */
  readonly values: (readonly number[])[] | null;
  /** Where the names were last found to be that: a number of the memory. */
  namesSeen: number;
  /** The module in which there was last found to be nothing to say about it: a number of the memory. */
  module: number;
}

export type KnownLine = KnownInstruction | KnownLocation;

export class CheckMemory {
  readonly shapes: LineShapes = new LineShapes();
  readonly families: FamilyTable = new FamilyTable();
  private lastNumber = 0;
  private lines: (KnownLine | undefined)[] = [];
  private generation = 0;

  /** A number for a scope or a module, which no other has. */
  nextNumber(): number {
    return ++this.lastNumber;
  }

  /** What is known of lines, by the ids of shapes. */
  knownLines(): (KnownLine | undefined)[] {
    if (this.generation !== this.shapes.generation) {
      this.generation = this.shapes.generation;
      this.lines = [];
    }
    return this.lines;
  }
}
