/** Reports the accesses of the running thread to the race detector. */
import { elementAt } from '../base/element-at.ts';
import type { BitField } from '../isa/mbarrier-fields.ts';
import { rankAt, startOfRank } from '../isa/spaces.ts';
import { tensorAllocation } from '../isa/tensor-memory.ts';
import type { MemoryOrder } from '../isa/steps/order.ts';
import type { Address } from '../machine/memory/address-space.ts';
import { type AccessKind, accessKind } from '../machine/races/access-kind.ts';
import { agentsOf, type Clock } from '../machine/races/clock.ts';
import { type Agent, laneOf } from '../machine/races/actors.ts';
import type { History, Races } from '../machine/races/races.ts';
import type { AccessContext } from './memory-access.ts';
import type { Cpu } from './thread.ts';

type KindContext = Pick<AccessContext, 'line' | 'starts' | 'object'>;

/**
 * Describes a load or store by the step itself, or by the operation that the step starts. `order` is null if the access
 * is weak.
 */
export function plainAccess(way: 'load' | 'store', order: MemoryOrder | null, context: KindContext): AccessKind {
  const { starts } = context;
  const isAsyncProxy = way === 'load' && starts !== null && starts !== 'copy';
  return accessKind(context.line, { way, order, agent: agentOf(way, context), isAsyncProxy, isSilent: false });
}

function agentOf(way: 'load' | 'store', { starts, object }: KindContext): Agent {
  if (starts === null) return 'thread';
  if (object !== null) return laneOf(object);
  const agents = agentsOf[starts];
  return elementAt(agents, way === 'load' ? 0 : agents.length - 1);
}

/** The context of a copy whose bytes arrive at the mbarrier object with this shared-memory address. */
export function arrivingAt(address: bigint, context: AccessContext): AccessContext {
  const offset = Number(address);
  const rank = rankOf(offset, context.cpu);
  return { ...context, object: offset - startOf(rank) };
}

/** Describes an atomic operation by the step itself, or by the bulk reduction that the step starts. */
export function atomicAccess(order: MemoryOrder, { line, starts }: KindContext): AccessKind {
  return accessKind(line, {
    way: 'atomic',
    order,
    agent: starts === null ? 'thread' : 'bulk writes',
    isAsyncProxy: false,
    isSilent: false,
  });
}

/** The clock of the running thread. */
export function clockIn(races: Races, { block, thread }: Cpu): Clock {
  return races.clock(block.number, thread.linear);
}

export function noteAccess(cpu: Cpu, kind: AccessKind, place: Address, size: number): void {
  const { races } = cpu;
  const found = races === null ? null : remembered(races, place, cpu);
  if (races !== null && found !== null) races.access(clockIn(races, cpu), kind, found.history, found.offset, size);
}

/**
 * Reports that an atomic operation has changed a value with phases. `isOver` means that the operation ended the phase.
 */
export function noteArrival(cpu: Cpu, order: MemoryOrder, place: Address, isOver: boolean): void {
  const { races } = cpu;
  const found = races === null ? null : remembered(races, place, cpu);
  if (races !== null && found !== null) races.change(clockIn(races, cpu), order, found.history, found.offset, isOver);
}

/** The access history of a block's memory; null for the word that records which columns are allocated. */
export function historyOf(races: Races, space: 'shared' | 'tensor', owner: number, offset: number): History | null {
  return space === 'tensor' && offset >= tensorAllocation ? null : races.ofBlock(space, owner);
}

/**
 * The access history of the memory at an address, and the offset of the address in this memory; null for memory to
 * which no other thread can write.
 */
function remembered(
  races: Races,
  { space, offset }: Address,
  cpu: Cpu,
): { readonly history: History; readonly offset: number } | null {
  if (space === 'global') return { history: races.ofGlobal(), offset };
  if (space === 'tensor') {
    const history = historyOf(races, space, cpu.block.number, offset);
    return history === null ? null : { history, offset };
  }
  if (space !== 'shared') return null;
  const rank = rankOf(offset, cpu);
  const owner = rank === null ? cpu.block : cpu.neighbor(rank);
  return { history: races.ofBlock('shared', owner.number), offset: offset - startOf(rank) };
}

/** Whether two values have different phase numbers. */
export function isOtherPhase({ low, width }: BitField, one: bigint, other: bigint): boolean {
  return BigInt.asUintN(width, (one ^ other) >> BigInt(low)) !== 0n;
}

/** The block rank that a shared-memory address contains; null if the address refers to the thread's own block. */
function rankOf(offset: number, { blocksPerCluster }: Cpu): number | null {
  const rank = rankAt(offset);
  return rank === null || rank >= blocksPerCluster ? null : rank;
}

function startOf(rank: number | null): number {
  return rank === null ? 0 : startOfRank(rank);
}
