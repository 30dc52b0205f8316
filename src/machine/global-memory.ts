/**
 * Global memory: one run of bytes that grows up to the device's size, and the allocations in it. An access must lie
 * wholly inside one live allocation.
 */
import { PtxlabError } from '../base/error.ts';
import type { Bits } from '../base/bits.ts';
import { firstGlobalAddress, formatAddress } from './address-space.ts';
import { machineFault } from './fault.ts';
import { type Access, loadBits, type Memory, storeBits } from './segment.ts';

/** Every allocation begins at a multiple of this, as those of the CUDA driver do. */
const granularity = 256;

/** Bytes between two allocations that belong to neither, so that running over an end is seen. */
const guard = 256;

export interface Allocation {
  readonly address: number;
  readonly size: number;
  /** Whose it is, for messages: `buffer 2`, `variable lut`. */
  readonly owner: string;
  live: boolean;
}

export const defaultMemorySize: number = 2 ** 30;

/** Global memory of a device. */
export class GlobalMemory implements Memory {
  readonly limit: number;
  private bytes = new Uint8Array(1 << 16);
  private view = new DataView(this.bytes.buffer);
  private readonly allocations: Allocation[] = [];
  private next = firstGlobalAddress;
  private used = 0;
  private recent: Allocation | null = null;

  /** @param limit bytes that live allocations may have together */
  constructor(limit: number = defaultMemorySize) {
    this.limit = limit;
  }

  /**
   * Room for `size` bytes, zeroed.
   *
   * @throws PtxlabError `out-of-memory` where the device has not that much left
   */
  allocate(size: number, owner: string): Allocation {
    const room = Math.max(1, Math.ceil(size / granularity)) * granularity;
    if (this.used + room > this.limit) {
      const left = this.limit - this.used;
      throw new PtxlabError(
        'out-of-memory',
        `${owner} needs ${size} bytes; the device has ${left} of ${this.limit} left`,
      );
    }
    const address = this.reuse(room) ?? this.extend(room);
    const allocation: Allocation = { address, size, owner, live: true };
    this.insert(allocation);
    this.used += room;
    this.bytes.fill(0, address - firstGlobalAddress, address - firstGlobalAddress + room);
    return allocation;
  }

  free(allocation: Allocation): void {
    if (!allocation.live) return;
    allocation.live = false;
    this.used -= Math.max(1, Math.ceil(allocation.size / granularity)) * granularity;
    this.recent = null;
  }

  /** The bytes of an allocation, for copying in and out; valid until the next `allocate`. */
  bytesOf(allocation: Allocation): Uint8Array {
    const start = allocation.address - firstGlobalAddress;
    return this.bytes.subarray(start, start + allocation.size);
  }

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

  load(offset: number, width: number): Bits {
    return loadBits(this.view, offset - firstGlobalAddress, width);
  }

  store(offset: number, width: number, bits: Bits): void {
    storeBits(this.view, offset - firstGlobalAddress, width, bits);
  }

  /** The live allocation that holds all of the access. */
  private locate(access: Access, offset: number, size: number): Allocation {
    const address = formatAddress(offset);
    const where = { space: 'global', address };
    const parameters = { access, size: String(size), address };
    if (offset < firstGlobalAddress) throw machineFault('PTX6005', parameters, where);
    const found = this.at(offset);
    if (found !== null && offset + size <= found.address + found.size) {
      if (found.live) return found;
      throw machineFault('PTX6003', { ...parameters, owner: found.owner }, where);
    }
    throw machineFault('PTX6001', { ...parameters, space: 'global', near: this.nearest(offset) }, where);
  }

  /** The newest allocation that begins at or below the offset. */
  private at(offset: number): Allocation | null {
    let low = 0;
    let high = this.allocations.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.allocations[middle] as Allocation).address <= offset) low = middle + 1;
      else high = middle;
    }
    return this.allocations[low - 1] ?? null;
  }

  private nearest(offset: number): string {
    const live = this.allocations.filter((allocation) => allocation.live);
    const distance = ({ address, size }: Allocation): number =>
      offset < address ? address - offset : Math.max(0, offset - address - size + 1);
    const [closest] = live.sort((a, b) => distance(a) - distance(b));
    if (closest === undefined) return '; nothing is allocated';
    const { owner, size, address } = closest;
    const past = offset - address - size;
    const where =
      past >= 0
        ? `${past} bytes past its end`
        : offset < address
          ? `${address - offset} bytes before it`
          : 'across its end';
    return `; nearest is ${owner}, ${size} bytes at ${formatAddress(address)}: ${where}`;
  }

  /** First freed room of at least that size; its old allocation is forgotten. */
  private reuse(room: number): number | null {
    const index = this.allocations.findIndex((allocation) => !allocation.live && allocation.size >= room);
    const found = this.allocations[index];
    if (found === undefined || this.next < this.limit) return null;
    this.allocations.splice(index, 1);
    return found.address;
  }

  private extend(room: number): number {
    const address = this.next;
    this.next = address + room + guard;
    const needed = this.next - firstGlobalAddress;
    if (needed > this.bytes.byteLength) this.grow(needed);
    return address;
  }

  private grow(needed: number): void {
    let size = this.bytes.byteLength;
    while (size < needed) size *= 2;
    const grown = new Uint8Array(size);
    grown.set(this.bytes);
    this.bytes = grown;
    this.view = new DataView(grown.buffer);
  }

  private insert(allocation: Allocation): void {
    const index = this.allocations.findIndex((other) => other.address > allocation.address);
    if (index < 0) this.allocations.push(allocation);
    else this.allocations.splice(index, 0, allocation);
  }
}
