/**
 * Writes one region as a WebAssembly function. Its parameters are the context, the first thread, the end of the range
 * of threads, and the mask `members`; it returns the outcome (see layout.ts). The function runs the region for each
 * thread in turn. If the threads of a warp exchange values, the range lies within one warp, and only the threads in
 * this mask run.
 */
import { elementAt, valueAt } from '../../base/element-at.ts';
import { warpSize } from '../../machine/launch.ts';
import type { BasicBlock } from '../../program/flow.ts';
import type { ProgramInstruction } from '../../program/function-program.ts';
import type { Region } from '../../program/regions.ts';
import type { RegisterTraffic } from '../../program/register-traffic.ts';
import { idleRounds, type Waiting, type WaitingLoop } from '../../program/waiting-loops.ts';
import { Code, type Label } from '../../wasm/code.ts';
import type { FunctionType } from '../../wasm/module.ts';
import { CallWriter } from '../calls/call-writer.ts';
import { directFunction } from '../calls/direct-function.ts';
import { writeChoice } from '../choose.ts';
import type { FunctionShape } from './function-shape.ts';
import { goesOn, soleOutcome, trafficOf } from './region-facts.ts';
import type { KernelShape } from './kernel-shape.ts';
import { alignTo16, context, type ContextField, state } from '../layout.ts';
import { lowerAfter, lowerUntil } from '../lower.ts';
import type { RegionLocals } from '../lowering.ts';
import { OutcomeCounts, writeOutcome } from '../groups/outcome-counts.ts';
import { advanceIndex, advanceThread, readsIndex, startIndex } from './thread-index.ts';
import { broughtTo } from '../groups/stop.ts';
import { refuel, savedAtStop, stopBefore } from './region-parts.ts';
import { writeRegion } from './structure.ts';
import { RegionExit } from './region-exit.ts';
import { ThreadCode } from './thread-code.ts';
import { ThreadFrame } from './thread-frame.ts';
import { Values } from './values.ts';

export const regionType: FunctionType = { parameters: ['i32', 'i32', 'i32', 'i32'], results: ['i32'] };

/** The type of a function that threads can enter at several blocks. The last parameter is the number of the block. */
export const commonType: FunctionType = { ...regionType, parameters: [...regionType.parameters, 'i32'] };

/** Number of iterations after which a thread in a waiting loop lets other threads run. */
const roundsPerTurn: Readonly<Record<Waiting, number>> = { spin: idleRounds, idle: idleRounds, busy: 4096 };

export function regionFunction(shape: KernelShape, fn: FunctionShape, region: Region): Code {
  return new RegionWriter(shape, fn, region).write();
}

class RegionWriter {
  private readonly shape: KernelShape;
  private readonly fn: FunctionShape;
  private readonly region: Region;
  private readonly code: Code;
  private readonly values: Values;
  private readonly locals: RegionLocals;
  private readonly frame: ThreadFrame;
  private readonly calls: CallWriter;
  private readonly counts: OutcomeCounts;
  private readonly rounds: number;
  private readonly traffic: RegisterTraffic;
  private readonly thread: ThreadCode;
  private readonly exit: RegionExit;
  /** The loop at the start of the region if a thread only waits for its cluster in this loop; otherwise null. */
  private readonly loop: WaitingLoop | null;
  /** See RegionExit. */
  private readonly moved: number | null;

  constructor(shape: KernelShape, fn: FunctionShape, region: Region) {
    const isCommon = region.entry === fn.commonEntry;
    const code = new Code((isCommon ? commonType : regionType).parameters);
    this.code = code;
    this.shape = shape;
    this.fn = fn;
    this.region = region;
    this.values = new Values(code, fn.program, fn.live.crosses, shape);
    this.counts = new OutcomeCounts(code, soleOutcome(fn, region));
    this.traffic = trafficOf(fn, region);
    this.rounds = code.local('i32');
    const index = [code.local('i32'), code.local('i32'), code.local('i32')] as const;
    const base = fn.program.entry ? null : code.local('i32');
    this.locals = { context: 0, thread: 1, fuel: code.local('i32'), index, base };
    this.frame = new ThreadFrame(code, shape, fn, this.values, 1);
    const { values, frame, locals, counts } = this;
    this.loop = shape.spins.has(fn.regionAt.get(region.entry) ?? -1) ? (fn.pauses.get(region.entry) ?? null) : null;
    this.moved = this.loop === null ? null : code.local('i32');
    this.exit = new RegionExit({ code, shape, fn, frame, counts, moved: this.moved });
    const parts = { code, shape, fn, region, values, frame, locals };
    this.calls = new CallWriter(parts);
    this.thread = new ThreadCode({ ...parts, codeOf: directFunction });
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
    if (shape.inWarps && !hasIndex) this.eachMember();
    else this.eachThread(hasIndex);
    this.storeField('fuel', () => code.get(fuel));
    const { moved } = this;
    if (moved !== null) this.storeField('moved', () => this.field('moved').get(moved).op('i32.or'));
    const strays = fn.four !== null && shape.hasStates && this.region.until === null;
    if (strays) this.storeField('strayed', () => code.i32(1));
    writeOutcome(code, shape, this.counts);
    return code;
  }

  // --- threads -------------------------------------------------------------------------------------------------------

