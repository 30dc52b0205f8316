/** The context in which a launch runs on the reference engine, before the first block starts. */
import { startedBy } from '../isa/steps/effects.ts';
import type { BuiltinServices } from '../machine/builtins.ts';
import type { Launch } from '../machine/engine.ts';
import { blocksPerCluster } from '../machine/extents.ts';
import { checkTime } from '../machine/time-limit.ts';
import { namedRanges } from '../machine/memory/named-ranges.ts';
import { Segment } from '../machine/memory/segment.ts';
import type { RaceMode } from '../machine/races/race.ts';
import { Races } from '../machine/races/races.ts';
import { Textures } from '../machine/textures/textures.ts';
import type { KernelProgram } from '../program/link.ts';
import { placeholderThread, placeholderBlock } from './block.ts';
import { callBuiltin } from './builtin-calls.ts';
import { loadForHost, type Memories } from './memory-access.ts';
import type { Cpu } from './thread.ts';

/** The kinds of memory that all blocks of a launch share. */
export function memoriesOf({ kernel, image, memory, parameters }: Launch): Memories {
  const constants = { readOnly: true, named: namedRanges(image.constantLayout) };
  const named = { readOnly: true, named: namedRanges(kernel.entry.parameters) };
  return {
    global: memory,
    constants: new Segment('const', image.constants, constants),
    parameters: new Segment('param', parameters, named),
    textures: new Textures(memory),
  };
}

/** The engine's context before the first block starts. */
export function idleCpu(
  { kernel, heap, printed, limits, shape }: Launch,
  memories: Memories,
  blocks: Pick<Cpu, 'neighbor' | 'cancelBlocks'>,
  races: RaceMode | null,
): Cpu {
  const look = (): void => checkTime(limits);
  const servicesOn = (line: number): BuiltinServices => ({
    heap,
    printed,
    look,
    load: (address, bytes) => loadForHost(address, bytes, { memories, cpu, line }),
  });
  const cpu: Cpu = {
    thread: placeholderThread,
    block: placeholderBlock,
    looks: 0,
    executed: 0,
    races: races === null ? null : new Races(shape, races, hasOnlyThreads(kernel)),
    timer: 0,
    code: [],
    blocksPerCluster: blocksPerCluster(shape),
    ...blocks,
    clusterBarrier: kernel.entry.clusterBarrier,
    builtin: (called, local, base, line) => callBuiltin(called, local, base, line, servicesOn(line)),
  };
  return cpu;
}

/** True if the kernel starts no asynchronous operations. */
function hasOnlyThreads({ functions }: KernelProgram): boolean {
  return !functions.some(
    (fn) =>
      fn.kind === 'program' &&
      fn.program.instructions.some(({ steps }) => steps.some((step) => startedBy(step) !== null)),
  );
}
