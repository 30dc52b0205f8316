/**
 * The recorded accesses to global memory, or to a block's shared or tensor memory. For each word, or for each byte if
 * parts of words are accessed, these are the last weak store and, since then, two strong stores and two loads. Two
 * accesses of a kind are enough to find nearly every race, because they come from different threads and, if possible,
 * from different warps or blocks.
 */
import type { Actors } from './actors.ts';
import { knows, type Knowledge } from './knowledge.ts';

/**
 * An access is stored as three numbers: the number of the actor plus 1, or 0 if there was no access; the epoch; and the
 * tag.
 */
export const accessLength = 3;

/** The position of the first strong store in a cell, and that of the first load. */
export const firstStrong: number = 1 * accessLength;
export const firstLoad: number = 3 * accessLength;

/** The positions of the accesses in a cell: a weak store, two strong stores, and two loads. */
export const stores: readonly number[] = [0, firstStrong, 2 * accessLength];
export const loads: readonly number[] = [firstLoad, 4 * accessLength];
export const storesAndLoads: readonly number[] = [...stores, ...loads];

export const cellLength: number = accessLength * storesAndLoads.length;

const pageBytes = 1 << 10;
const wordBytes = 4;

/** The cells for a range of consecutive bytes. */
export interface Page {
  readonly start: number;
  /** The offset after the last byte. */
  readonly end: number;
  /** The number of bytes that share a cell: 4 or 1. */
  readonly unit: number;
  readonly numbers: Uint32Array;
}

/** Whether an access covers any word only partly. */
export function isPart(offset: number, size: number): boolean {
  return offset % wordBytes !== 0 || size % wordBytes !== 0;
}

export class Cells {
  private readonly pages = new Map<number, Page>();
  private readonly actors: Actors;
  private recent: Page | null = null;

  constructor(actors: Actors) {
    this.actors = actors;
  }

  /** Returns the page that contains an offset. If `parts` is true, each byte of this page has a cell of its own. */
  page(offset: number, parts: boolean): Page {
    const { recent } = this;
    if (recent !== null && offset >= recent.start && offset < recent.end && (!parts || recent.unit === 1))
      return recent;
    const start = offset - (offset % pageBytes);
    const known = this.pages.get(start);
    const isFine = known !== undefined && (!parts || known.unit === 1);
    const page = isFine ? known : known === undefined ? emptyPage(start, parts ? 1 : wordBytes) : split(known);
    if (page !== known) this.pages.set(start, page);
    this.recent = page;
    return page;
  }

  /**
   * Records a load or a strong store in one of the two places for such accesses; the first place is at index `first`.
   * `knowledge` is the knowledge of the actor that performs the access.
   */
  add(numbers: Uint32Array, first: number, access: Uint32Array, knowledge: Knowledge): void {
    const actor = access[0] ?? 0;
    const second = first + accessLength;
    if (this.replaces(numbers, first, actor, knowledge)) put(numbers, first, access);
    else if (this.replaces(numbers, second, actor, knowledge)) put(numbers, second, access);
    else {
      const kept = numbers[first] ?? 0;
      const distance = this.actors.distance(kept, actor);
      if (distance > 0 && distance > this.actors.distance(kept, numbers[second] ?? 0)) put(numbers, second, access);
    }
  }

  /** Whether a new access can take the place of the one at `at`, so that only the new one is kept. */
  private replaces(numbers: Uint32Array, at: number, actor: number, knowledge: Knowledge): boolean {
    const other = numbers[at] ?? 0;
    if (other === 0 || other === actor) return true;
    return knows(knowledge, { actor: other - 1, epoch: numbers[at + 1] ?? 0 }, this.actors.threads);
  }
}

/** Records a weak store, which makes earlier accesses irrelevant. */
export function putStore(numbers: Uint32Array, cell: number, store: Uint32Array): void {
  put(numbers, cell, store);
  for (let i = accessLength; i < cellLength; i++) numbers[cell + i] = 0;
}

function put(numbers: Uint32Array, at: number, access: Uint32Array): void {
  for (let i = 0; i < accessLength; i++) numbers[at + i] = access[i] ?? 0;
}

function emptyPage(start: number, unit: number): Page {
  const numbers = new Uint32Array((pageBytes / unit) * cellLength);
  return { start, end: start + pageBytes, unit, numbers };
}

/** Returns a page with a cell for each byte. Each cell contains the accesses to the whole word. */
function split({ start, numbers }: Page): Page {
  const made = emptyPage(start, 1);
  for (let at = 0; at < numbers.length; at += cellLength) {
    const cell = numbers.subarray(at, at + cellLength);
    for (let i = 0; i < wordBytes; i++) made.numbers.set(cell, wordBytes * at + i * cellLength);
  }
  return made;
}
