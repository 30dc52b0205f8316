/**
 * Global memory: a range of bytes that grows up to the device's size, and the allocations in it. An access must lie
 * wholly inside one live allocation.
 *
 * The bytes are in a WebAssembly memory, so that compiled kernels can access them. Address 0 is at offset `origin` in
 * that memory, and the allocation map comes before it. The map has one byte for every 16 bytes of memory. The value of
 * this byte is the number of bytes, counted from the first of the 16, that may be accessed. Worker threads share the
 * memory if the host allows it.
 */
import { alignUp } from '../../base/align.ts';
import { PtxlabError } from '../../base/error.ts';
import type { Bits } from '../../base/bits.ts';
import { wasmPageBytes } from '../../base/wasm-pages.ts';
import { firstGlobalAddress, firstNearAddress } from './address-space.ts';
import { type Allocation, Allocations } from './allocations.ts';
import type { EngineMemory } from './engine-memory.ts';
import { type MemoryImage, Pages } from './image.ts';
import type { SharedMemory } from './memory-view.ts';
import { type Access, loadBits, storeBits } from './segment.ts';

/** Every allocation starts at a multiple of this number, as it does with the CUDA driver. */
const granularity = 256;

/** Number of unallocated bytes between two allocations, so that accesses past the end of an allocation are detected. */
const guard = 256;

/** Default size of a device's global memory in bytes. */
export const defaultMemorySize: number = 2 ** 30;

/** Number of bytes covered by one byte of the map. */
const granule = 16;
/**
 * The size of the address range is twice the size of the memory, plus this number of bytes. The additional bytes leave
 * room for the guards of small allocations and for memory that engines borrow.
 */
const slack = 2 ** 26;

/**
 * Size of the address range for a device with `limit` bytes. It is rounded up so that the map consists of whole pages.
 * The range ends below the near windows, so that WebAssembly can address both the range and the map.
 */
function rangeOf(limit: number): number {
  const unit = granule * wasmPageBytes;
  return Math.min(alignUp(2 * limit + slack, unit), firstNearAddress);
}

/** Number of bytes that an allocation of the given size occupies. */
function roomOf(size: number): number {
  return Math.max(1, Math.ceil(size / granularity)) * granularity;
}

interface LentRoom {
  readonly address: number;
  readonly size: number;
  isLent: boolean;
}

/** The saved state of global memory. */
export interface GlobalState {
  /** The bytes from address 0 to the last address used. */
  readonly bytes: MemoryImage;
  readonly allocations: readonly Allocation[];
}

/** Whether threads can share memory in this environment. In a browser, this requires a cross-origin isolated page. */
export const canShare: boolean = typeof SharedArrayBuffer !== 'undefined';

/** Global memory of a device. */
export class GlobalMemory implements EngineMemory {
  readonly limit: number;
  readonly memory: WebAssembly.Memory;
  /** Offset of address 0 in `memory`. It is also the length of the map, which comes before address 0. */
  readonly origin: number;
  /**
   * Views of `memory`. `bytes` and `view` are indexed by address; `map`, which lies at the start of `memory`, is
   * indexed by granule.
   */
  private bytes: Uint8Array;
  private view: DataView;
  private map: Uint8Array;
  /** The pieces of memory that engines have borrowed, including those that have been returned. */
  private readonly rooms: LentRoom[] = [];
  private readonly allocations: Allocations = new Allocations();
  private readonly pages: Pages = new Pages();
  private next = firstGlobalAddress;
  private used = 0;

  /** @param limit maximum total size of live allocations in bytes */
  constructor(limit: number = defaultMemorySize) {
    this.limit = limit;
    this.origin = rangeOf(limit) / granule;
    this.memory = hostMemory(
      (this.origin + firstGlobalAddress) / wasmPageBytes + 1,
      Math.ceil((this.origin * (1 + granule)) / wasmPageBytes),
    );
    this.bytes = new Uint8Array(this.memory.buffer, this.origin);
    this.view = new DataView(this.memory.buffer, this.origin);
    this.map = new Uint8Array(this.memory.buffer, 0, this.origin);
  }

  /**
   * Allocates `size` bytes, zeroed.
   *
   * @throws PtxlabError `out-of-memory` if the device does not have enough memory left
   */
  allocate(size: number, owner: string): Allocation {
    const room = roomOf(size);
    if (this.used + room > this.limit) {
      const left = this.limit - this.used;
      throw new PtxlabError(
        'out-of-memory',
        `${owner} needs ${size} bytes${size <= left ? `, rounded up to ${room}` : ''}; the device has ${left} of ${this.limit} left`,
      );
    }
    const allocation = this.place(size, owner, room);
    this.used += room;
    this.bytesAt(allocation.address, room).fill(0);
    this.mark(allocation.address, size, true);
    return allocation;
  }

  /**
   * Places an allocation. As long as the range of used addresses is smaller than the device's memory, the address of a
   * freed allocation is reused only for an allocation that occupies the same number of bytes. Afterwards, it is reused
   * for any allocation that fits.
   */
  private place(size: number, owner: string, room: number): Allocation {
    const { allocations } = this;
    const reused =
      this.next < this.limit ? allocations.reuse(size, owner, room) : allocations.squeeze(size, owner, room);
    if (reused !== null) return reused;
    const made: Allocation = { address: this.extend(room), size, owner, room, ended: null };
    allocations.append(made);
    return made;
  }