  /** Runs each thread of the range. If the range lies within a warp, threads that are not in the mask are skipped. */
  private eachThread(hasIndex: boolean): void {
    const { code, locals, shape } = this;
    const { thread } = locals;
    code.loop((again) => {
      code.block((end) => {
        if (shape.inWarps) code.get(3).get(thread).op('i32.shr_u').i32(1).op('i32.and', 'i32.eqz').brIf(end);
        this.runThread(end);
      });
      if (hasIndex) advanceIndex(code, locals, (name) => this.field(name), 1);
      else advanceThread(code, locals, 1);
      code.get(thread).get(2).op('i32.lt_u').brIf(again);
    });
  }

  /** Goes from one thread in the mask to the next. */
  private eachMember(): void {
    const { code, locals } = this;
    const { thread } = locals;
    const [warp, rest] = [code.local('i32'), code.local('i32')];
    code.get(thread).i32(-warpSize).op('i32.and').set(warp);
    // The mask may contain lanes after the end of the range.
    code.get(3).i32(-1).get(warp).get(2).op('i32.sub', 'i32.shr_u', 'i32.and').set(rest);
    code.block((done) => {
      code.get(rest).op('i32.eqz').brIf(done);
      code.loop((again) => {
        code.get(rest).op('i32.ctz').get(warp).op('i32.add').set(thread);
        code.block((end) => this.runThread(end));
        code.get(rest).get(rest).i32(1).op('i32.sub', 'i32.and').tee(rest).brIf(again);
      });
    });
  }

  /** Runs one thread, whose code ends with a branch to `end`. */
  private runThread(end: Label): void {
    this.exit.begin(end);
    this.enter();
    writeRegion(this.code, this.region, {
      block: (block, goTo) => this.block(block, elementAt(this.fn.blocks, block), goTo),
      next: (block) => elementAt(this.fn.blocks, block).exit.next,
      beforeLoop: (block) => this.frame.restore(this.traffic.beforeLoop.get(block) ?? []),
      backEdge: (target) => this.backEdge(target),
    });
  }

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
    lowerAfter(step, this.thread.lowering(instruction));
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

  // --- blocks --------------------------------------------------------------------------------------------------------

  private block(number: number, block: BasicBlock, goWithin: (target: number) => void): void {
    const goTo = (target: number): void => {
      if (this.fn.lockstep.has(target)) this.catchUp(number, target);
      else if (target === this.region.until) this.rejoin(number, target);
      else goWithin(target);
    };
    this.thread.lookNowAndThen();
    if (this.moved !== null && this.loop?.body.includes(number) === false) this.code.i32(1).set(this.moved);
    this.frame.restore(this.traffic.atStart.get(number) ?? []);
    if (number === this.fn.commonEntry) {
      this.beginAt(block.exit, goTo);
      return;
    }
    this.thread.block(block, {
      leave: (last) => this.leave(last, number, block.exit, goTo),
      end: () => this.end(),
      goTo,
    });
  }

  /** Writes code that goes to the block where the threads begin. */
  private beginAt(exit: BasicBlock['exit'], goTo: (target: number) => void): void {
    const targets = exit.kind === 'switch' ? exit.targets : [];
    writeChoice(
      this.code,
      targets.length,
      () => this.code.get(regionType.parameters.length),
      (i) => goTo(elementAt(targets, i)),
    );
  }

  /** Writes the last instruction of a basic block, and the code that continues at the next one. */
  private leave(
    instruction: ProgramInstruction,
    block: number,
    exit: BasicBlock['exit'],
    goTo: (target: number) => void,
  ): void {
    if (exit.kind === 'park') this.stop(instruction, block, exit.resume);
    else if (exit.kind === 'call')
      this.calls.call(instruction, exit.resume, this.thread.recordCall(instruction), this.exit);
    else {
      this.thread.lower(instruction);
      if (exit.kind === 'branch') goTo(exit.target);
      else if (exit.kind === 'switch') this.thread.choose(instruction, exit.targets, goTo);
      else this.end(instruction.steps.some((step) => step.kind === 'exit'));
    }
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

  /** Writes code that continues at a block after the other threads that run the region have also reached it. */
  private catchUp(block: number, target: number): void {
    this.frame.save(this.traffic.changedAfter(block, target));
    this.exit.region(valueAt(this.fn.regionAt, target));
  }

  /** Writes code that stores what the thread needs when it continues together with its neighbors. */
  private rejoin(block: number, target: number): void {
    this.frame.save(this.traffic.changedAfter(block, target));
    this.exit.endThread();
  }

  /**
   * Writes code that makes the thread stop and wait for other threads. The code stores the registers that the thread
   * needs later and the values that it sends.
   */
  private stop(instruction: ProgramInstruction, block: number, resume: number): void {
    const { code, shape, values, frame, fn } = this;
    const { number, stop } = stopBefore(shape, fn, resume);
    const { step } = stop;
    lowerUntil(step, this.thread.lowering(instruction));
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

  private backEdge(target: number): void {
    const { code, shape, fn, locals } = this;
    const waiting = fn.pauses.get(target);
    if (waiting !== undefined) this.pauseNowAndThen(target, roundsPerTurn[waiting.waiting]);
    refuel(code, shape, fn, locals, target);
  }

  /** Writes code that lets other threads run after `most` iterations of a waiting loop. */
  private pauseNowAndThen(target: number, most: number): void {
    const { code, fn, rounds, frame } = this;
    code.get(rounds).i32(1).op('i32.add').tee(rounds).i32(most).op('i32.ge_u');
    code.unlikely().if(() => {
      frame.save(this.traffic.changedBefore(target));
      const region = valueAt(fn.regionAt, target);
      this.exit.leave(() => code.i32(region | state.paused), null, target === this.region.entry);
    });
  }
}
