/**
 * Writes one region as a WebAssembly function. Its parameters are the context, the first thread, the end of the range
 * of threads, and the mask `members`; it returns the outcome (see layout.ts). The function runs the region for each
 * thread in turn. If the threads of a warp exchange values, the range lies within one warp, and only the threads in
 * this mask run.
 */
import { elementAt, valueAt } from '../../base/element-at.ts';
import type { BasicBlock } from '../../program/flow.ts';
import { isCounted, type ProgramInstruction } from '../../program/function-program.ts';
import type { Region } from '../../program/regions.ts';
import type { RegisterTraffic } from '../../program/register-traffic.ts';
import { idleRounds, type Waiting, type WaitingLoop } from '../../program/waiting-loops.ts';
import { Code } from '../../wasm/code.ts';
import type { FunctionType } from '../../wasm/module.ts';
import { hiddenNans } from '../arithmetic/hidden-nans.ts';
import { CallWriter } from '../calls/call-writer.ts';
import { CheckedSpans } from '../memory/checked-spans.ts';
import type { FunctionShape } from './function-shape.ts';
import { goesOn, soleOutcome, trafficOf } from './region-facts.ts';
import type { KernelShape } from './kernel-shape.ts';
import { alignTo16, context, type ContextField, state } from '../layout.ts';
import { lowerAfter, lowerInstruction, lowerUntil } from '../lower.ts';
import type { Lowering, RegionLocals } from '../lowering.ts';
import { OutcomeCounts, writeOutcome } from '../groups/outcome-counts.ts';
import { advanceIndex, advanceThread, readsIndex, startIndex } from './thread-index.ts';
import { recorder, type RecordEngineCall } from '../engine-call.ts';
import { broughtTo } from '../groups/stop.ts';
import { lengthOf, refuel, savedAtStop, stopBefore, writeBlock } from './region-parts.ts';
import { writeRegion } from './structure.ts';
import { RegionExit } from './region-exit.ts';
import { ThreadFrame } from './thread-frame.ts';
import { Values } from './values.ts';

export const regionType: FunctionType = { parameters: ['i32', 'i32', 'i32', 'i32'], results: ['i32'] };

/** Number of iterations after which a loop that may be waiting for another thread lets other threads run. */
const roundsPerTurn: Readonly<Record<Waiting, number>> = { spin: idleRounds, idle: idleRounds, busy: 4096 };

/**
 * In regions with at least this many instructions, NaNs that only arithmetic reads are left as they are. V8's first
 * compiler spends much of its time on the branches that replace NaNs, which matters in long functions. In short ones,
 * the optimizing compiler makes better code with the branches: a product of matrices in tiles takes 0.37 s with them,
 * and 0.59 s without.
 */
const longRegion = 2048;

/** Number of instructions that are written before the clock is checked again. */
const instructionsPerLook = 64;

export function regionFunction(shape: KernelShape, fn: FunctionShape, region: Region): Code {
  return new RegionWriter(shape, fn, region).write();
}

class RegionWriter {
  private readonly shape: KernelShape;
  private readonly fn: FunctionShape;
  private readonly region: Region;
  private readonly code: Code = new Code(regionType.parameters);
  private readonly values: Values;
  private readonly locals: RegionLocals;
  private readonly frame: ThreadFrame;
  private readonly calls: CallWriter;
  private readonly counts: OutcomeCounts;
  private readonly rounds: number;
  private readonly traffic: RegisterTraffic;
  private readonly spans: CheckedSpans;
  private readonly exit: RegionExit;
  /** The loop with which the region begins if a thread only waits for its cluster there. */
  private readonly loop: WaitingLoop | null;
  /** See RegionExit. */
  private readonly moved: number | null;
  private readonly isLong: boolean;
  /** Instructions of the block that is being written whose results may be any NaN. */
  private hidden: ReadonlySet<ProgramInstruction> = new Set();
  /** Number of blocks and instructions written so far. */
  private written = 0;

  constructor(shape: KernelShape, fn: FunctionShape, region: Region) {
    const { code } = this;
    this.shape = shape;
    this.fn = fn;
    this.region = region;
    this.values = new Values(code, fn.program, fn.live.crosses, shape);
    this.spans = new CheckedSpans(code, fn.program, () => 'same');
    this.counts = new OutcomeCounts(code, soleOutcome(fn, region));
    this.traffic = trafficOf(fn, region);
    this.rounds = code.local('i32');
    const index = [code.local('i32'), code.local('i32'), code.local('i32')] as const;
    const base = fn.program.entry ? null : code.local('i32');
    this.locals = { context: 0, thread: 1, fuel: code.local('i32'), index, base };
    this.frame = new ThreadFrame(code, shape, fn, this.values, 1);
    this.isLong = lengthOf(fn, region) >= longRegion;
    const { values, frame, locals, counts } = this;
    this.loop = shape.spins.has(fn.regionAt.get(region.entry) ?? -1) ? (fn.pauses.get(region.entry) ?? null) : null;
    this.moved = this.loop === null ? null : code.local('i32');
    this.exit = new RegionExit({ code, shape, fn, frame, counts, moved: this.moved });
    this.calls = new CallWriter({ code, shape, fn, values, frame, locals });
  }

