/**
 * Global memory: one run of bytes that grows up to the device's size, and the allocations in it. An access must lie
 * wholly inside one live allocation.
 *
 * The bytes are those of a WebAssembly memory, so that compiled kernels reach them: address 0 lies at `origin`, and
 * before it the map of what is allocated, one byte for each 16: how many of them, from the first on, may be accessed.
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

const pageSize = 2 ** 16;
/** Bytes that one byte of the map speaks for. */
const granule = 16;
/** Addresses beyond twice the memory's size: guards of small allocations, and room for what engines borrow. */
const slack = 2 ** 26;
/** What WebAssembly can address, less a page. */
const reach = 2 ** 32 - pageSize;

/** Addresses that can be given out for a device of that size, in whole pages of the map. */
function rangeOf(limit: number): number {
  const unit = granule * pageSize;
  return Math.min(Math.ceil((2 * limit + slack) / unit) * unit, Math.floor(((reach / 17) * 16) / unit) * unit);
}

/** Global memory of a device. */
export class GlobalMemory implements Memory {
  readonly limit: number;
  readonly memory: WebAssembly.Memory;
  /** Offset of address 0 in `memory`, and the length of the map before it. */
  readonly origin: number;
  /** By address; the map likewise, from the start of `memory`. */
  private bytes: Uint8Array<ArrayBuffer>;
  private view: DataView;
  private map: Uint8Array;
  /** Addresses that engines have borrowed and given back, by size. */
  private readonly lent: { readonly address: number; readonly size: number }[] = [];
  private readonly allocations: Allocation[] = [];
  private next = firstGlobalAddress;
  private used = 0;
  private recent: Allocation | null = null;

  /** @param limit bytes that live allocations may have together */
  constructor(limit: number = defaultMemorySize) {
    this.limit = limit;
    this.origin = rangeOf(limit) / granule;
    this.memory = new WebAssembly.Memory({ initial: (this.origin + firstGlobalAddress) / pageSize + 1 });
    this.bytes = new Uint8Array(this.memory.buffer, this.origin);
    this.view = new DataView(this.memory.buffer, this.origin);
    this.map = new Uint8Array(this.memory.buffer, 0, this.origin);
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
    this.bytes.fill(0, address, address + room);
    this.mark(address, size, true);
    return allocation;
  }

  free(allocation: Allocation): void {
    if (!allocation.live) return;
    allocation.live = false;
    this.used -= Math.max(1, Math.ceil(allocation.size / granularity)) * granularity;
    this.recent = null;
    this.mark(allocation.address, allocation.size, false);
  }

  /** The bytes of an allocation, for copying in and out; valid until the next `allocate`. */
  bytesOf(allocation: Allocation): Uint8Array {
    return this.bytesAt(allocation.address, allocation.size);
  }

  /** Any bytes; valid until the next `allocate` or `borrow`. */
  bytesAt(address: number, size: number): Uint8Array<ArrayBuffer> {
    return this.bytes.subarray(address, address + size);
  }

  /** Room that belongs to no allocation, for an engine's own use: kernels that access it run into a fault. */
  borrow(size: number): number {
    const index = this.lent.findIndex((room) => room.size >= size);
    if (index >= 0) return (this.lent.splice(index, 1)[0] as { readonly address: number }).address;
    return this.extend(Math.ceil(size / granularity) * granularity);
  }

  /** Ends a `borrow` of that size. */
  giveBack(address: number, size: number): void {
    this.lent.push({ address, size });
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
    return loadBits(this.view, offset, width);
  }

  store(offset: number, width: number, bits: Bits): void {
    storeBits(this.view, offset, width, bits);
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
    const end = address + room + guard;
    const present = this.memory.buffer.byteLength;
    if (this.origin + end > present) this.grow(end);
    this.next = end;
    return address;
  }

  /** Doubles the memory, or takes what is needed where that is too much. */
  private grow(end: number): void {
    const present = this.memory.buffer.byteLength - this.origin;
    const addresses = this.origin * granule;
    if (end > addresses) throw new PtxlabError('out-of-memory', `the device has no addresses beyond ${addresses}`);
    const wanted = Math.min(Math.max(end, 2 * present), addresses);
    this.memory.grow(Math.ceil((wanted - present) / pageSize));
    this.bytes = new Uint8Array(this.memory.buffer, this.origin);
    this.view = new DataView(this.memory.buffer, this.origin);
    this.map = new Uint8Array(this.memory.buffer, 0, this.origin);
  }

  /** Notes in the map that the bytes may, or may no longer, be accessed. Allocations begin at whole granules. */
  private mark(address: number, size: number, live: boolean): void {
    const first = address / granule;
    const last = first + Math.floor(size / granule);
    this.map.fill(live ? granule : 0, first, last);
    this.map[last] = live ? size % granule : 0;
  }

  private insert(allocation: Allocation): void {
    const index = this.allocations.findIndex((other) => other.address > allocation.address);
    if (index < 0) this.allocations.push(allocation);
    else this.allocations.splice(index, 0, allocation);
  }
}
