/** Writes the instructions of basic blocks for one thread. */
import type { BasicBlock } from '../../program/flow.ts';
import { isCounted, type ProgramInstruction } from '../../program/function-program.ts';
import type { Region } from '../../program/regions.ts';
import type { Code } from '../../wasm/code.ts';
import { hiddenNans } from '../arithmetic/hidden-nans.ts';
import { type CodeOfDirect, DirectCalls } from '../calls/direct-calls.ts';
import { recorder, type RecordEngineCall } from '../engine-call.ts';
import { lowerInstruction } from '../lower.ts';
import type { Lowering, RegionLocals } from '../lowering.ts';
import { CheckedSpans } from '../memory/checked-spans.ts';
import type { FunctionShape } from './function-shape.ts';
import type { KernelShape } from './kernel-shape.ts';
import { type BlockParts, lengthOf, writeBlock } from './region-parts.ts';
import type { ThreadFrame } from './thread-frame.ts';
import type { Values } from './values.ts';

/**
 * In regions with at least this many instructions, a NaN is not replaced if only arithmetic reads it. V8's baseline
 * compiler spends much of its time on the branches that replace NaNs, which matters in long functions. For short
 * functions, the optimizing compiler generates better code with these branches: a tiled matrix product takes 0.37 s
 * with the branches, and 0.59 s without them.
 */
const longRegion = 2048;

/** Number of instructions that are written before the clock is checked again. */
const instructionsPerLook = 64;

interface ThreadCodeParts {
  readonly code: Code;
  readonly shape: KernelShape;
  readonly fn: FunctionShape;
  readonly region: Region;
  readonly values: Values;
  readonly frame: Pick<ThreadFrame, 'field'>;
  readonly locals: RegionLocals;
  readonly codeOf: CodeOfDirect;
}

/** The parts of a block that differ between a region and a function that is called directly. */
export type BlockEnds = Pick<BlockParts, 'leave' | 'end' | 'goTo'>;

export class ThreadCode {
  private readonly parts: ThreadCodeParts;
  private readonly spans: CheckedSpans;
  private readonly isLong: boolean;
  private calls: DirectCalls | null = null;
  /** Instructions of the current block whose NaN results may have arbitrary bits. */
  private hidden: ReadonlySet<ProgramInstruction> = new Set();
  /** Number of blocks and instructions written so far. */
  private written = 0;

  constructor(parts: ThreadCodeParts) {
    this.parts = parts;
    this.spans = new CheckedSpans(parts.code, parts.fn.program, () => 'same');
    this.isLong = lengthOf(parts.fn, parts.region) >= longRegion;
  }

  block({ start, end, exit }: BasicBlock, ends: BlockEnds): void {
    const { fn, values } = this.parts;
    this.spans.begin({ start, end });
    const instructions = fn.program.instructions.slice(start, end);
    if (this.isLong) this.hidden = hiddenNans(instructions, fn.live.crosses);
    writeBlock(instructions, exit, {
      ...ends,
      spend: (count) => this.spend(count),
      guarded: (instruction, body) => this.guarded(instruction, body),
      lower: (instruction) => this.lower(instruction),
      crosses: fn.live.crosses,
      release: (place) => values.release(place),
    });
  }

  lower(instruction: ProgramInstruction): void {
    lowerInstruction(this.lowering(instruction));
  }

  /** Checks the clock only occasionally, because reading the time takes as long as writing a simple instruction. */
  lookNowAndThen(): void {
    if (this.written++ % instructionsPerLook === 0) this.parts.shape.layout.look();
  }

  /** Writes the branch of `brx.idx`, which compares the index with the position of each label in the list. */
  choose(instruction: ProgramInstruction, targets: readonly number[], goTo: (target: number) => void): void {
    const { code, values, locals, shape } = this.parts;
    const step = instruction.steps.find((candidate) => candidate.kind === 'switch');
    if (step === undefined) throw new Error('a block that ends in a switch contains no switch step');
    // The index is copied, because the code for the targets uses temporaries, too.
    const index = code.local('i32');
    values.get(step.index, 'i32');
    code.set(index);
    targets.forEach((target, i) => {
      code.get(index).i32(i).op('i32.eq');
      code.if(() => goTo(target));
    });
    code
      .i32(this.recordCall(instruction)({ kind: 'switch', count: targets.length }))
      .get(index)
      .op('i64.extend_i32_u')
      .get(locals.thread)
      .get(locals.fuel)
      .call(shape.helpers.import('raise'))
      .op('unreachable');
  }

  recordCall({ line }: ProgramInstruction): RecordEngineCall {
    return recorder(this.parts.shape.engineCalls, line);
  }

  lowering(instruction: ProgramInstruction): Lowering {
    const { code, values, shape, locals, fn } = this.parts;
    const { helpers, layout } = shape;
    const recordCall = this.recordCall(instruction);
    const callDirectly = (): void => {
      this.calls ??= new DirectCalls(this.parts);
      this.calls.call(instruction, recordCall);
    };
    return {
      code,
      values,
      helpers,
      layout,
      locals,
      instruction,
      program: fn.program,
      spans: this.spans,
      hidesNan: this.hidden.has(instruction),
      recordCall,
      callDirectly,
    };
  }

  private guarded(instruction: ProgramInstruction, body: () => void): void {
    const { guard } = instruction;
    const { code, values } = this.parts;
    this.lookNowAndThen();
    values.begin(instruction);
    if (guard === null) {
      body();
      return;
    }
    values.getPlace(guard.register, 'i32');
    if (guard.negated) code.op('i32.eqz');
    code.if(() => {
      if (isCounted(instruction)) this.spend(1);
      body();
    });
  }

  private spend(count: number): void {
    const { code, locals } = this.parts;
    if (count > 0) code.get(locals.fuel).i32(count).op('i32.sub').set(locals.fuel);
  }
}
