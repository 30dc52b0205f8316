/**
 * Turns steps that access memory, and steps that convert addresses between windows, into functions that operate on a
 * frame.
 */
import { type Bits, chop } from '../base/bits.ts';
import { type AccessSpace, rankAt, startOfRank } from '../isa/spaces.ts';
import type { Step } from '../isa/steps/step.ts';
import { formatAddress, isInWindow, type Address, resolveGeneric, windowBase } from '../machine/address-space.ts';
import type { Definedness, Undefined } from '../machine/definedness.ts';
import { machineFault } from '../machine/fault.ts';
import type { Access, Memory } from '../machine/segment.ts';
import { SharedOfRank } from '../machine/shared-of-rank.ts';
import type { Textures } from '../machine/textures.ts';
import { setUndefined, undefinedUse } from './shadow.ts';
import { type Cpu, finish, type Remainder } from './thread.ts';
import { type Action, type Frame, type PlaceOf, bigintIn, valueIn } from './value-steps.ts';

type StepOf<K extends Step['kind']> = Extract<Step, { readonly kind: K }>;

/** The memories that all threads of a launch share. */
export interface Memories {
  readonly global: Memory;
  readonly constants: Memory;
  readonly parameters: Memory;
  readonly textures: Textures;
}

/** Returns the memory that the running thread accesses at an address. */
function memoryOf({ space, offset }: Address, memories: Memories, cpu: Cpu): Memory | null {
  switch (space) {
    case 'global':
      return memories.global;
    case 'const':
      return memories.constants;
    case 'param':
      return memories.parameters;
    case 'shared':
      return sharedAt(offset, cpu);
    case 'local':
      return cpu.thread.local;
    case 'tensor':
      return cpu.block.tensor;
  }
}

function sharedAt(offset: number, cpu: Cpu): Memory {
  const rank = rankAt(offset);
  if (rank === null || rank >= cpu.blocksPerCluster) return cpu.block.shared;
  const { shared, hasEnded } = cpu.neighbor(rank);
  const isThere = !hasEnded || offset - startOfRank(rank) === cpu.clusterBarrier;
  return new SharedOfRank(rank, isThere ? shared : null);
}

/**
 * Finds the state space and the offset to which a 64-bit effective address refers. `space` is the state space that the
 * instruction names.
 */
function placeIn(space: AccessSpace, address: bigint): Address {
  return space === 'generic' ? resolveGeneric(address) : { space, offset: Number(address) };
}

/** Larger than any memory, yet small enough that every offset below it is exact as a JavaScript number. */
const beyond = 2 ** 48;

/** The information that an access needs in addition to its step. */
export interface AccessContext {
  readonly memories: Memories;
  readonly cpu: Cpu;
  /** PTX source line. */
  readonly line: number;
}

/** Checks the bounds and alignment of an access, and returns the memory that contains it. */
function openMemory(
  place: Address,
  address: bigint,
  access: Access,
  size: number,
  { memories, cpu }: Pick<AccessContext, 'memories' | 'cpu'>,
): Memory {
  const memory = memoryOf(place, memories, cpu);
  if (memory === null || place.offset >= beyond) {
    const { space } = place;
    const near = memory === null ? '; the kernel has none' : '; no memory extends that far';
    const where = { space, address: formatAddress(memory === null ? place.offset : address) };
    throw machineFault('PTX6001', { access, size: String(size), near, ...where }, where);
  }
  memory.check(access, place.offset, size);
  return memory;
}

/** Loads an unsigned value of `bytes` bytes at a generic address, for host functions. */
export function loadForHost(address: bigint, bytes: number, context: AccessContext): bigint {
  const place = resolveGeneric(address);
  const memory = openMemory(place, address, 'load', bytes, context);
  requireWritten(memory, place.offset, bytes, context.line);
  return BigInt(memory.load(place.offset, bytes * 8));
}

/** Throws a fault if a host function would read undefined bits. */
export function requireWritten({ definedness = null }: Memory, offset: number, size: number, line: number): void {
  if (definedness === null || definedness.isDefined(offset, size)) return;
  const origin = definedness.originOf(line, offset, size);
  throw undefinedUse('a host call', { mask: definedness.undefinedBits(offset, size), origin });
}

