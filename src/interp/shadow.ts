/**
 * Undefined bits in the registers of a thread. They come from memory that was never written and travel with values; a
 * fault is raised where something depends on them that cannot be undone.
 */
import type { Undefined } from '../machine/definedness.ts';
import { machineFault } from '../machine/fault.ts';
import type { Frame } from './value-steps.ts';

/** By slot of the frame; a slot without an entry is defined. */
export type Shadow = Map<number, Undefined>;

/** A thread as far as its shadow is concerned: null while all values are defined. */
export interface Shadowed {
  shadow: Shadow | null;
}

/** Like an `Action`, for a thread that may have undefined values: also keeps its shadow up to date. */
export type CarefulAction = (frame: Frame, thread: Shadowed) => void;

/** What may not depend on undefined bits. */
export type Use =
  | 'a branch'
  | 'an address'
  | 'a store to global memory'
  | 'a call of the host'
  | 'a barrier'
  | 'a member mask';

export function setUndefined(thread: Shadowed, place: number, found: Undefined | null): void {
  if (found !== null) (thread.shadow ??= new Map()).set(place, found);
  else thread.shadow?.delete(place);
}

/** Temporaries do not outlive their instruction, and a thread without undefined values has no shadow. */
export function tidy(thread: Shadowed, temporaries: readonly number[]): void {
  const { shadow } = thread;
  if (shadow === null) return;
  for (const place of temporaries) shadow.delete(place);
  if (shadow.size === 0) thread.shadow = null;
}

/** The fault of a use that depends on undefined bits. */
export function undefinedUse(use: Use, { origin }: Undefined): Error {
  const { line, space, address, size, near } = origin;
  const where = { space, address };
  return machineFault('PTX6006', { use, size: String(size), line: String(line), near, ...where }, where);
}

/** Throws a fault if the value of a slot has undefined bits. */
export function requireDefined({ shadow }: Shadowed, place: number, use: Use): void {
  const found = shadow?.get(place);
  if (found !== undefined) throw undefinedUse(use, found);
}

/** One of several origins: what was never written at all says more than padding. */
export function strongest(all: readonly (Undefined | undefined)[]): Undefined | null {
  const found = all.filter((one) => one !== undefined);
  return found.find(({ origin }) => !origin.padding) ?? found[0] ?? null;
}
