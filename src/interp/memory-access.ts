/** Finds the memory that a step accesses, and tracks undefined bits that are copied from memory to memory. */
import type { AccessSpace } from '../isa/spaces.ts';
import { rankAt, startOfRank } from '../isa/spaces.ts';
import type { AsyncKind } from '../isa/steps/order.ts';
import { formatAddress, type Address, resolveGeneric } from '../machine/memory/address-space.ts';
import type { Definedness, Undefined } from '../machine/memory/definedness.ts';
import { machineFault } from '../machine/fault.ts';
import type { Access, Memory } from '../machine/memory/segment.ts';
import { SharedOfRank } from '../machine/memory/shared-of-rank.ts';
import type { Textures } from '../machine/textures/textures.ts';
import { undefinedUse } from './shadow.ts';
import type { Cpu } from './thread.ts';

/** The kinds of memory that all threads of a launch share. */
export interface Memories {
  readonly global: Memory;
  readonly constants: Memory;
  readonly parameters: Memory;
  readonly textures: Textures;
}

/** Returns the memory that the running thread accesses at an address. */
export function memoryOf({ space, offset }: Address, memories: Memories, cpu: Cpu): Memory | null {
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
 * instruction specifies.
 */
export function placeIn(space: AccessSpace, address: bigint): Address {
  return space === 'generic' ? resolveGeneric(address) : { space, offset: Number(address) };
}

/** This limit is larger than any memory. Every offset below it can be represented exactly as a JavaScript number. */
const beyond = 2 ** 48;

/** The information that an access needs in addition to its step. */
export interface AccessContext {
  readonly memories: Memories;
  readonly cpu: Cpu;
  /** PTX source line. */
  readonly line: number;
  /** The kind of asynchronous operation that the step starts; null if it starts none. */
  readonly starts: AsyncKind | null;
  /** The offset of the mbarrier object at which the bytes of a copy arrive; null if they arrive at none. */
  readonly object: number | null;
}

/** Checks the bounds and alignment of an access, and returns the memory that contains it. */
export function openMemory(
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
export function loadForHost(address: bigint, bytes: number, context: Omit<AccessContext, 'starts' | 'object'>): bigint {
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

/**
 * Returns the undefined bits of several consecutive elements: one entry for each element, which is null if the element
 * is fully defined.
 */
export function undefinedElements(
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

/**
 * Records the undefined bits of stored elements. Undefined bits are not tracked in global memory, so storing them there
 * is a fault unless they are padding.
 */
export function storeUndefined(
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

/** The undefined bits of consecutive elements in memory; null if all bits are defined. */
export function undefinedIn(
  { definedness = null }: Memory,
  offset: number,
  bytes: number,
  count: number,
  line: number,
): ReturnType<typeof undefinedElements> | null {
  if (definedness === null || definedness.isDefined(offset, bytes * count)) return null;
  return undefinedElements(definedness, offset, bytes, count, line);
}
