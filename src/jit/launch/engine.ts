/**
 * The fast engine on the calling thread. Its state can be read only between blocks, because compiled code does not
 * return in the middle of a block.
 */
import type { Engine, Launch } from '../../machine/engine.ts';
import type { Fault } from '../../machine/fault.ts';
import { blocksOf } from '../../machine/extents.ts';
import { namedRanges } from '../../machine/memory/named-ranges.ts';
import type { Race } from '../../machine/races/race.ts';
import type { SettledState } from '../../machine/state.ts';
import { sourceAt } from '../../program/source-at.ts';
import type { CompiledKernel } from '../compiled-kernel.ts';
import { BlockEngine } from './block-engine.ts';
import { faultOf } from './faults.ts';
import { OwnLedger } from './ledger.ts';
import type { LeftOut } from './linked-code.ts';

/** A kernel's module, and the information about the kernel that the engine needs. */
export interface CompiledCode {
  readonly compiled: CompiledKernel;
  readonly module: WebAssembly.Module;
}

/** Code that runs on the calling thread. Code that was left out of the module can be compiled while the launch runs. */
export interface LocalCode extends CompiledCode {
  readonly leftOut: LeftOut;
}

/** Number of bytes available for the blocks that run at the same time. */
export const residentBytes: number = 256 * 2 ** 20;

/**
 * Returns faster code for the rest of a launch, or null if replacing the code is not worthwhile yet. The answer depends
 * on `executed`, the number of instructions that the launch has executed so far, and on `remaining`, the number that it
 * will execute if its other blocks are like those that have been run. Both numbers are summed over all threads.
 */
export type BetterCode = (executed: number, remaining: number) => LocalCode | null;

/** The fast engine. Memory that was never written reads as zeros. */
export class FastEngine implements Engine<SettledState> {
  preparing = 0;
  private readonly launch: Launch;
  private better: BetterCode | null;
  private code: LocalCode;
  private ledger: OwnLedger;
  private blocks: BlockEngine;
  /**
   * The counts at the time when the launch switched to the current code: `before` is the number of executed
   * instructions, and `slowBefore` is the number of slow tiles.
   */
  private before = 0;
  private slowBefore = 0;

  constructor(launch: Launch, code: LocalCode, better: BetterCode | null) {
    this.launch = launch;
    this.code = code;
    this.better = better;
    this.ledger = new OwnLedger(blocksOf(launch.shape), launch.limits);
    this.blocks = this.begin();
  }

  get instructions(): number {
    return this.before + this.blocks.instructions;
  }

  get slowTiles(): number {
    return this.slowBefore + this.blocks.slowTiles;
  }

  /** Only the reference engine detects races. */
  get races(): readonly Race[] {
    return [];
  }

  run(): boolean {
    if (!this.blocks.step()) return false;
    if (this.better !== null) this.improve(this.better);
    return true;
  }

  faultOf(error: unknown): Fault | null {
    const fault = faultOf(error);
    if (fault === null) return null;
    const found = this.blocks.describe(fault);
    return { ...found, source: sourceAt(this.launch.kernel, found.line) };
  }

  give(): SettledState | null {
    const { launch, instructions: executed } = this;
    const { memory, heap } = launch;
    const printed = launch.printed.give();
    if (this.blocks.isUnderWay) return null;
    const nextBlock = this.blocks.nextBlock ?? this.ledger.nextBlock;
    memory.touchAll();
    const timer = Math.round(performance.now() * 1e6) - executed;
    return { nextBlock, blocks: [], executed, timer, printed, memory: memory.give(), heap: heap.give() };
  }

  take({ nextBlock, executed, printed, memory, heap }: SettledState): void {
    const { launch } = this;
    this.release();
    launch.memory.touchAll();
    launch.memory.take(memory);
    launch.heap.take(heap);
    launch.printed.take(printed);
    this.before = executed;
    this.ledger = new OwnLedger(blocksOf(launch.shape), launch.limits, nextBlock, executed);
    this.blocks = this.begin();
  }

  release(): void {
    this.blocks.release();
    this.launch.memory.touchAll();
  }

  private begin(): BlockEngine {
    const { launch, code, ledger } = this;
    const { image, heap, printed } = launch;
    const { constants, constantLayout } = image;
    const constantRegions = namedRanges(constantLayout);
    const services = { heap, printed };
    return new BlockEngine({ ...launch, ...code, constants, constantRegions, services, residentBytes }, ledger);
  }

  /** Once better code is available, switches to it between two blocks. */
  private improve(better: BetterCode): void {
    const asked = performance.now();
    if (this.blocks.isUnderWay || this.blocks.nextBlock !== null) return;
    const { instructions } = this;
    const done = this.ledger.nextBlock;
    const left = blocksOf(this.launch.shape) - done;
    const code = left === 0 ? null : better(instructions, (instructions / done) * left);
    if (code === null) return;
    this.blocks.settle();
    this.slowBefore = this.slowTiles;
    this.blocks.release();
    this.before = this.instructions;
    this.code = code;
    this.blocks = this.begin();
    this.better = null;
    this.preparing = performance.now() - asked;
  }
}