  write(): Code {
    const { code, locals, shape, fn } = this;
    const { fuel, thread } = locals;
    code.get(thread).set(this.counts.first);
    this.field('fuel').set(fuel);
    if (shape.waitsAcrossRegions && goesOn(fn, this.region))
      this.storeField('leavingRuns', () => this.field('leavingRuns').i32(1).op('i32.add'));
    const hasIndex = readsIndex(fn, this.region);
    if (hasIndex) startIndex(code, locals, (name) => this.field(name));
    code.loop((again) => {
      code.block((end) => {
        this.exit.begin(end);
        if (shape.inWarps) code.get(3).get(thread).op('i32.shr_u').i32(1).op('i32.and', 'i32.eqz').brIf(end);
        this.enter();
        writeRegion(code, this.region, {
          block: (block, goTo) => this.block(block, elementAt(fn.blocks, block), goTo),
          next: (block) => elementAt(fn.blocks, block).exit.next,
          beforeLoop: (block) => this.frame.restore(this.traffic.beforeLoop.get(block) ?? []),
          backEdge: (target) => this.backEdge(target),
        });
      });
      if (hasIndex) advanceIndex(code, locals, (name) => this.field(name), 1);
      else advanceThread(code, locals, 1);
      code.get(thread).get(2).op('i32.lt_u').brIf(again);
    });
    this.storeField('fuel', () => code.get(fuel));
    const { moved } = this;
    if (moved !== null) this.storeField('moved', () => this.field('moved').get(moved).op('i32.or'));
    if (fn.four !== null && shape.hasStates) this.storeField('strayed', () => code.i32(1));
    writeOutcome(code, shape, this.counts);
    return code;
  }

  // --- threads --------------------------------------------------------------------------------------------------------

  private enter(): void {
    const { code, shape, fn, frame, locals, region } = this;
    if (shape.hasStates || fn.landings.has(region.entry)) frame.enter();
    frame.restore(this.traffic.atEntry);
    if (shape.hasStates) code.i32(0).set(this.rounds);
    if (locals.base !== null) frame.load(shape.frame.base).set(locals.base);
    if (fn.regionAt.get(region.entry) === fn.firstRegion) this.begin();
    else if (!fn.landings.has(region.entry)) this.resumeAfter(this.instructionBefore(region.entry));
  }

  private instructionBefore(block: number): ProgramInstruction {
    return elementAt(this.fn.program.instructions, elementAt(this.fn.blocks, block).start - 1);
  }

  /**
   * Writes the start of a function. At this point, all registers are zero and, in a kernel, local memory is zero as
   * well.
   */
  private begin(): void {
    const { code, fn, values, locals, frame, shape, region } = this;
    for (const place of fn.live.at(region.entry)) values.clear(place);
    this.calls.begin();
    if (locals.base !== null) return;
    if (shape.callBytes > 0) {
      frame.store(shape.frame.depth, () => code.i32(0));
      frame.store(shape.frame.base, () => code.i32(0));
    }
    const { localBytes } = fn.program;
    if (localBytes === 0) return;
    frame.field('local').get(locals.thread).i32(alignTo16(shape.layout.localBytes)).op('i32.mul', 'i32.add');
    code.i32(shape.layout.origin).op('i32.add').i32(0).i32(localBytes).fill();
  }

  /** Writes code that completes the instruction at which the thread stopped or called a function. */
  private resumeAfter(instruction: ProgramInstruction): void {
    const { frame, shape, values, fn, region } = this;
    if (!fn.stopAt.has(region.entry)) {
      this.calls.resume(instruction, region.entry);
      return;
    }
    const { stop } = stopBefore(shape, fn, region.entry);
    const { step } = stop;
    values.begin(instruction);
    step.to.forEach((ref, i) => {
      const carrier = stop.receives[i] ?? null;
      if (carrier === null) return;
      frame.load(carrier.array, carrier.type);
      values.set(ref, carrier.type);
    });
    lowerAfter(step, this.lowering(instruction));
  }

  private storeField(name: ContextField, push: () => unknown): void {
    const { code, shape } = this;
    code.get(0);
    push();
    code.memory('i32.store', shape.layout.origin + context[name]);
  }

  private field(name: ContextField): Code {
    return this.frame.field(name);
  }

  /** Checks the clock only once in a while, because reading the time takes as long as writing a simple instruction. */
  private lookNowAndThen(): void {
    if (this.written++ % instructionsPerLook === 0) this.shape.layout.look();
  }

  // --- blocks ---------------------------------------------------------------------------------------------------------

