/**
 * The bytes of one state space. Accesses are checked for bounds and alignment; offsets are relative to the start of the
 * space.
 */
import { viewOf } from '../../base/byte-view.ts';
import { type Bits, numberOf, bigintOf } from '../../base/bits.ts';
import { formatAddress, type MemorySpace } from './address-space.ts';
import { Definedness, type DefinednessState } from './definedness.ts';
import { machineFault } from '../fault.ts';
import { type MemoryImage, Pages } from './image.ts';

/** How an instruction accesses memory, as worded in messages. Atomic operations both load and store. */
export type Access = 'load' | 'store' | 'atomic';

/** A named part of a segment, for messages: a variable or a parameter. */
export interface NamedRange {
  readonly name: string;
  readonly start: number;
  readonly size: number;
}

export interface SegmentOptions {
  readonly readOnly?: boolean;
  /** Whether to keep a record of which bits have been written. */
  readonly trackWrites?: boolean;
  readonly named?: readonly NamedRange[];
  /**
   * The full size in bytes, if not all bytes are allocated at the beginning. The remaining bytes are added, filled with
   * zeros, when they are first accessed.
   */
  readonly size?: number;
}

/** The operations that every state space must provide for loads and stores. */
export interface Memory {
  /**
   * Throws a fault unless `size` bytes at `offset` can be accessed in one operation. Must be called before `load` and
   * `store`.
   */
  check(access: Access, offset: number, size: number): void;
  /** Loads one little-endian element of `width` bits. The caller must have called `check`. */
  load(offset: number, width: number): Bits;
  store(offset: number, width: number, bits: Bits): void;
  /** A mask of the defined bits; absent or null if all of them are defined. */
  readonly definedness?: Definedness | null;
}

/** The saved state of a segment: its bytes and, if it tracks writes, a record of which bits are defined. */
export interface SegmentState {
  /** The offset that no access may exceed. */
  readonly end: number;
  readonly bytes: MemoryImage;
  readonly definedness: DefinednessState | null;
}

/** The memory of a space whose size is fixed (shared, local, const, param or tensor memory). */
export class Segment implements Memory {
  private bytes: Uint8Array;
  private view: DataView;
  private readonly space: MemorySpace;
  private readonly options: SegmentOptions;
  private readonly size: number;
  /**
   * The offset that no access may exceed. In local memory, this is the end of the current function's activation record.
   */
  private end: number;
  readonly definedness: Definedness | null;
  private readonly pages: Pages = new Pages();

  constructor(space: MemorySpace, bytes: Uint8Array, options: SegmentOptions = {}) {
    this.space = space;
    this.bytes = bytes;
    this.view = viewOf(bytes);
    this.options = options;
    this.size = options.size ?? bytes.byteLength;
    this.end = this.size;
    this.definedness =
      options.trackWrites === true
        ? new Definedness(space, bytes.byteLength, (offset) => this.nearestName(offset))
        : null;
  }

  /** Sets the offset at which accessible memory ends. */
  limitTo(end: number): void {
    this.end = end;
  }

  check(access: Access, offset: number, size: number): void {
    if (offset < 0 || offset + size > this.end || offset % size !== 0) throw this.misplaced(access, offset, size);
    if (offset + size > this.bytes.byteLength) this.reach(offset + size);
    if (access === 'load') return;
    if (this.options.readOnly === true) {
      const where = this.placeOf(offset);
      throw machineFault('PTX6004', { size: String(size), near: this.nearestName(offset), ...where }, where);
    }
    this.mark(offset, size);
  }

  load(offset: number, width: number): Bits {
    return loadBits(this.view, offset, width);
  }

  store(offset: number, width: number, bits: Bits): void {
    storeBits(this.view, offset, width, bits);
  }

  /**
   * Enlarges the array of bytes if necessary, so that it contains all bytes up to `end`. `end` must lie inside the
   * segment.
   */
  reach(end: number): void {
    if (end <= this.bytes.byteLength) return;
    const length = Math.min(this.size, Math.max(end, 2 * this.bytes.byteLength));
    const grown = new Uint8Array(length);
    grown.set(this.bytes);
    this.bytes = grown;
    this.view = new DataView(grown.buffer);
    this.definedness?.grow(length);
    this.pages.touch(0, length);
  }

  /**
   * Returns the current state of the segment. The new state shares every page that has not been written since the
   * previous state was taken.
   */
  give(): SegmentState {
    const { end, bytes, definedness } = this;
    return { end, bytes: this.pages.take(bytes), definedness: definedness?.give() ?? null };
  }

