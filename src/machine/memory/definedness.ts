/**
 * Tracks which bits in a segment of memory are defined. A bit of memory is defined if it was last written with a
 * defined bit of a value. A byte of shared or local memory is undefined until something is written to it.
 */
import { byteAt } from '../../base/typed-reads.ts';
import { formatAddress, type MemorySpace } from './address-space.ts';
import { type MemoryImage, Pages } from './image.ts';

/** The origin of undefined bits: the load that brought them into a register. Such an object consists of plain data. */
export interface Origin {
  /** PTX source line of the load. */
  readonly line: number;
  readonly space: MemorySpace;
  /** Address and size in bytes of the load. */
  readonly address: string;
  readonly size: number;
  /** A description of what is at the address, for use in messages. */
  readonly near: string;
  /**
   * True if the same load also read bytes that had been written, for example when a struct is read together with its
   * padding. Copying such undefined bits to global memory is not an error.
   */
  readonly padding: boolean;
}

/** The undefined bits of a value. No such object exists for a fully defined value. */
export interface Undefined {
  readonly mask: bigint;
  readonly origin: Origin;
}

/** The saved state of a segment's definedness. */
export interface DefinednessState {
  readonly bits: MemoryImage;
  readonly origins: readonly (readonly [offset: number, origin: Origin])[];
}

const defined = 0xff;

/** The number of offsets whose descriptions are cached. */
const mostKnown = 1024;

export class Definedness {
  /** For each byte, a mask of its defined bits. */
  private bits: Uint8Array;
  private view: DataView;
  private readonly pages: Pages = new Pages();
  /**
   * For each byte that was written with undefined bits, the origin of those bits. Entries for bytes that have since
   * become defined are outdated and must be ignored.
   */
  private readonly origins = new Map<number, Origin>();
  private readonly space: MemorySpace;
  private readonly nearest: (offset: number) => string;
  /** Cached results of `nearest`, by offset. */
  private readonly near = new Map<number, string>();

  /** @param nearest describes what is at or near an offset, for messages */
  constructor(space: MemorySpace, size: number, nearest: (offset: number) => string) {
    this.space = space;
    this.nearest = nearest;
    this.bits = new Uint8Array(size);
    this.view = new DataView(this.bits.buffer);
  }

  /** Whether an aligned access of at most 16 bytes reads only defined bits. */
  isDefined(offset: number, size: number): boolean {
    switch (size) {
      case 1:
        return this.bits[offset] === defined;
      case 2:
        return this.view.getUint16(offset) === 0xffff;
      case 4:
        return this.view.getUint32(offset) === 0xffff_ffff;
      default:
        for (let at = offset; at < offset + size; at++) if (this.bits[at] !== defined) return false;
        return true;
    }
  }

  /** Returns the undefined bits of a little-endian value of `size` bytes. */
  undefinedBits(offset: number, size: number): bigint {
    let mask = 0n;
    for (let at = offset + size - 1; at >= offset; at--) mask = (mask << 8n) | BigInt(defined ^ byteAt(this.bits, at));
    return mask;
  }

  /**
   * Returns the origin of the undefined bits that an access reads. If these bits belong to a value that was stored, the
   * origin is the earlier load from which that value came. Otherwise, nothing was ever stored there, and the origin is
   * this access itself.
   */
  originOf(line: number, offset: number, size: number): Origin {
    for (let at = offset; at < offset + size && this.origins.size > 0; at++) {
      const origin = this.bits[at] === defined ? undefined : this.origins.get(at);
      if (origin !== undefined) return origin;
    }
    const padding = this.bits.subarray(offset, offset + size).some((bits) => bits !== 0);
    return { line, space: this.space, address: formatAddress(offset), size, near: this.nearTo(offset), padding };
  }

  /** Code that copies the padding of structs reads the same undefined bytes again and again. */
  private nearTo(offset: number): string {
    const known = this.near.get(offset);
    if (known !== undefined) return known;
    if (this.near.size === mostKnown) this.near.clear();
    const found = this.nearest(offset);
    this.near.set(offset, found);
    return found;
  }

  /** Records that a fully defined value was written. */
  define(offset: number, size: number): void {
    this.pages.touch(offset, size);
    switch (size) {
      case 1:
        this.bits[offset] = defined;
        return;
      case 2:
        this.view.setUint16(offset, 0xffff);
        return;
      case 4:
        this.view.setUint32(offset, 0xffff_ffff);
        return;
      default:
        this.bits.fill(defined, offset, offset + size);
    }
  }

  /** Records that a value of `size` bytes with some undefined bits was written. */
  undefine(offset: number, size: number, { mask, origin }: Undefined): void {
    this.pages.touch(offset, size);
    for (let i = 0; i < size; i++) {
      const bits = Number((mask >> BigInt(8 * i)) & 0xffn);
      this.bits[offset + i] = defined ^ bits;
      if (bits !== 0) this.origins.set(offset + i, origin);
    }
  }

  /** Makes everything from `start` up to, but not including, `end` undefined. */
  clear(start: number, end: number): void {
    this.pages.touch(start, end - start);
    this.bits.fill(0, start, end);
    if (this.origins.size > 0) for (let at = start; at < end; at++) this.origins.delete(at);
  }

  /** Records that bytes were copied. */
  move(from: number, to: number, size: number): void {
    this.pages.touch(to, size);
    this.bits.copyWithin(to, from, from + size);
    if (this.origins.size === 0) return;
    for (let i = 0; i < size; i++) {
      const origin = this.origins.get(from + i);
      if (origin === undefined) this.origins.delete(to + i);
      else this.origins.set(to + i, origin);
    }
  }

  /** Records that the segment has grown. The new bytes are undefined. */
  grow(size: number): void {
    const bits = new Uint8Array(size);
    bits.set(this.bits);
    this.bits = bits;
    this.view = new DataView(bits.buffer);
    this.pages.touchAll();
  }

  give(): DefinednessState {
    return { bits: this.pages.take(this.bits), origins: [...this.origins] };
  }

  /**
   * Restores a saved state, whose size may differ from the current one. If the state is null, all bits are considered
   * defined.
   */
  take(state: DefinednessState | null, size: number): void {
    if (this.bits.byteLength !== size) {
      this.bits = new Uint8Array(size);
      this.view = new DataView(this.bits.buffer);
      this.pages.touchAll();
    }
    this.origins.clear();
    if (state === null) {
      this.define(0, size);
      return;
    }
    this.pages.put(state.bits, this.bits);
    for (const [offset, origin] of state.origins) this.origins.set(offset, origin);
  }
}
