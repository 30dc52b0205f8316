/**
 * Global memory: one run of bytes that grows up to the device's size, and the allocations in it. An access must lie
 * wholly inside one live allocation.
 *
 * The bytes are those of a WebAssembly memory, so that compiled kernels reach them: address 0 lies at `origin`, and
 * before it the map of what is allocated, one byte for each 16: how many of them, from the first on, may be accessed.
 * Worker threads share it where the host lets them.
 */
import { PtxlabError } from '../base/error.ts';
import type { Bits } from '../base/bits.ts';
import { firstGlobalAddress } from './address-space.ts';
import { type Allocation, Allocations } from './allocations.ts';
import type { EngineMemory } from './engine-memory.ts';
import { type MemoryImage, Pages } from './image.ts';
import type { SharedMemory } from './memory-view.ts';
import { type Access, loadBits, storeBits } from './segment.ts';

/** Every allocation begins at a multiple of this, as those of the CUDA driver do. */
const granularity = 256;

/** Bytes between two allocations that belong to neither, so that running over an end is seen. */
const guard = 256;

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

/** Bytes that an allocation of that size takes. */
function roomOf(size: number): number {
  return Math.max(1, Math.ceil(size / granularity)) * granularity;
}

interface LentRoom {
  readonly address: number;
  readonly size: number;
  isLent: boolean;
}

/** Global memory at a moment. */
export interface GlobalState {
  /** From address 0 to the last that was given out. */
  readonly bytes: MemoryImage;
  readonly allocations: readonly Allocation[];
}

/** Whether threads can share memory here: a page in a browser has to be isolated from other origins. */
export const canShare: boolean = typeof SharedArrayBuffer !== 'undefined';

/** Global memory of a device. */
export class GlobalMemory implements EngineMemory {
  readonly limit: number;
  readonly memory: WebAssembly.Memory;
  /** Offset of address 0 in `memory`, and the length of the map before it. */
  readonly origin: number;
  /** By address; the map likewise, from the start of `memory`. */
  private bytes: Uint8Array;
  private view: DataView;
  private map: Uint8Array;
  /** What engines have borrowed so far. */
  private readonly rooms: LentRoom[] = [];
  private readonly allocations: Allocations = new Allocations();
  private readonly pages: Pages = new Pages();
  private next = firstGlobalAddress;
  private used = 0;

  /** @param limit bytes that live allocations may have together */
  constructor(limit: number = defaultMemorySize) {
    this.limit = limit;
    this.origin = rangeOf(limit) / granule;
    this.memory = new WebAssembly.Memory({
      initial: (this.origin + firstGlobalAddress) / pageSize + 1,
      maximum: Math.ceil((this.origin * (1 + granule)) / pageSize),
      shared: canShare,
    });
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
    const room = roomOf(size);
    if (this.used + room > this.limit) {
      const left = this.limit - this.used;
      throw new PtxlabError(
        'out-of-memory',
        `${owner} needs ${size} bytes; the device has ${left} of ${this.limit} left`,
      );
    }
    const free = this.next < this.limit ? null : this.allocations.reuse(room);
    const address = free ?? this.extend(room);
    const allocation: Allocation = { address, size, owner, live: true };
    this.allocations.insert(allocation);
    this.used += room;
    this.bytesAt(address, room).fill(0);
    this.mark(address, size, true);
    return allocation;
  }

  free(allocation: Allocation): void {
    if (!allocation.live) return;
    this.allocations.end(allocation);
    this.used -= roomOf(allocation.size);
    this.mark(allocation.address, allocation.size, false);
  }

  /**
   * The memory as it is; what it shares with the state before was not written since. Compiled code does not say what it
   * writes: after it `touchAll` is called first.
   */
  give(): GlobalState {
    return {
      bytes: this.pages.take(this.bytes.subarray(0, this.next)),
      allocations: this.allocations.all.map((one) => ({ ...one })),
    };
  }

  /** Makes the memory what it was. No engine has borrowed any of it. */
  take({ bytes, allocations }: GlobalState): void {
    if (this.rooms.some(({ isLent }) => isLent)) throw new Error('an engine has borrowed some of the memory');
    if (this.origin + bytes.size > this.memory.buffer.byteLength) this.grow(bytes.size);
    this.pages.put(bytes, this.bytes);
    this.map.fill(0, 0, Math.max(this.next, bytes.size) / granule);
    this.next = bytes.size;
    const kept = this.rooms.filter(({ address, size }) => address + size <= this.next);
    this.rooms.splice(0, this.rooms.length, ...kept);
    this.allocations.replace(allocations);
    this.used = 0;
    for (const { address, size, live } of allocations) {
      if (!live) continue;
      this.mark(address, size, true);
      this.used += roomOf(size);
    }
  }

  /** Compiled code may have written anywhere. */
  touchAll(): void {
    this.pages.touchAll();
  }

  /** The live allocation that begins at an address; null where there is none. */
  allocationAt(address: number): Allocation | null {
    return this.allocations.beginningAt(address);
  }

  /** The bytes of an allocation, for copying in and out; valid until the next `allocate`. */
  bytesOf(allocation: Allocation): Uint8Array {
    return this.bytesAt(allocation.address, allocation.size);
  }

  /** Any bytes; valid until the next `allocate` or `borrow`. */
  bytesAt(address: number, size: number): Uint8Array {
    this.pages.touch(address, size);
    return this.bytes.subarray(address, address + size);
  }

  /** Room that belongs to no allocation, for an engine's own use: the smallest that was given back and is large enough. */
  borrow(size: number): number {
    const known = this.rooms
      .filter((room) => !room.isLent && room.size >= size)
      .reduce<LentRoom | null>((least, room) => (least === null || room.size < least.size ? room : least), null);
    if (known !== null) {
      known.isLent = true;
      return known.address;
    }
    const rounded = Math.ceil(size / granularity) * granularity;
    const address = this.extend(rounded);
    this.rooms.push({ address, size: rounded, isLent: true });
    return address;
  }

  giveBack(address: number): void {
    const room = this.rooms.find((candidate) => candidate.address === address);
    if (room !== undefined) room.isLent = false;
  }

  /** Bytes for which there are addresses left. */
  get addressesLeft(): number {
    return this.origin * granule - this.next - guard;
  }

  /** What a worker needs to look into it; null where threads cannot share it. */
  share(): SharedMemory | null {
    if (!canShare) return null;
    return { memory: this.memory, origin: this.origin, allocations: this.allocations.all };
  }

  check(access: Access, offset: number, size: number): void {
    this.allocations.check(access, offset, size);
    if (access === 'store') this.pages.touch(offset, size);
  }

  load(offset: number, width: number): Bits {
    return loadBits(this.view, offset, width);
  }

  store(offset: number, width: number, bits: Bits): void {
    storeBits(this.view, offset, width, bits);
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
}