  private block(number: number, { start, end, exit }: BasicBlock, goWithin: (target: number) => void): void {
    const goTo = (target: number): void => {
      if (this.fn.lockstep.has(target)) this.catchUp(number, target);
      else goWithin(target);
    };
    this.lookNowAndThen();
    if (this.moved !== null && this.loop?.body.includes(number) === false) this.code.i32(1).set(this.moved);
    this.spans.begin({ start, end });
    this.frame.restore(this.traffic.atStart.get(number) ?? []);
    const instructions = this.fn.program.instructions.slice(start, end);
    if (this.isLong) this.hidden = hiddenNans(instructions, this.fn.live.crosses);
    writeBlock(instructions, exit, {
      spend: (count) => this.spend(count),
      guarded: (instruction, body) => this.guarded(instruction, body),
      lower: (instruction) => lowerInstruction(this.lowering(instruction)),
      leave: (last) => this.leave(last, number, exit, goTo),
      end: () => this.end(),
      goTo,
      crosses: this.fn.live.crosses,
      release: (place) => this.values.release(place),
    });
  }

  private guarded(instruction: ProgramInstruction, body: () => void): void {
    const { guard } = instruction;
    this.lookNowAndThen();
    this.values.begin(instruction);
    if (guard === null) {
      body();
      return;
    }
    this.values.getPlace(guard.register, 'i32');
    if (guard.negated) this.code.op('i32.eqz');
    this.code.if(() => {
      if (isCounted(instruction)) this.spend(1);
      body();
    });
  }

  /** Writes the last instruction of a basic block, and the code that continues at the next one. */
  private leave(
    instruction: ProgramInstruction,
    block: number,
    exit: BasicBlock['exit'],
    goTo: (target: number) => void,
  ): void {
    if (exit.kind === 'park') this.stop(instruction, block, exit.resume);
    else if (exit.kind === 'call') this.calls.call(instruction, exit.resume, this.recordCall(instruction), this.exit);
    else {
      lowerInstruction(this.lowering(instruction));
      if (exit.kind === 'branch') goTo(exit.target);
      else if (exit.kind === 'switch') this.choose(instruction, exit.targets, goTo);
      else this.end(instruction.steps.some((step) => step.kind === 'exit'));
    }
  }

  /** Writes the branch of `brx.idx`, which compares the index with the position of each label in the list. */
  private choose(instruction: ProgramInstruction, targets: readonly number[], goTo: (target: number) => void): void {
    const { code, values, locals, shape } = this;
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

  /** Writes code for the end of a function: the thread returns to the caller or, if there is none, exits. */
  private end(exits = false): void {
    const { code, fn } = this;
    if (exits || fn.program.entry) {
      this.exit.leave(() => code.i32(state.exited), this.counts.exited);
      return;
    }
    const target = code.local('i32');
    this.calls.return(target);
    this.exit.return(target);
  }

  /** Writes code that continues at a block after the other threads that run the region have also come there. */
  private catchUp(block: number, target: number): void {
    this.frame.save(this.traffic.changedAfter(block, target));
    this.exit.region(valueAt(this.fn.regionAt, target));
  }

  /**
   * Writes code that makes the thread stop and wait for other threads. The code stores the registers that the thread
   * needs later and the values that it sends.
   */
  private stop(instruction: ProgramInstruction, block: number, resume: number): void {
    const { code, shape, values, frame, fn } = this;
    const { number, stop } = stopBefore(shape, fn, resume);
    const { step } = stop;
    lowerUntil(step, this.lowering(instruction));
    broughtTo(step).forEach((ref, i) => {
      const { array, type } = elementAt(stop.sends, i);
      if (ref !== null) frame.store(array, () => values.get(ref, type), type);
    });
    if (step.kind === 'collective') {
      const { mask } = step;
      const isKnown = stop.constantMask !== null && this.counts.sole !== null;
      if (mask !== null && !isKnown) frame.store(shape.frame.mask, () => values.get(mask, 'i32'));
    }
    frame.save(savedAtStop(this.traffic, instruction, { block, resume }));
    this.exit.leave(() => code.i32(state.waitingAt(number)), this.counts.come(number));
  }

  private spend(count: number): void {
    const { fuel } = this.locals;
    if (count > 0) this.code.get(fuel).i32(count).op('i32.sub').set(fuel);
  }

  private backEdge(target: number): void {
    const { code, shape, fn, locals } = this;
    const waiting = fn.pauses.get(target);
    if (waiting !== undefined) this.pauseNowAndThen(target, roundsPerTurn[waiting.waiting]);
    refuel(code, shape, fn, locals, target);
  }

  /** In a loop that may be waiting for another thread, lets other threads run after a number of iterations. */
  private pauseNowAndThen(target: number, most: number): void {
    const { code, fn, rounds, frame } = this;
    code.get(rounds).i32(1).op('i32.add').tee(rounds).i32(most).op('i32.ge_u');
    code.unlikely().if(() => {
      frame.save(this.traffic.changedBefore(target));
      const region = valueAt(fn.regionAt, target);
      this.exit.leave(() => code.i32(region | state.paused), null, target === this.region.entry);
    });
  }

  private lowering(instruction: ProgramInstruction): Lowering {
    const { code, values, shape, locals, fn } = this;
    const { helpers, layout } = shape;
    const recordCall = this.recordCall(instruction);
    const callBuiltin = (): void => this.calls.callBuiltin(instruction, recordCall);
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
      callBuiltin,
    };
  }

  private recordCall({ line }: ProgramInstruction): RecordEngineCall {
    return recorder(this.shape.engineCalls, line);
  }
}
