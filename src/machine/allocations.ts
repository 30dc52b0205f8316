/**
 * The allocations in global memory, by address: which one an access belongs to, and the fault if it belongs to none.
 */
import { elementAt } from '../base/element-at.ts';
import { firstGlobalAddress, formatAddress } from './address-space.ts';
import { machineFault } from './fault.ts';
import type { Access } from './segment.ts';

export interface Allocation {
  readonly address: number;
  readonly size: number;
  /** Its owner, for messages: `buffer 2`, `variable lut`. */
  readonly owner: string;
  live: boolean;
}

/** From this distance in bytes on, the nearest allocation says nothing about a wild address. */
const far = 2 ** 24;

function described({ owner, size, address }: Allocation): string {
  return `${owner}, ${size} bytes at ${formatAddress(address)}`;
}

export class Allocations {
  private readonly list: Allocation[];
  private recent: Allocation | null = null;

  /** @param list the existing allocations, in the order of their addresses */
  constructor(list: readonly Allocation[] = []) {
    this.list = [...list];
  }

  /** All allocations, live or not, in the order of their addresses. */
  get all(): readonly Allocation[] {
    return this.list;
  }

  insert(allocation: Allocation): void {
    const index = this.list.findIndex((other) => other.address > allocation.address);
    if (index < 0) this.list.push(allocation);
    else this.list.splice(index, 0, allocation);
  }

  end(allocation: Allocation): void {
    allocation.live = false;
    this.recent = null;
  }

  /** Removes the first ended one of at least that size and returns its address. */
  reuse(size: number): number | null {
    const index = this.list.findIndex((allocation) => !allocation.live && allocation.size >= size);
    const found = this.list[index];
    if (found === undefined) return null;
    this.list.splice(index, 1);
    return found.address;
  }

  /** The live one that begins at an address, or null. */
  beginningAt(address: number): Allocation | null {
    const found = this.at(address);
    return found !== null && found.live && found.address === address ? found : null;
  }

  /** Restores the allocations of a saved state; an allocation with the same address and owner stays the same object. */
  replace(list: readonly Allocation[]): void {
    const known = new Map(this.list.map((one) => [one.address, one] as const));
    const wanted = list.map((one) => {
      const same = known.get(one.address);
      if (same?.owner !== one.owner || same.size !== one.size) return { ...one };
      known.delete(one.address);
      same.live = one.live;
      return same;
    });
    for (const gone of known.values()) gone.live = false;
    this.list.splice(0, this.list.length, ...wanted);
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

  /** The live allocation that contains the whole access. */
  private locate(access: Access, offset: number, size: number): Allocation {
    const address = formatAddress(offset);
    const where = { space: 'global', address };
    const parameters = { access, size: String(size), address };
    if (offset < firstGlobalAddress) throw machineFault('PTX6005', parameters, where);
    const found = this.at(offset);
    if (found !== null && offset + size <= found.address + found.size) {
      if (found.live) return found;
      throw machineFault('PTX6003', { ...parameters, owner: described(found) }, where);
    }
    throw machineFault('PTX6001', { ...parameters, space: 'global', near: this.nearest(offset) }, where);
  }

  /** The newest allocation that begins at or below the offset. */
  private at(offset: number): Allocation | null {
    let low = 0;
    let high = this.list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (elementAt(this.list, middle).address <= offset) low = middle + 1;
      else high = middle;
    }
    return this.list[low - 1] ?? null;
  }

  private nearest(offset: number): string {
    const live = this.list.filter((allocation) => allocation.live);
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
