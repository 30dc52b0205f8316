/**
 * The generic address space (PTX ISA 9.1, 5.1 and 6.4.1.1). The high word of a 64-bit address selects a window, and the
 * low word is the offset in it. Global memory lies below the windows, at its own addresses.
 */
import type { WindowSpace } from '../isa/spaces.ts';

/** Spaces that an access can resolve to. */
export type MemorySpace = 'global' | 'shared' | 'local' | 'const' | 'param';

/** High word of each window. Global memory uses all high words below the first of them. */
const windowWords = {
  shared: 0x0100_0000,
  local: 0x0200_0000,
  const: 0x0300_0000,
  param: 0x0400_0000,
} as const;

type Windowed = keyof typeof windowWords;

const byWord: ReadonlyMap<number, Windowed> = new Map(
  (Object.keys(windowWords) as Windowed[]).map((space) => [windowWords[space], space]),
);

/** Nothing is ever allocated below this address, so that small offsets from null are caught. */
export const firstGlobalAddress = 0x1_0000;

/** An address inside one space. */
export interface Address {
  readonly space: MemorySpace;
  readonly offset: number;
}

/** Base of a space's window in the generic address space; 0 for global, whose window is the identity. */
export function windowBase(space: WindowSpace): bigint {
  const windowed = windowOf(space);
  return windowed === null ? 0n : BigInt(windowWords[windowed]) << 32n;
}

/** A block is a cluster of one, so both shared windows are the same. */
function windowOf(space: WindowSpace): Windowed | null {
  if (space === 'shared::cluster') return 'shared';
  return space === 'global' ? null : space;
}

/** Resolves a generic address; an address outside all windows is an offset in global memory, valid or not. */
export function resolveGeneric(address: bigint): Address {
  const word = Number(address >> 32n);
  const space = byWord.get(word);
  if (space === undefined) return { space: 'global', offset: Number(address) };
  return { space, offset: Number(address & 0xffff_ffffn) };
}

/** True if a generic address lies in the window of the space. */
export function isInWindow(address: bigint, space: WindowSpace): boolean {
  const { space: found } = resolveGeneric(address);
  return found === (space === 'shared::cluster' ? 'shared' : space);
}

/** Formats an address for messages. */
export function formatAddress(address: number | bigint): string {
  return `0x${address.toString(16)}`;
}
