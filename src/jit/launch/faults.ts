/**
 * Handles accesses that compiled code cannot handle by itself: finds the memory to which such an access refers, or the
 * fault that the access causes.
 */
import { rankAt, startOfRank } from '../../isa/spaces.ts';
import { elementAt } from '../../base/element-at.ts';
import { pairOf } from '../../base/tuples.ts';
import { formatAddress, type MemorySpace, type Address, resolveGeneric } from '../../machine/memory/address-space.ts';
import { MachineFault, machineFault } from '../../machine/fault.ts';
import type { EngineMemory } from '../../machine/memory/engine-memory.ts';
import { type Access, type NamedRange, Segment } from '../../machine/memory/segment.ts';
import { noBlock } from '../../machine/memory/shared-of-rank.ts';
import type { CompiledKernel } from '../compiled-kernel.ts';
import type { EngineCall } from '../engine-call.ts';

/** A range of global memory that holds a state space of fixed size, such as a block's shared memory. */
export interface Area {
  readonly address: number;
  readonly size: number;
  readonly named: readonly NamedRange[];
}

/** The addresses of a block's shared memory and tensor memory, and whether the block has ended. */
export interface BlockOfCluster {
  readonly shared: number;
  readonly tensor: number;
  readonly hasEnded: boolean;
}

/** The memory areas that the requesting thread can access. `local` is null if the kernel has no local memory. */
export interface Areas {
  readonly shared: Area;
  readonly local: Area | null;
  /** Null if the kernel does not use tensor memory. */
  readonly tensor: Area | null;
  readonly const: Area;
  readonly param: Area;
  readonly blocksPerCluster: number;
  /** The rank of the thread's block in its cluster. */
  readonly rank: number;
  /** Finds the block with the given rank in the cluster. */
  readonly blockOf: (rank: number) => BlockOfCluster;
  /**
   * The offset of the cluster's barrier in the shared memory of a block. Other blocks may access the barrier even after
   * this block has ended.
   */
  readonly clusterBarrier: number | null;
}

/**
 * A number that is larger than the size of any memory area. All smaller offsets can be represented exactly as
 * JavaScript numbers.
 */
const beyond = 2 ** 48;

/**
 * Returns the address in global memory of an access that compiled code could not resolve by itself. Throws if the
 * access causes a fault.
 */
export function resolveAccess(
  { space, access, size }: Pick<Extract<EngineCall, { readonly kind: 'access' }>, 'space' | 'access' | 'size'>,
  address: bigint,
  global: EngineMemory,
  areas: Areas,
): number {
  const place: Address = space === 'generic' ? resolveGeneric(address) : { space, offset: Number(address) };
  const rank = place.space === 'shared' && place.offset < beyond ? rankAt(place.offset) : null;
  if (rank !== null && rank < areas.blocksPerCluster)
    return inCluster(rank, place.offset, { access, size }, global, areas);
  const area = place.space === 'global' ? null : areas[place.space];
  if (place.offset >= beyond || (place.space !== 'global' && area === null)) {
    const missing = place.offset < beyond;
    const near = missing ? '; the kernel has none' : '; no memory extends that far';
    const where = { space: place.space, address: formatAddress(missing ? place.offset : address) };
    throw machineFault('PTX6001', { access, size: String(size), near, ...where }, where);
  }
  if (area === null) {
    global.check(access, place.offset, size);
    return place.offset;
  }
  checkInside(place.space, area, { access, offset: place.offset, size }, global);
  return area.address + place.offset;
}

function inCluster(
  rank: number,
  offset: number,
  { access, size }: Pick<Extract<EngineCall, { readonly kind: 'access' }>, 'access' | 'size'>,
  global: EngineMemory,
  { shared, blockOf, clusterBarrier }: Areas,
): number {
  const { shared: address, hasEnded } = blockOf(rank);
  const own = offset - startOfRank(rank);
  if (hasEnded && own !== clusterBarrier) throw noBlock(rank, access, offset, size);
  checkInside('shared', { ...shared, address }, { access, offset: own, size }, global);
  return address + own;
}

