/** A function cut up, with what all its regions share. */
import { type BasicBlock, blocksOf } from '../program/flow.ts';
import type { FunctionProgram } from '../program/function-program.ts';
import { liveness } from '../program/liveness.ts';
import { type Region, regionsOf } from '../program/regions.ts';
import { waitingLoops } from '../program/waiting-loops.ts';
import { FrameLayout } from './frame.ts';
import { Helpers } from './helpers.ts';
import type { LaunchLayout } from './layout.ts';
import type { Site } from './site.ts';
import { type Stop, stopOf } from './stop.ts';

export interface KernelShape {
  readonly program: FunctionProgram;
  readonly layout: LaunchLayout;
  readonly helpers: Helpers;
  readonly blocks: readonly BasicBlock[];
  readonly regions: readonly Region[];
  /** Registers that are live at the start of each block. */
  readonly live: readonly (readonly number[])[];
  /** Number of the region that begins with a block. */
  readonly regionAt: ReadonlyMap<number, number>;
  /** Blocks of loops in which a thread may be waiting for another. */
  readonly pauses: ReadonlySet<number>;
  readonly stops: readonly Stop[];
  /** Number of the stop that a block lies behind. */
  readonly stopAt: ReadonlyMap<number, number>;
  /** Threads may end a run of a region in different states. */
  readonly hasStates: boolean;
  readonly frame: FrameLayout;
  /** Array of the frame that keeps a register. */
  readonly slots: ReadonlyMap<number, number>;
  readonly sites: Site[];
}

/** The most threads of a block. */
const mostThreads = 1024;

export function shapeOf(program: FunctionProgram, layout: LaunchLayout): KernelShape {
  const blocks = blocksOf(program);
  const pauses = waitingLoops(program, blocks);
  const regions = regionsOf(blocks, pauses);
  const live = liveness(program, blocks);
  const regionAt = new Map(regions.map(({ entry }, i) => [entry, i] as const));
  const stops: Stop[] = [];
  const stopAt = new Map<number, number>();
  for (const { end, exit } of blocks) {
    const instruction = program.instructions[end - 1];
    if (exit.kind !== 'park' || instruction === undefined) continue;
    stopAt.set(exit.resume, stops.length);
    stops.push(describeStop(program, instruction, regionAt.get(exit.resume) as number));
  }
  const frame = new FrameLayout(Math.min(program.mostThreads ?? mostThreads, mostThreads));
  const carried = new Set(regions.slice(1).flatMap(({ entry }) => live[entry] ?? []));
  const widths = new Map(program.registers.map(({ place, type }) => [place, type.width] as const));
  const slots = new Map([...carried].map((place) => [place, frame.array((widths.get(place) ?? 64) > 32 ? 8 : 4)]));
  const helpers = new Helpers();
  const hasStates = regions.length > 1;
  return {
    ...{ program, layout, helpers, blocks, regions, live, regionAt, pauses, stops, stopAt, hasStates, frame, slots },
    sites: [],
  };
}

function describeStop(
  program: FunctionProgram,
  instruction: FunctionProgram['instructions'][number],
  region: number,
): Stop {
  const step = stopOf(instruction);
  if (step === null) throw new Error(`line ${instruction.line} parks at no stop`);
  return { step, instruction, region, plainBarrier: plainBarrier(program, instruction) };
}

function plainBarrier(program: FunctionProgram, instruction: FunctionProgram['instructions'][number]): number | null {
  const step = stopOf(instruction);
  if (step?.kind !== 'barrier' || step.count !== null || !step.waits || step.reduce !== null) return null;
  return constantAt(program, instruction.places.get(step.barrier) ?? -1);
}

/** The value of a place that is a constant operand's. */
export function constantAt(program: FunctionProgram, place: number): number | null {
  const value = program.constants.has(place) ? program.initialFrame[place] : undefined;
  return value === undefined ? null : Number(value);
}
