/**
 * Tracks the undefined bits in a thread's registers. Undefined bits come from memory that was never written, and are
 * copied along with values. A fault is raised when an undefined bit would affect anything outside the thread's
 * registers, shared memory or local memory, such as a branch or a store to global memory.
 */
import type { Undefined } from '../machine/memory/definedness.ts';
import { machineFault } from '../machine/fault.ts';
import type { Frame } from './value-steps.ts';

/** The undefined bits in each slot of a frame. A slot without an entry is fully defined. */
export type Shadow = Map<number, Undefined>;

/** The property that holds a thread's shadow. The shadow is null while all values of the thread are defined. */
export interface Shadowed {
  shadow: Shadow | null;
}

/** An `Action` for a thread that may have undefined values. The action also keeps the thread's shadow up to date. */
export type CarefulAction = (frame: Frame, thread: Shadowed) => void;

/** Uses of a value that cause a fault if the value has undefined bits. */
export type Use =
  | 'a branch'
  | 'an address'
  | 'a store to global memory'
  | 'a host call'
  | 'a barrier'
  | 'a member mask';

export function setUndefined(thread: Shadowed, place: number, found: Undefined | null): void {
  if (found !== null) (thread.shadow ??= new Map()).set(place, found);
  else thread.shadow?.delete(place);
}

/**
 * Treats two equal values as defined if the same bits, but not all bits, are undefined in both. In that case, both
 * values are copies of a partly written word of memory. Programs compare such copies in loops that change one byte with
 * a compare-and-swap of the whole word. The result of such a loop does not depend on the other bytes.
 */
export function settleCopies(thread: Shadowed, one: number, other: number, width: number): void {
  const [a, b] = [thread.shadow?.get(one), thread.shadow?.get(other)];
  if (a === undefined || a.mask !== b?.mask || a.mask === 2n ** BigInt(width) - 1n) return;
  for (const place of [one, other]) setUndefined(thread, place, null);
}

/** Drops the entries of temporaries, which do not outlive their instruction, and drops the shadow when it is empty. */
export function tidy(thread: Shadowed, temporaries: readonly number[]): void {
  const { shadow } = thread;
  if (shadow === null) return;
  for (const place of temporaries) shadow.delete(place);
  if (shadow.size === 0) thread.shadow = null;
}

/** The fault that is raised because a use depends on undefined bits. */
export function undefinedUse(use: Use, { origin }: Undefined): Error {
  const { line, space, address, size, near } = origin;
  const where = { space, address };
  return machineFault('PTX6006', { use, size: String(size), line: String(line), near, ...where }, where);
}

/** Throws a fault if the value in a slot has undefined bits. */
export function requireDefined({ shadow }: Shadowed, place: number, use: Use): void {
  const found = shadow?.get(place);
  if (found !== undefined) throw undefinedUse(use, found);
}

/**
 * Chooses which undefined bits a fault reports. Bits from memory that was never written are preferred to padding,
 * because they tell the user more.
 */
export function strongest(all: readonly (Undefined | undefined)[]): Undefined | null {
  const found = all.filter((one) => one !== undefined);
  return found.find(({ origin }) => !origin.padding) ?? found[0] ?? null;
}