  /** Restores the segment. If the saved state has no record of written bytes, all bytes count as written. */
  take({ end, bytes, definedness }: SegmentState): void {
    const { size } = bytes;
    this.end = end;
    if (this.bytes.byteLength !== size) {
      this.bytes = new Uint8Array(size);
      this.view = new DataView(this.bytes.buffer);
      this.pages.touch(0, size);
    }
    this.pages.put(bytes, this.bytes);
    this.definedness?.take(definedness, size);
  }

  /** Sets the bytes from `start` up to, but not including, `end` to zero, and marks them as unwritten. */
  clear(start: number, end: number): void {
    this.pages.touch(start, end - start);
    this.bytes.fill(0, start, end);
    this.definedness?.clear(start, end);
  }

  /**
   * Marks bytes as written. Since `check` does this for stores, `mark` is needed only if `store` is called without
   * `check`.
   */
  mark(offset: number, size: number): void {
    this.pages.touch(offset, size);
    this.definedness?.define(offset, size);
  }

  /** Returns bytes without any checks. The caller must also mark the bytes that it writes. */
  bytesAt(offset: number, size: number): Uint8Array {
    return this.bytes.subarray(offset, offset + size);
  }

  /** Copies bytes, together with the record of which of their bits are defined. */
  move(from: number, to: number, size: number): void {
    this.pages.touch(to, size);
    this.bytes.copyWithin(to, from, from + size);
    this.definedness?.move(from, to, size);
  }

  private misplaced(access: Access, offset: number, size: number): Error {
    const where = this.placeOf(offset);
    const parameters = { access, size: String(size), ...where };
    if (offset >= 0 && offset + size <= this.end) return machineFault('PTX6002', parameters, where);
    return machineFault('PTX6001', { ...parameters, near: this.nearestName(offset) }, where);
  }

  private placeOf(offset: number): { readonly space: string; readonly address: string } {
    return { space: this.space, address: formatAddress(offset) };
  }

  private nearestName(offset: number): string {
    let nearest: NamedRange | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const region of this.options.named ?? []) {
      const { start, size } = this.measured(region);
      const distance = offset < start ? start - offset : Math.max(0, offset - start - size + 1);
      if (distance > least || (distance === least && nearest !== null && start < nearest.start)) continue;
      nearest = region;
      least = distance;
    }
    if (nearest === null) return `; the space has ${this.end} bytes`;
    const { name, size, start } = this.measured(nearest);
    const where = `${size} bytes at ${formatAddress(start)}`;
    const found = least === 0 ? 'it is in' : 'nearest is';
    if (!this.isDynamic(nearest)) return `; ${found} '${name}', ${where}`;
    const dynamic = 'the dynamic shared memory (--shared, sharedBytes)';
    const isOnly = (this.options.named ?? []).filter((region) => this.isDynamic(region)).length === 1;
    return isOnly ? `; ${found} '${name}', ${where}, ${dynamic}` : `; ${found} ${dynamic}, ${where}`;
  }

  /** Whether a range is an `.extern .shared` variable. All such variables share the dynamic shared memory. */
  private isDynamic({ size }: NamedRange): boolean {
    return this.space === 'shared' && size === 0;
  }

  /** Fills in the size of dynamic shared memory, which extends to the end of the segment and depends on the launch. */
  private measured(region: NamedRange): NamedRange {
    return this.isDynamic(region) ? { ...region, size: this.size - region.start } : region;
  }
}

/** Loads a little-endian value of 8 to 128 bits. */
export function loadBits(view: DataView, offset: number, width: number): Bits {
  switch (width) {
    case 8:
      return view.getUint8(offset);
    case 16:
      return view.getUint16(offset, true);
    case 32:
      return view.getUint32(offset, true);
    case 64:
      return view.getBigUint64(offset, true);
    default:
      return view.getBigUint64(offset, true) | (view.getBigUint64(offset + 8, true) << 64n);
  }
}

export function storeBits(view: DataView, offset: number, width: number, bits: Bits): void {
  switch (width) {
    case 8:
      view.setUint8(offset, numberOf(bits));
      return;
    case 16:
      view.setUint16(offset, numberOf(bits), true);
      return;
    case 32:
      view.setUint32(offset, numberOf(bits), true);
      return;
    case 64:
      view.setBigUint64(offset, bigintOf(bits), true);
      return;
    default:
      view.setBigUint64(offset, BigInt.asUintN(64, bigintOf(bits)), true);
      view.setBigUint64(offset + 8, bigintOf(bits) >> 64n, true);
  }
}