export function prepareLoad(step: StepOf<'load'>, placeOf: PlaceOf, context: AccessContext): Action {
  const { space, width, unused } = step;
  const { cpu, line } = context;
  const to = step.to.map(placeOf);
  const address = placeOf(step.address);
  const bytes = width / 8;
  const size = bytes * to.length;
  return (frame: Frame) => {
    const effective = bigintIn(frame, address);
    const place = placeIn(space, effective);
    const memory = openMemory(place, effective, 'load', size, context);
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

/**
 * Returns the undefined bits of several consecutive elements: one entry for each element, which is null if the element
 * is fully defined.
 */
function undefinedElements(
  definedness: Definedness,
  offset: number,
  bytes: number,
  count: number,
  line: number,
): readonly (Undefined | null)[] {
  const origin = definedness.originOf(line, offset, bytes * count);
  return Array.from({ length: count }, (_, i) => {
    const mask = definedness.undefinedBits(offset + i * bytes, bytes);
    return mask === 0n ? null : { mask, origin };
  });
}

export function prepareStore(step: StepOf<'store'>, placeOf: PlaceOf, context: AccessContext): Action {
  const { space, width } = step;
  const from = step.from.map(placeOf);
  const address = placeOf(step.address);
  const bytes = width / 8;
  const size = bytes * from.length;
  return (frame: Frame) => {
    const effective = bigintIn(frame, address);
    const place = placeIn(space, effective);
    const memory = openMemory(place, effective, 'store', size, context);
    let { offset } = place;
    for (const slot of from) {
      memory.store(offset, width, valueIn(frame, slot));
      offset += bytes;
    }
    const { shadow } = context.cpu.thread;
    if (shadow !== null)
      storeUndefined(
        memory,
        place.offset,
        bytes,
        from.map((one) => shadow.get(one) ?? null),
      );
  };
}

/**
 * Records the undefined bits of stored elements. Undefined bits are not tracked in global memory, so storing them there
 * is a fault unless they are padding.
 */
function storeUndefined(
  { definedness = null }: Memory,
  offset: number,
  bytes: number,
  elements: readonly (Undefined | null)[],
): void {
  elements.forEach((found, i) => {
    if (found === null) return;
    if (definedness !== null) definedness.undefine(offset + i * bytes, bytes, found);
    else if (!found.origin.padding) throw undefinedUse('a store to global memory', found);
  });
}

/**
 * Prepares a copy of `size` bytes, of which only the first `count` are read; the others become zero. Bytes that are not
 * read may lie outside the source's memory. The source must nevertheless be aligned as if all bytes were read.
 */
export function prepareTransfer(step: StepOf<'transfer'>, placeOf: PlaceOf, context: AccessContext): Action {
  const { space, sourceSpace } = step;
  const [address, source] = [placeOf(step.address), placeOf(step.source)];
  const [sizeAt, countAt] = [placeOf(step.size), placeOf(step.count)];
  return (frame: Frame) => {
    const size = Number(frame[sizeAt]);
    const count = Math.min(Number(frame[countAt]), size);
    const target = bigintIn(frame, address);
    const to = placeIn(space, target);
    const written = openMemory(to, target, 'store', size, context);
    for (let i = 0; i < size; i++) written.store(to.offset + i, 8, 0);
    const effective = bigintIn(frame, source);
    const from = placeIn(sourceSpace, effective);
    const whole = count === size || from.offset % size !== 0;
    if (whole) openMemory(from, effective, 'load', size, context);
    for (let i = 0; i < count; i++) {
      const memory = openMemory({ ...from, offset: from.offset + i }, effective, 'load', 1, context);
      written.store(to.offset + i, 8, memory.load(from.offset + i, 8));
    }
  };
}

/** A location in memory, as an instruction gives it. */
interface Location {
  readonly space: AccessSpace;
  readonly address: bigint;
}

/**
 * Copies `bytes` bytes, in words of at most 8 bytes. Undefined bytes stay undefined in shared memory; copying them to
 * global memory is a fault.
 */
export function copyPiece(to: Location, from: Location, bytes: number, context: AccessContext): void {
  const word = Math.min(bytes, 8);
  const [source, target] = [placeIn(from.space, from.address), placeIn(to.space, to.address)];
  const read = openMemory(source, from.address, 'load', bytes, context);
  const undefinedParts = undefinedIn(read, source.offset, word, bytes / word, context.line);
  const written = openMemory(target, to.address, 'store', bytes, context);
  for (let at = 0; at < bytes; at += word)
    written.store(target.offset + at, 8 * word, read.load(source.offset + at, 8 * word));
  if (undefinedParts !== null) storeUndefined(written, target.offset, word, undefinedParts);
}

/** Combines an element at `to` with one of the same size at `from`. */
export function combinePiece(
  to: Location,
  from: Location,
  bytes: number,
  combine: (old: Bits, value: Bits) => Bits,
  context: AccessContext,
): void {
  const [source, target] = [placeIn(from.space, from.address), placeIn(to.space, to.address)];
  const read = openMemory(source, from.address, 'load', bytes, context);
  requireWritten(read, source.offset, bytes, context.line);
  const written = openMemory(target, to.address, 'store', bytes, context);
  const old = written.load(target.offset, 8 * bytes);
  written.store(target.offset, 8 * bytes, combine(old, read.load(source.offset, 8 * bytes)));
}

/** Changes a word of 64 bits. */
export function changeWord(
  { space, address }: Location,
  change: (word: bigint) => bigint,
  context: AccessContext,
): void {
  const place = placeIn(space, address);
  const memory = openMemory(place, address, 'store', 8, context);
  memory.store(place.offset, 64, change(BigInt(memory.load(place.offset, 64))));
}

/** Stores the low bits of `word` in each word of a piece. */
export function fillPiece(to: Location, bytes: number, word: bigint, context: AccessContext): void {
  const size = Math.min(bytes, 8);
  const target = placeIn(to.space, to.address);
  const written = openMemory(target, to.address, 'store', bytes, context);
  const value = size === 8 ? word : Number(BigInt.asUintN(8 * size, word));
  for (let at = 0; at < bytes; at += size) written.store(target.offset + at, 8 * size, value);
}

/** Bulk copies and reductions handle this many bytes at a time. */
const piece = 16;

export function prepareBulk(step: StepOf<'bulk'>, placeOf: PlaceOf, context: AccessContext): Action {
  const [address, source, sizeAt] = [placeOf(step.address), placeOf(step.source), placeOf(step.size)];
  return (frame: Frame) => {
    const [target, origin] = [bigintIn(frame, address), bigintIn(frame, source)];
    const size = Number(frame[sizeAt]);
    for (let at = 0; at + piece <= size; at += piece) {
      const to = { space: step.space, address: target + BigInt(at) };
      copyPiece(to, { space: step.sourceSpace, address: origin + BigInt(at) }, piece, context);
    }
  };
}

/**
 * Prepares updates of consecutive elements: `load` loads one of them, and `update` combines it with the element at the
 * target.
 */
export function prepareBulkAtomic(
  step: StepOf<'bulk-atomic'>,
  placeOf: PlaceOf,
  combine: Remainder,
  context: AccessContext,
): Action {
  const { space, sourceSpace, width, from, to, value, old, next, steps } = step;
  const unseen = { readOnly: false, watched: false, unused: false } as const;
  const load = prepareLoad(
    { kind: 'load', space: sourceSpace, width, to: [value], address: from, ...unseen },
    placeOf,
    context,
  );
  const element = { kind: 'atomic', space, width, address: to, old: [old], next: [next], steps } as const;
  const update = prepareAtomic(element, placeOf, combine, context);
  const [address, source, sizeAt] = [placeOf(step.address), placeOf(step.source), placeOf(step.size)];
  const [fromAt, toAt] = [placeOf(from), placeOf(to)];
  const open = (inSpace: AccessSpace, start: bigint): void => {
    openMemory(placeIn(inSpace, start), start, 'load', piece, context);
  };
  return (frame: Frame) => {
    const [target, origin] = [bigintIn(frame, address), bigintIn(frame, source)];
    const size = Number(frame[sizeAt]) & -piece;
    for (let at = 0; at < size; at += width / 8) {
      frame[fromAt] = origin + BigInt(at);
      frame[toAt] = target + BigInt(at);
      if (at % piece === 0) {
        open(sourceSpace, origin + BigInt(at));
        open(space, target + BigInt(at));
      }
      load(frame);
      update(frame);
    }
  };
}

/** The undefined bits of consecutive elements in a memory; null if all bits are defined. */
function undefinedIn(
  { definedness = null }: Memory,
  offset: number,
  bytes: number,
  count: number,
  line: number,
): ReturnType<typeof undefinedElements> | null {
  if (definedness === null || definedness.isDefined(offset, bytes * count)) return null;
  return undefinedElements(definedness, offset, bytes, count, line);
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
  return (frame: Frame) => {
    const { thread } = cpu;
    const effective = bigintIn(frame, address);
    const place = placeIn(space, effective);
    const found = undefinedBefore(place, effective, context);
    const memory = openMemory(place, effective, 'store', size, context);
    old.forEach((slot, i) => {
      frame[slot] = memory.load(place.offset + i * bytes, width);
    });
    if (found !== null || thread.shadow !== null)
      old.forEach((one, i) => setUndefined(thread, one, found?.[i] ?? null));
    finish(combine, thread);
    next.forEach((slot, i) => memory.store(place.offset + i * bytes, width, valueIn(frame, slot)));
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
   * Finds the undefined bits of the old values. This must be done before the store, because opening the memory for a
   * store marks the bytes as written.
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
  return (frame) => {
    const address = BigInt(valueIn(frame, from));
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
