/**
 * Keeps the k elements of a stream that have the largest errors. The elements are sorted by error, largest first; of
 * two elements with the same error, the earlier one comes first.
 */
import { elementAt } from '../../base/element-at.ts';
export interface WorstElement {
  /** The position of the element in the whole stream, starting at 0. */
  readonly index: number;
  readonly a: number;
  readonly b: number;
  /** The error; infinite if exactly one of the two elements is NaN, or if both are infinities with different signs. */
  readonly error: number;
}

export class WorstElements {
  private readonly limit: number;
  private readonly kept: WorstElement[] = [];

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Elements are kept only if their error is larger than this. */
  get threshold(): number {
    if (this.limit === 0) return Number.POSITIVE_INFINITY;
    return this.kept.length < this.limit ? 0 : elementAt(this.kept, this.limit - 1).error;
  }

  add(element: WorstElement): void {
    if (!(element.error > this.threshold)) return;
    const at = this.kept.findIndex(({ error }) => error < element.error);
    this.kept.splice(at < 0 ? this.kept.length : at, 0, element);
    if (this.kept.length > this.limit) this.kept.pop();
  }

  /** Adds the worst elements of a later part of the stream. */
  merge(later: WorstElements): void {
    for (const element of later.kept) this.add(element);
  }

  list(): readonly WorstElement[] {
    return [...this.kept];
  }
}
