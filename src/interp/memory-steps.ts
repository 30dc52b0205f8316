/**
 * Turns loads, stores and atomics, and steps that convert addresses between windows, into functions that operate on a
 * frame.
 */
import { chop } from '../base/bits.ts';
import type { Ref } from '../isa/steps/ref.ts';
import type { StepOf } from '../isa/steps/step.ts';
import {
  formatAddress,
  isInWindow,
  type Address,
  resolveGeneric,
  windowBase,
} from '../machine/memory/address-space.ts';
import { machineFault } from '../machine/fault.ts';
import type { Memory } from '../machine/memory/segment.ts';
import {
  type AccessContext,
  memoryOf,
  openMemory,
  placeIn,
  storeUndefined,
  undefinedElements,
  undefinedIn,
} from './memory-access.ts';
import type { AccessKind } from '../machine/races/access-kind.ts';
import { arrivingAt, atomicAccess, isOtherPhase, noteAccess, noteArrival, plainAccess } from './race-watch.ts';
import { setUndefined, settleCopies } from './shadow.ts';
import { finish, type Remainder } from './thread.ts';
import { type Action, type Frame, type PlaceOf, bigintIn, valueIn } from './value-steps.ts';

export function prepareLoad(step: StepOf<'load'>, placeOf: PlaceOf, context: AccessContext): Action {
  const { space, width, unused } = step;
  const { cpu, line } = context;
  const to = step.to.map(placeOf);
  const address = placeOf(step.address);
  const bytes = width / 8;
  const size = bytes * to.length;
  const kind = plainAccess('load', step.order, context);
  return (frame: Frame) => {
    const effective = bigintIn(frame, address);
    const place = placeIn(space, effective);
    const memory = openMemory(place, effective, 'load', size, context);
    if (cpu.races !== null) noteAccess(cpu, kind, place, size);
    let { offset } = place;
    for (const slot of to) {
      frame[slot] = memory.load(offset, width);
      offset += bytes;
    }
    const { definedness = null } = memory;
    const isDefined = unused || definedness === null || definedness.isDefined(place.offset, size);
    if (isDefined && cpu.thread.shadow === null) return;
    const found = isDefined ? [] : undefinedElements(definedness, place.offset, bytes, to.length, line);
    to.forEach((one, i) => setUndefined(cpu.thread, one, found[i] ?? null));
  };
}

export function prepareStore(step: StepOf<'store'>, placeOf: PlaceOf, context: AccessContext): Action {
  const { space, width } = step;
  const { cpu } = context;
  const from = step.from.map(placeOf);
  const address = placeOf(step.address);
  const object = step.object === null ? null : placeOf(step.object);
  const bytes = width / 8;
  const size = bytes * from.length;
  const kinds = storeKinds(step, context);
  const isSilent = (frame: Frame, memory: Memory, offset: number): boolean =>
    from.every((slot, i) => memory.load(offset + i * bytes, width) === valueIn(frame, slot));
  const arrivingKinds = ({ offset }: Address): StoreKinds => storeKinds(step, arrivingAt(BigInt(offset), context));
  return (frame: Frame) => {
    const effective = bigintIn(frame, address);
    const place = placeIn(space, effective);
    const memory = openMemory(place, effective, 'store', size, context);
    const { loud, silent } = object === null ? kinds : arrivingKinds(placeIn(space, bigintIn(frame, object)));
    if (cpu.races !== null) noteAccess(cpu, isSilent(frame, memory, place.offset) ? silent : loud, place, size);
    let { offset } = place;
    for (const slot of from) {
      memory.store(offset, width, valueIn(frame, slot));
      offset += bytes;
    }
    const { shadow } = cpu.thread;
    if (shadow !== null)
      storeUndefined(
        memory,
        place.offset,
        bytes,
        from.map((one) => shadow.get(one) ?? null),
      );
  };
}

interface StoreKinds {
  readonly loud: AccessKind;
  /** For a store that does not change the memory. Differs from `loud` only if the store is weak. */
  readonly silent: AccessKind;
}

function storeKinds({ order }: StepOf<'store'>, context: AccessContext): StoreKinds {
  const loud = plainAccess('store', order, context);
  return { loud, silent: { ...loud, isSilent: order === null } };
}

/**
 * Prepares an atomic access: reads the old values, computes the new values with `combine`, and writes them back. Only
 * one thread runs at a time, so no other access can happen between the read and the write.
 */
