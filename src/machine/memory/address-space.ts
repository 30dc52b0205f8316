/**
 * The generic address space (sections 5.1 and 6.4.1.1 of PTX ISA 9.1). Global memory has the same addresses in the
 * generic space as in its own; they lie below all windows. Tensor memory has no generic addresses; every other space
 * has two windows. Instructions with 64-bit addresses use the far window: the high word of the address selects the
 * window, and the low word is the offset in it. A 32-bit address cannot reach that window, so instructions with 32-bit
 * addresses use the near window, which lies in the last 256 MiB below 4 GiB.
 */
import { elementAt } from '../../base/element-at.ts';
import { type AccessSpace, rankAt, type WindowSpace } from '../../isa/spaces.ts';
import { keysOf } from '../../base/records.ts';

/** The spaces to which a memory access can refer. */
export type MemorySpace = Exclude<AccessSpace, 'generic'>;

/** High word of each far window. */
const farWords = {
  shared: 0x0100_0000,
  local: 0x0200_0000,
  const: 0x0300_0000,
  param: 0x0400_0000,
} as const;

type Windowed = keyof typeof farWords;

const windowed = keysOf(farWords);

const byFarWord: ReadonlyMap<number, Windowed> = new Map(windowed.map((space) => [farWords[space], space]));

/**
 * Size of a near window as a power of two. It is far larger than the local memory of any thread or the shared memory of
 * any block.
 */
const nearBits = 26;

/** Start of the near windows, which follow one another. Global memory ends below this address. */
export const firstNearAddress: number = 2 ** 32 - windowed.length * 2 ** nearBits;

const lowestWindow = BigInt(firstNearAddress);

/** Nothing is ever allocated below this address, so accesses at small offsets from null are caught. */
export const firstGlobalAddress = 0x1_0000;

/** An address, given as a space and an offset in it. */
export interface Address {
  readonly space: MemorySpace;
  readonly offset: number;
}

/**
 * The generic address at which a space's window begins, for addresses of `width` bits. It is 0 for global memory, which
 * has the same addresses in the generic space.
 */
export function windowBase(space: WindowSpace, width: 32 | 64): bigint {
  if (space === 'global') return 0n;
  const own = windowOf(space);
  if (width === 64) return BigInt(farWords[own]) << 32n;
  return BigInt(firstNearAddress + windowed.indexOf(own) * 2 ** nearBits);
}

/** Size of a window for addresses of `width` bits, as a power of two. */
export function windowBits(width: 32 | 64): number {
  return width === 64 ? 32 : nearBits;
}

/**
 * The window of a block's own shared memory also contains the shared memory of the other blocks in its cluster, at
 * higher addresses.
 */
function windowOf(space: Exclude<WindowSpace, 'global'>): Windowed {
  return space === 'shared::cluster' ? 'shared' : space;
}

/**
 * Resolves a generic address. Every address outside the windows is an offset in global memory, even if nothing is
 * allocated there.
 */
export function resolveGeneric(address: bigint): Address {
  if (address < lowestWindow) return { space: 'global', offset: Number(address) };
  const word = Number(address >> 32n);
  const low = Number(address & 0xffff_ffffn);
  if (word === 0) {
    const window = Math.floor((low - firstNearAddress) / 2 ** nearBits);
    return { space: elementAt(windowed, window), offset: low % 2 ** nearBits };
  }
  const space = byFarWord.get(word);
  return space === undefined ? { space: 'global', offset: Number(address) } : { space, offset: low };
}

/** True if a generic address lies in a window of the space. */
export function isInWindow(address: bigint, space: WindowSpace): boolean {
  const found = resolveGeneric(address);
  if (found.space !== (space === 'global' ? 'global' : windowOf(space))) return false;
  return space !== 'shared' || rankAt(found.offset) === null;
}

/** Formats an address for messages. */
export function formatAddress(address: number | bigint): string {
  return `0x${address.toString(16)}`;
}
