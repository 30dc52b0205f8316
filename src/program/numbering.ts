/**
 * Assigns consecutive numbers to some of the slots of a frame, so that a set of these slots can be represented as a set
 * of bits.
 */
import { elementAt } from '../base/element-at.ts';
import { BitSet } from './bit-set.ts';

export class Numbering {
  /** The slots in ascending order. The number of a slot is its position in this list. */
  readonly places: readonly number[];
  /** For each slot, its number plus 1; 0 if it has no number. */
  private readonly numbers: Int32Array;

  constructor(places: Iterable<number>) {
    this.places = [...new Set(places)].sort((a, b) => a - b);
    this.numbers = new Int32Array((this.places.at(-1) ?? -1) + 1);
    this.places.forEach((place, i) => {
      this.numbers[place] = i + 1;
    });
  }

  /** The number of a slot; null if it has none. */
  of(place: number): number | null {
    const number = this.numbers[place] ?? 0;
    return number === 0 ? null : number - 1;
  }

  /** The number of a slot, which must have a number. */
  numberOf(place: number): number {
    const number = this.of(place);
    if (number === null) throw new Error(`slot ${place} has no number`);
    return number;
  }

  /** Returns the numbers of the given slots as a set. Slots without a number are left out. */
  set(places: Iterable<number> = []): BitSet {
    const made = new BitSet(this.places.length);
    for (const place of places) this.add(made, place);
    return made;
  }

  /** Adds a slot to a set, unless the slot has no number. */
  add(set: BitSet, place: number): void {
    const number = this.numbers[place] ?? 0;
    if (number !== 0) set.add(number - 1);
  }

  has(set: BitSet, place: number): boolean {
    const number = this.of(place);
    return number !== null && set.has(number);
  }

  /** The slots in a set, in ascending order. */
  placesOf(set: BitSet): readonly number[] {
    const found = set.numbers();
    for (let i = 0; i < found.length; i++) found[i] = elementAt(this.places, elementAt(found, i));
    return found;
  }
}
