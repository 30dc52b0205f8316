/** Tells the search for data races what the running thread accesses. */
import { rankAt, startOfRank } from '../isa/spaces.ts';
import type { MemoryOrder } from '../isa/steps/order.ts';
import type { Address } from '../machine/address-space.ts';
import { type AccessKind, accessKind } from '../machine/races/access-kind.ts';
import type { Clock } from '../machine/races/clock.ts';
import type { Races } from '../machine/races/races.ts';
import type { AccessContext } from './memory-access.ts';
import type { Cpu } from './thread.ts';

type KindContext = Pick<AccessContext, 'line' | 'copies'>;

/** A load or store of the step, or of the copy that it starts. `order` is null if the access is weak. */
export function plainAccess(
  way: 'load' | 'store',
  order: MemoryOrder | null,
  { line, copies }: KindContext,
): AccessKind {
  const ofBulk = way === 'load' ? 'bulk reads' : 'bulk writes';
  const agent = copies === null ? 'thread' : copies === 'bulk' ? ofBulk : 'copies';
  return accessKind(line, { way, order, agent, isAsyncProxy: agent === 'bulk reads', isSilent: false });
}

/** An atomic operation of the step, or of the bulk reduction that it starts. */
export function atomicAccess(order: MemoryOrder, { line, copies }: KindContext): AccessKind {
  return accessKind(line, {
    way: 'atomic',
    order,
    agent: copies === null ? 'thread' : 'bulk writes',
    isAsyncProxy: false,
    isSilent: false,
  });
}

/** The clock of the running thread. */
export function clockIn(races: Races, { block, thread }: Cpu): Clock {
  return races.clock(block.number, thread.linear);
}

/** Only global and shared memory can be written by one thread and accessed by another. */
export function noteAccess(cpu: Cpu, kind: AccessKind, { space, offset }: Address, size: number): void {
  const { races } = cpu;
  if (races === null || (space !== 'global' && space !== 'shared')) return;
  const clock = clockIn(races, cpu);
  if (space === 'global') races.access(clock, kind, races.historyOf(null), offset, size);
  else {
    const rank = rankAt(offset);
    const isOwn = rank === null || rank >= cpu.blocksPerCluster;
    const owner = isOwn ? cpu.block : cpu.neighbor(rank);
    races.access(clock, kind, races.historyOf(owner.number), isOwn ? offset : offset - startOfRank(rank), size);
  }
}