interface AreaAccess {
  readonly access: Access;
  readonly offset: number;
  readonly size: number;
}

/** Throws a fault unless an access lies within an area, is aligned, and does not write to a read-only area. */
function checkInside(space: MemorySpace, area: Area, { access, offset, size }: AreaAccess, global: EngineMemory): void {
  const isPlain = offset + size <= area.size && offset % size === 0 && (access === 'load' || !isReadOnly(space));
  // Accesses that are clearly valid are handled without a segment, because creating a segment takes longer than all
  // other work here, and kernels may perform millions of such accesses.
  if (!isPlain) segmentOf(space, area, global).check(access, offset, size);
}

function isReadOnly(space: MemorySpace): boolean {
  return space === 'const' || space === 'param';
}

function segmentOf(space: MemorySpace, { address, size, named }: Area, global: EngineMemory): Segment {
  return new Segment(space, global.bytesAt(address, size), { readOnly: isReadOnly(space), named });
}

/**
 * Returns the fault that an instruction causes because it cannot be executed. The function `openCalls` returns the
 * number of calls from which the thread has not returned yet.
 */
export function raised(
  call: EngineCall,
  address: bigint,
  kernel: CompiledKernel,
  openCalls: () => number,
): MachineFault {
  if (call.kind === 'unsupported') return machineFault('PTX6030', { what: call.what });
  if (call.kind === 'require') return machineFault('PTX6036', { what: call.what });
  if (call.kind === 'trap') return machineFault('PTX6031', {});
  if (call.kind === 'switch') {
    return machineFault('PTX6015', { index: String(address), count: String(call.count) });
  }
  if (call.kind === 'stack') return stackOverflow(kernel, address, openCalls());
  if (call.kind === 'callee') return badCallee(kernel, call.name, Number(address));
  if (call.kind !== 'window') throw new Error(`a call of kind '${call.kind}' cannot raise a fault`);
  const shown = formatAddress(address);
  return machineFault('PTX6007', { address: shown, space: call.space }, { space: 'generic', address: shown });
}

/** Returns the fault for a call whose activation does not fit on the stack; `address` is described at `EngineCall`. */
function stackOverflow({ functions, stackBytes }: CompiledKernel, address: bigint, depth: number): MachineFault {
  const { name, localBytes } = elementAt(functions, Number(address >> 32n));
  const base = Number(address & 0xffffffffn);
  const [bytes, limit] = pairOf([base + localBytes, stackBytes].map(String));
  return machineFault('PTX6013', { name, bytes, limit, depth: String(depth) });
}

function badCallee({ functions }: CompiledKernel, name: string, address: number): MachineFault {
  const expected = functions.some((fn) => fn.address === address)
    ? 'a function with the parameters of this call'
    : `a function that ${name} can point to`;
  return machineFault('PTX6014', { address: formatAddress(address), expected });
}

/**
 * Returns the fault that ended a launch; null for errors that are not faults of the kernel. If accesses are not
 * checked, their addresses can be arbitrary. WebAssembly traps if an address is beyond the end of the memory, and such
 * a trap is also turned into a fault.
 */
export function faultOf(error: unknown): MachineFault | null {
  if (error instanceof MachineFault) return error;
  if (!(error instanceof WebAssembly.RuntimeError)) return null;
  if (/out of bounds/.test(error.message)) {
    return machineFault('PTX6034', { what: 'reaches beyond all memory of the device' });
  }
  // Among WebAssembly instructions, only atomic instructions trap if an address is unaligned. Compiled code uses atomic
  // instructions only if host threads share memory.
  return /unaligned/i.test(error.message) ? machineFault('PTX6034', { what: 'is atomic and not aligned' }) : null;
}