  free(allocation: Allocation): void {
    if (allocation.ended !== null) return;
    this.allocations.end(allocation);
    this.used -= roomOf(allocation.size);
    this.mark(allocation.address, allocation.size, false);
  }

  /**
   * Returns the current state of the memory. The new state shares every page that has not been written since the
   * previous state was taken. Compiled code does not report its writes, so `touchAll` must be called first if compiled
   * code has run.
   */
  give(): GlobalState {
    return {
      bytes: this.pages.take(this.bytes.subarray(0, this.next)),
      allocations: this.allocations.all.map((one) => ({ ...one })),
    };
  }

  /** Restores the memory. Engines must have returned all memory that they have borrowed. */
  take({ bytes, allocations }: GlobalState): void {
    if (this.rooms.some(({ isLent }) => isLent)) throw new Error('an engine has not returned all borrowed memory');
    if (this.origin + bytes.size > this.memory.buffer.byteLength) this.grow(bytes.size);
    this.pages.put(bytes, this.bytes);
    this.map.fill(0, 0, Math.max(this.next, bytes.size) / granule);
    this.next = bytes.size;
    const kept = this.rooms.filter(({ address, size }) => address + size <= this.next);
    this.rooms.splice(0, this.rooms.length, ...kept);
    this.allocations.replace(allocations);
    this.used = 0;
    for (const { address, size, ended } of allocations) {
      if (ended !== null) continue;
      this.mark(address, size, true);
      this.used += roomOf(size);
    }
  }

  /** Marks all pages as written, because compiled code may have written anywhere. */
  touchAll(): void {
    this.pages.touchAll();
  }

  /** Returns the live allocation that starts at an address, or null. */
  allocationAt(address: number): Allocation | null {
    return this.allocations.beginningAt(address);
  }

  /**
   * Returns a view through which an allocation's bytes can be read and written. The view is valid until the next
   * `allocate`.
   */
  bytesOf(allocation: Allocation): Uint8Array {
    return this.bytesAt(allocation.address, allocation.size);
  }

  /**
   * Returns the bytes at an address, whether or not they are allocated. The result is valid until the next `allocate`
   * or `borrow`.
   */
  bytesAt(address: number, size: number): Uint8Array {
    this.pages.touch(address, size);
    return this.bytes.subarray(address, address + size);
  }

  /**
   * Reserves memory outside all allocations for an engine's own use and returns its address. Among the pieces that
   * engines have returned, the smallest one that is large enough is reused. If there is none, new memory is reserved.
   */
  borrow(size: number): number {
    const known = this.rooms
      .filter((room) => !room.isLent && room.size >= size)
      .reduce<LentRoom | null>((least, room) => (least === null || room.size < least.size ? room : least), null);
    if (known !== null) {
      known.isLent = true;
      return known.address;
    }
    const rounded = alignUp(size, granularity);
    const address = this.extend(rounded);
    this.rooms.push({ address, size: rounded, isLent: true });
    return address;
  }

  giveBack(address: number): void {
    const room = this.rooms.find((candidate) => candidate.address === address);
    if (room !== undefined) room.isLent = false;
  }

  /** Number of bytes left in the address range. */
  get addressesLeft(): number {
    return this.origin * granule - this.next - guard;
  }

  /** Returns what a worker needs to access the memory; null if threads cannot share it. */
  share(): SharedMemory | null {
    if (!canShare) return null;
    return { memory: this.memory, origin: this.origin, allocations: this.allocations.all };
  }

  /** The owner of the allocation that contains an address; null if none does. */
  ownerAt(offset: number): string | null {
    return this.allocations.ownerAt(offset);
  }

  check(access: Access, offset: number, size: number): void {
    this.allocations.check(access, offset, size);
    if (access !== 'load') this.pages.touch(offset, size);
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

  /**
   * Enlarges the memory up to the address `end`. The size is at least doubled, unless that would exceed the address
   * range.
   */
  private grow(end: number): void {
    const present = this.memory.buffer.byteLength - this.origin;
    const addresses = this.origin * granule;
    if (end > addresses) throw new PtxlabError('out-of-memory', `the device has no addresses beyond ${addresses}`);
    const wanted = Math.min(Math.max(end, 2 * present), addresses);
    this.memory.grow(Math.ceil((wanted - present) / wasmPageBytes));
    this.bytes = new Uint8Array(this.memory.buffer, this.origin);
    this.view = new DataView(this.memory.buffer, this.origin);
    this.map = new Uint8Array(this.memory.buffer, 0, this.origin);
  }

  /**
   * Marks bytes as accessible or inaccessible in the map. `address` is a multiple of the granule size, because all
   * allocations start at granule boundaries.
   */
  private mark(address: number, size: number, live: boolean): void {
    const first = address / granule;
    const last = first + Math.floor(size / granule);
    this.map.fill(live ? granule : 0, first, last);
    this.map[last] = live ? size % granule : 0;
  }
}

/** @throws PtxlabError `out-of-memory` if the host refuses to reserve the addresses */
function hostMemory(initial: number, maximum: number): WebAssembly.Memory {
  try {
    return new WebAssembly.Memory({ initial, maximum, shared: canShare });
  } catch (error) {
    if (!(error instanceof RangeError || error instanceof TypeError)) throw error;
    const message = `the host has no room for a device of this size: ${error.message}`;
    throw new PtxlabError('out-of-memory', message, { cause: error });
  }
}
