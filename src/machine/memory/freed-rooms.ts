/**
 * Freed allocations whose addresses can be reused, grouped by the number of bytes that they occupy. The allocations in
 * each group are in the order in which they were freed.
 */
import { elementAt } from '../../base/element-at.ts';
import { leadingCount } from '../../base/leading-count.ts';

/**
 * Freed allocations that occupy the same number of bytes. The addresses of the entries before index `first` have
 * already been reused.
 */
interface Queue<Freed> {
  readonly entries: Freed[];
  first: number;
}

export class FreedRooms<Freed extends { readonly room: number }> {
  private readonly queues = new Map<number, Queue<Freed>>();
  /**
   * The sizes of the allocations in the queues, in ascending order. The list is never long, because a device's memory
   * has room for allocations of only a few thousand different sizes.
   */
  private readonly sizes: number[] = [];
  private entries = 0;
  private total = 0;

  get count(): number {
    return this.entries;
  }

  /** The total number of bytes that all freed allocations occupy. */
  get bytes(): number {
    return this.total;
  }

  add(allocation: Freed): void {
    const { room } = allocation;
    this.entries++;
    this.total += room;
    const queue = this.queues.get(room);
    if (queue !== undefined) {
      queue.entries.push(allocation);
      return;
    }
    this.queues.set(room, { entries: [allocation], first: 0 });
    this.sizes.splice(this.rankOf(room), 0, room);
  }

  /**
   * Removes and returns the allocation that was freed first among those that occupy exactly `room` bytes; null if there
   * are no such allocations.
   */
  takeEqual(room: number): Freed | null {
    const queue = this.queues.get(room);
    if (queue === undefined) return null;
    const taken = elementAt(queue.entries, queue.first++);
    this.entries--;
    this.total -= room;
    if (queue.first === queue.entries.length) {
      this.queues.delete(room);
      this.sizes.splice(this.rankOf(room), 1);
    } else if (2 * queue.first > queue.entries.length) {
      queue.entries.splice(0, queue.first);
      queue.first = 0;
    }
    return taken;
  }

  /**
   * Removes and returns the allocation that was freed first among those of the smallest sufficient size; null if none
   * is large enough.
   */
  takeSufficient(room: number): Freed | null {
    const size = this.sizes[this.rankOf(room)];
    return size === undefined ? null : this.takeEqual(size);
  }

  /** The number of different sizes that are smaller than `room`. */
  private rankOf(room: number): number {
    return leadingCount(this.sizes.length, (i) => elementAt(this.sizes, i) < room);
  }
}
