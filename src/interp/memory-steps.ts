/** Loads, stores and windows as functions over the frame. */
import { chop } from '../base/bits.ts';
import type { AccessSpace } from '../isa/spaces.ts';
import type { Step } from '../isa/steps/step.ts';
import {
  formatAddress,
  isInWindow,
  type MemorySpace,
  type Address,
  resolveGeneric,
  windowBase,
} from '../machine/address-space.ts';
import { machineFault } from '../machine/fault.ts';
import type { Access, Memory } from '../machine/segment.ts';
import type { Cpu } from './thread.ts';
import { type Action, type Frame, type PlaceOf, bigintIn, valueIn } from './value-steps.ts';

type StepOf<K extends Step['kind']> = Extract<Step, { readonly kind: K }>;

/** The memories of a launch that all threads share. */
export interface Memories {
  readonly global: Memory;
  readonly constants: Memory;
  readonly parameters: Memory;
}

/** The memory of a space, for the running thread. */
function memoryOf(space: MemorySpace, memories: Memories, cpu: Cpu): Memory | null {
  switch (space) {
    case 'global':
      return memories.global;
    case 'const':
      return memories.constants;
    case 'param':
      return memories.parameters;
    case 'shared':
      return cpu.block.shared;
    case 'local':
      return cpu.thread.local;
  }
}

/** Resolves an effective address of 64 bits, for an access that names `space`. */
function placeIn(space: AccessSpace, address: bigint): Address {
  return space === 'generic' ? resolveGeneric(address) : { space, offset: Number(address) };
}

/** No memory extends this far, and every smaller offset is exact as a number. */
const beyond = 2 ** 48;

/** The memory that contains an access, after its bounds, alignment and state have been checked. */
function openMemory(
  place: Address,
  address: bigint,
  access: Access,
  size: number,
  memories: Memories,
  cpu: Cpu,
  unused = false,
): Memory {
  const memory = memoryOf(place.space, memories, cpu);
  if (memory === null || place.offset >= beyond) {
    const { space } = place;
    const near = memory === null ? '; the kernel has none' : '; no memory reaches so far';
    const where = { space, address: formatAddress(memory === null ? place.offset : address) };
    throw machineFault('PTX6001', { access, size: String(size), near, ...where }, where);
  }
  memory.check(access, place.offset, size, unused);
  return memory;
}

/** The unsigned value of some bytes at a generic address, for callers other than instructions. */
export function loadGeneric(address: bigint, bytes: number, memories: Memories, cpu: Cpu): bigint {
  const place = resolveGeneric(address);
  return BigInt(openMemory(place, address, 'load', bytes, memories, cpu).load(place.offset, bytes * 8));
}

export function prepareLoad(step: StepOf<'load'>, placeOf: PlaceOf, memories: Memories, cpu: Cpu): Action {
  const { space, width, unused } = step;
  const to = step.to.map(placeOf);
  const address = placeOf(step.address);
  const bytes = width / 8;
  const size = bytes * to.length;
  const [first = 0] = to;
  return (frame: Frame) => {
    const effective = bigintIn(frame, address);
    const place = placeIn(space, effective);
    const memory = openMemory(place, effective, 'load', size, memories, cpu, unused);
    if (to.length === 1) {
      frame[first] = memory.load(place.offset, width);
      return;
    }
    let { offset } = place;
    for (const slot of to) {
      frame[slot] = memory.load(offset, width);
      offset += bytes;
    }
  };
}

export function prepareStore(step: StepOf<'store'>, placeOf: PlaceOf, memories: Memories, cpu: Cpu): Action {
  const { space, width } = step;
  const from = step.from.map(placeOf);
  const address = placeOf(step.address);
  const bytes = width / 8;
  const size = bytes * from.length;
  return (frame: Frame) => {
    const effective = bigintIn(frame, address);
    const place = placeIn(space, effective);
    const memory = openMemory(place, effective, 'store', size, memories, cpu);
    let { offset } = place;
    for (const slot of from) {
      memory.store(offset, width, valueIn(frame, slot));
      offset += bytes;
    }
  };
}

/** Bytes that are not read may lie outside, but the source must be aligned as if all were read. */
export function prepareTransfer(step: StepOf<'transfer'>, placeOf: PlaceOf, memories: Memories, cpu: Cpu): Action {
  const { space, sourceSpace } = step;
  const [address, source] = [placeOf(step.address), placeOf(step.source)];
  const [sizeAt, countAt] = [placeOf(step.size), placeOf(step.count)];
  return (frame: Frame) => {
    const size = Number(frame[sizeAt]);
    const count = Math.min(Number(frame[countAt]), size);
    const target = bigintIn(frame, address);
    const to = placeIn(space, target);
    const written = openMemory(to, target, 'store', size, memories, cpu);
    for (let i = 0; i < size; i++) written.store(to.offset + i, 8, 0);
    const effective = bigintIn(frame, source);
    const from = placeIn(sourceSpace, effective);
    const whole = count === size || from.offset % size !== 0;
    if (whole) openMemory(from, effective, 'load', size, memories, cpu);
    for (let i = 0; i < count; i++) {
      const memory = openMemory({ ...from, offset: from.offset + i }, effective, 'load', 1, memories, cpu);
      written.store(to.offset + i, 8, memory.load(from.offset + i, 8));
    }
  };
}

/**
 * Reads, computes the new values with `combine`, and writes them back. Blocks run one after the other, so nothing
 * happens in between.
 */
export function prepareAtomic(
  step: StepOf<'atomic'>,
  placeOf: PlaceOf,
  memories: Memories,
  cpu: Cpu,
  combine: Action,
): Action {
  const { space, width } = step;
  const old = step.old.map(placeOf);
  const next = step.next.map(placeOf);
  const address = placeOf(step.address);
  const bytes = width / 8;
  const size = bytes * old.length;
  return (frame: Frame) => {
    const effective = bigintIn(frame, address);
    const place = placeIn(space, effective);
    const memory = openMemory(place, effective, 'store', size, memories, cpu);
    old.forEach((slot, i) => {
      frame[slot] = memory.load(place.offset + i * bytes, width);
    });
    combine(frame);
    next.forEach((slot, i) => memory.store(place.offset + i * bytes, width, valueIn(frame, slot)));
  };
}

/** cvta: adds the base of the window, or takes the offset of an address in either window of the space. */
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
  return (frame) => {
    const address = BigInt(valueIn(frame, from));
    if (!isInWindow(address, space)) {
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