export function prepareAtomic(
  step: StepOf<'atomic'>,
  placeOf: PlaceOf,
  combine: Remainder,
  context: AccessContext,
): Action {
  const { space, width } = step;
  const { cpu, line } = context;
  const old = step.old.map(placeOf);
  const next = step.next.map(placeOf);
  const address = placeOf(step.address);
  const bytes = width / 8;
  const size = bytes * old.length;
  const kind = atomicAccess(step.order, context);
  const { phases } = step.order;
  const [oldAt = -1] = old;
  const [nextAt = -1] = next;
  const compared = comparedWith(step);
  const comparedAt = compared === null ? null : placeOf(compared);
  // A compare-and-swap that does not find the expected value only reads the memory.
  const failing = plainAccess('load', step.order, context);
  return (frame: Frame) => {
    const { thread } = cpu;
    const effective = bigintIn(frame, address);
    const place = placeIn(space, effective);
    const found = undefinedBefore(place, effective, context);
    const memory = openMemory(place, effective, 'atomic', size, context);
    old.forEach((slot, i) => {
      frame[slot] = memory.load(place.offset + i * bytes, width);
    });
    const fails = comparedAt !== null && valueIn(frame, oldAt) !== valueIn(frame, comparedAt);
    if (cpu.races !== null) noteAccess(cpu, fails ? failing : kind, place, size);
    if (found !== null || thread.shadow !== null)
      old.forEach((one, i) => setUndefined(thread, one, found?.[i] ?? null));
    if (comparedAt !== null && !fails) settleCopies(thread, oldAt, comparedAt, width);
    finish(combine, thread);
    next.forEach((slot, i) => memory.store(place.offset + i * bytes, width, valueIn(frame, slot)));
    if (cpu.races !== null && phases !== undefined)
      noteArrival(cpu, step.order, place, isOtherPhase(phases, bigintIn(frame, oldAt), bigintIn(frame, nextAt)));
    const { shadow } = thread;
    if (shadow !== null)
      storeUndefined(
        memory,
        place.offset,
        bytes,
        next.map((one) => shadow.get(one) ?? null),
      );
  };

  /**
   * Finds the undefined bits of the old values. The bits must be found before the store, because opening the memory for
   * a store marks the bytes as written.
   */
  function undefinedBefore(
    place: Address,
    effective: bigint,
    { memories }: AccessContext,
  ): ReturnType<typeof undefinedElements> | null {
    if ((memoryOf(place, memories, cpu)?.definedness ?? null) === null) return null;
    return undefinedIn(openMemory(place, effective, 'load', size, context), place.offset, bytes, old.length, line);
  }
}

/** The value with which a compare-and-swap compares the old value; null for other atomic accesses. */
function comparedWith({ old: [old], steps }: StepOf<'atomic'>): Ref | null {
  for (const step of steps) {
    if (step.kind !== 'compare' || step.comparison !== 'eq') continue;
    const [a, b] = step.from;
    if (a === old) return b ?? null;
    if (b === old) return a ?? null;
  }
  return null;
}

/**
 * Prepares a cvta. To convert an address to a generic address, the action adds the base of the space's window. To
 * convert from a generic address, the action returns the offset of the address within its window; for shared memory,
 * the address may be in the window of the block or in that of the cluster.
 */
export function prepareWindow(step: StepOf<'window'>, placeOf: PlaceOf): Action {
  const { space, width } = step;
  const to = placeOf(step.to);
  const from = placeOf(step.from);
  if (step.direction === 'to-generic') {
    const base = windowBase(space, width);
    return (frame) => {
      frame[to] = chop(BigInt(valueIn(frame, from)) + base, width);
    };
  }
  const ofNull = chop(-windowBase(space, width), width);
  return (frame) => {
    const address = BigInt(valueIn(frame, from));
    // A null pointer is converted without a check: code from LLVM compares converted null pointers with each other.
    if (address === 0n) {
      frame[to] = ofNull;
      return;
    }
    // The address may belong to another block of the cluster.
    if (!isInWindow(address, space === 'shared' ? 'shared::cluster' : space)) {
      const shown = formatAddress(address);
      throw machineFault('PTX6007', { address: shown, space }, { space: 'generic', address: shown });
    }
    frame[to] = chop(space === 'global' ? address : BigInt(resolveGeneric(address).offset), width);
  };
}

export function prepareInWindow(step: StepOf<'in-window'>, placeOf: PlaceOf): Action {
  const to = placeOf(step.to);
  const from = placeOf(step.from);
  return (frame) => {
    frame[to] = isInWindow(BigInt(valueIn(frame, from)), step.space) ? 1 : 0;
  };
}
