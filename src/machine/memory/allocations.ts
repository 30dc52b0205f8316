/**
 * The allocations in global memory, ordered by address. Finds the allocation that contains an access, or throws a fault
 * if there is none.
 */
import { elementAt } from '../../base/element-at.ts';
import { leadingCount } from '../../base/leading-count.ts';
import { firstGlobalAddress, formatAddress } from './address-space.ts';
import { machineFault } from '../fault.ts';
import { FreedRooms } from './freed-rooms.ts';
import type { Access } from './segment.ts';

export interface Allocation {
  readonly address: number;
  readonly size: number;
  /** What the allocation is used for, as shown in messages: `buffer 2`, `variable lut`. */
  readonly owner: string;
  /** Number of bytes that the allocation occupies, which may be more than its size. */
  readonly room: number;
  /**
   * The number of allocations that were freed before this one; it shows the order in which allocations were freed. Null
   * as long as this allocation is live.
   */
  ended: number | null;
}

/**
 * Number of freed allocations whose addresses are not reused, so that accesses to freed memory are detected. If there
 * are more freed allocations, or if they occupy more than `quarantineBytes`, the address that was freed first is reused
 * for an allocation of the same size.
 */
export const quarantine = 32_768;

/** If freed allocations occupy more than this number of bytes in total, their addresses can be reused. */
const quarantineBytes = 2 ** 23;

/**
 * If the nearest allocation is farther away than this number of bytes, messages about an invalid address do not mention
 * it.
 */
const far = 2 ** 24;

function described({ owner, size, address }: Allocation): string {
  return `${owner}, ${size} bytes at ${formatAddress(address)}`;
}

export class Allocations {
  private readonly list: Allocation[];
  private freed: FreedRooms<Allocation> = new FreedRooms();
  private ends = 0;
  private recent: Allocation | null = null;

  /** @param list the existing allocations, in the order of their addresses */
  constructor(list: readonly Allocation[] = []) {
    this.list = [...list];
    this.noteFreed();
  }

  /** All allocations, including freed ones, ordered by address. */
  get all(): readonly Allocation[] {
    return this.list;
  }

  /** Adds an allocation whose address is higher than that of any other. */
  append(allocation: Allocation): void {
    this.list.push(allocation);
  }

  end(allocation: Allocation): void {
    allocation.ended = this.ends++;
    this.freed.add(allocation);
    this.recent = null;
  }

  /**
   * Places an allocation at the address of a freed allocation that occupied the same number of bytes. Returns null if
   * there is no such address, or if not enough allocations have been freed yet for addresses to be reused.
   */
  reuse(size: number, owner: string, room: number): Allocation | null {
    const isEnough = this.freed.count > quarantine || this.freed.bytes - room > quarantineBytes;
    return isEnough ? this.replaceFreed(this.freed.takeEqual(room), size, owner) : null;
  }

  /**
   * Places an allocation at the address of a freed allocation that occupied at least as many bytes; returns null if
   * there is no such address.
   */
  squeeze(size: number, owner: string, room: number): Allocation | null {
    return this.replaceFreed(this.freed.takeSufficient(room), size, owner);
  }

  private replaceFreed(freed: Allocation | null, size: number, owner: string): Allocation | null {
    if (freed === null) return null;
    const { address, room } = freed;
    const made: Allocation = { address, size, owner, room, ended: null };
    this.list[this.countUpTo(address) - 1] = made;
    return made;
  }

  /** Returns the live allocation that begins at an address, or null. */
  beginningAt(address: number): Allocation | null {
    const found = this.at(address);
    return found !== null && found.ended === null && found.address === address ? found : null;
  }

  /**
   * Restores the allocations of a saved state. If an existing allocation has the same address, size and owner as a
   * saved one, its object is kept.
   */
  replace(list: readonly Allocation[]): void {
    const known = new Map(this.list.map((one) => [one.address, one] as const));
    const wanted = list.map((one) => {
      const same = known.get(one.address);
      if (same?.owner !== one.owner || same.size !== one.size) return { ...one };
      known.delete(one.address);
      same.ended = one.ended;
      return same;
    });
    for (const gone of known.values()) gone.ended = 0;
    this.list.length = 0;
    for (const one of wanted) this.list.push(one);
    this.noteFreed();
    this.recent = null;
  }

  /** Throws a fault unless `size` bytes at `offset` lie in one live allocation and are naturally aligned. */
  check(access: Access, offset: number, size: number): void {
    const { recent } = this;
    if (recent === null || offset < recent.address || offset + size > recent.address + recent.size) {
      this.recent = this.locate(access, offset, size);
    }
    if (offset % size === 0) return;
    const address = formatAddress(offset);
    throw machineFault(
      'PTX6002',
      { access, size: String(size), address, space: 'global' },
      { space: 'global', address },
    );
  }

  /** Returns the live allocation that contains the whole access. */
  private locate(access: Access, offset: number, size: number): Allocation {
    const found = offset < firstGlobalAddress ? null : this.at(offset);
    const isInside = found !== null && offset + size <= found.address + found.size;
    if (isInside && found.ended === null) return found;
    const address = formatAddress(offset);
    const where = { space: 'global', address };
    const parameters = { access, size: String(size), address };
    if (offset < firstGlobalAddress) throw machineFault('PTX6005', parameters, where);
    if (isInside) throw machineFault('PTX6003', { ...parameters, owner: described(found) }, where);
    throw machineFault('PTX6001', { ...parameters, space: 'global', near: this.nearest(offset) }, where);
  }

  /** The owner of the allocation, live or freed, that contains an address. */
  ownerAt(offset: number): string | null {
    const found = this.at(offset);
    return found !== null && offset < found.address + found.size ? found.owner : null;
  }

  private noteFreed(): void {
    this.freed = new FreedRooms();
    const order = this.list.flatMap((one) => (one.ended === null ? [] : [{ one, ended: one.ended }]));
    for (const { one } of order.sort((a, b) => a.ended - b.ended)) this.freed.add(one);
    this.ends = (order.at(-1)?.ended ?? -1) + 1;
  }

  /** Returns the last allocation that begins at or below the offset. */
  private at(offset: number): Allocation | null {
    return this.list[this.countUpTo(offset) - 1] ?? null;
  }

  /** Number of allocations that begin at or below the offset. */
  private countUpTo(offset: number): number {
    return leadingCount(this.list.length, (i) => elementAt(this.list, i).address <= offset);
  }

  private nearest(offset: number): string {
    const live = this.list.filter(({ ended }) => ended === null);
    const distance = ({ address, size }: Allocation): number =>
      offset < address ? address - offset : Math.max(0, offset - address - size + 1);
    const [closest] = live.sort((a, b) => distance(a) - distance(b));
    if (closest === undefined) return '; nothing is allocated';
    if (distance(closest) > far) return '; nothing near it is allocated';
    const { size, address } = closest;
    const past = offset - address - size;
    const where =
      past >= 0
        ? `${past} bytes past its end`
        : offset < address
          ? `${address - offset} bytes before it`
          : 'across its end';
    return `; nearest is ${described(closest)}: ${where}`;
  }
}
