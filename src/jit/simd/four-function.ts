/**
 * Writes the code of one region as a function that runs four threads at a time. The threads have consecutive x indices.
 * The function is similar to the functions that region-function.ts writes, which run a single thread. The four threads
 * run together as long as all of them take the same branches. When they diverge, their registers are stored in the
 * frame, and a function for single threads takes over: either up to the block where the threads continue together, or
 * to the end of the region.
 */
import { elementAt } from '../../base/element-at.ts';
import type { Ref } from '../../isa/steps/ref.ts';
import type { BasicBlock } from '../../program/flow.ts';
import type { ProgramInstruction } from '../../program/function-program.ts';
import type { Region } from '../../program/regions.ts';
import type { Rejoins, RegisterTraffic } from '../../program/register-traffic.ts';
import { Code, type Label } from '../../wasm/code.ts';
import type { AloneFunctions } from '../regions/alone.ts';
import type { Carrier } from '../regions/frame.ts';
import type { FourShape, FunctionShape } from '../regions/function-shape.ts';
import type { KernelShape } from '../regions/kernel-shape.ts';
import { soleOutcome, trafficOf } from '../regions/region-facts.ts';
import { DirectCalls } from '../calls/direct-calls.ts';
import { directFunction } from '../calls/direct-function.ts';
import { alignTo16, state } from '../layout.ts';
import type { RegionLocals } from '../lowering.ts';
import { regionType } from '../regions/region-function.ts';
import { broughtTo, type Stop } from '../groups/stop.ts';
import { alwaysParts } from '../regions/partings.ts';
import { refuel, savedAtStop, stopBefore, writeBlock } from '../regions/region-parts.ts';
import { writeRegion } from '../regions/structure.ts';
import { OutcomeCounts, writeOutcome } from '../groups/outcome-counts.ts';
import { advanceIndex, advanceThread, readsIndex, startIndex } from '../regions/thread-index.ts';
import { CheckedSpans, type KindOf } from '../memory/checked-spans.ts';
import { scatteredAccesses, spanKindOf } from './span-kind.ts';
import { Values } from '../regions/values.ts';
import { VectorFrame } from './vector-frame.ts';
import { FourGuards } from './four-guards.ts';
import { FourLowerings } from './four-lowerings.ts';
import { FourResults } from './four-results.ts';
import { OneByOne } from './one-by-one.ts';
import { RejoinLoss } from './rejoin-loss.ts';
import { hiddenNans } from '../arithmetic/hidden-nans.ts';
import { lowerForFour, writeOperands } from './vector-instruction.ts';
import { allLanes, laneCount, Vectors } from './vectors.ts';
import { canRunFour, fourRegion } from './four-regions.ts';

/**
 * Returns null if the region cannot run four threads together. `functions` holds the index of each region's
 * single-thread function.
 */
export function fourFunction(
  shape: KernelShape,
  fn: FunctionShape,
  region: Region,
  functions: AloneFunctions,
): Code | null {
  if (fn.four === null || !canRunFour(fn, region)) return null;
  return new FourWriter(shape, fn, fn.four, region, functions).write();
}

type Guard = NonNullable<ProgramInstruction['guard']>;

class FourWriter {
  private readonly shape: KernelShape;
  private readonly fn: FunctionShape;
  private readonly four: FourShape;
  private readonly region: Region;
  private readonly code: Code = new Code(regionType.parameters, true);
  private readonly values: Values;
  private readonly vectors: Vectors;
  private readonly frame: VectorFrame;
  private readonly locals: RegionLocals;
  private readonly lowerings: FourLowerings;
  private readonly counts: OutcomeCounts;
  private readonly spans: CheckedSpans;
  private readonly apart: OneByOne;
  private readonly guards: FourGuards;
  private readonly traffic: RegisterTraffic;
  private readonly rejoins: Rejoins;
  private readonly loss: RejoinLoss | null;
  /** Local that is nonzero if any thread of the block has been run alone, separately from its three neighbors. */
  private readonly strayed: number;
  /** Local that contains one bit for each of the four threads; the bit is 1 if the thread is a member. */
  private readonly fourMembers: number;
  private calls: DirectCalls | null = null;
  private endOfThread: Label | null = null;

  constructor(shape: KernelShape, fn: FunctionShape, four: FourShape, region: Region, functions: AloneFunctions) {
    const { code } = this;
    this.shape = shape;
    this.fn = fn;
    this.four = four;
    const together = fourRegion(fn, four, region);
    this.region = together.region;
    this.rejoins = together.rejoins;
    this.values = new Values(code, fn.program, fn.live.crosses, shape);
    this.vectors = new Vectors(code, this.values, four.varying, fn.live.crosses);
    this.spans = new CheckedSpans(code, fn.program, (register, size) => spanKindOf(four, register, size));
    this.frame = new VectorFrame(code, shape, fn, this.values, this.vectors);
    this.counts = new OutcomeCounts(code, soleOutcome(fn, region));
    this.traffic = trafficOf(fn, this.region, this.rejoins);
    this.strayed = code.local('i32');
    this.fourMembers = code.local('i32');
    const index = [code.local('i32'), code.local('i32'), code.local('i32')] as const;
    this.locals = { context: 0, thread: 1, fuel: code.local('i32'), index, base: null };
    const laneIndex = [code.local('i32'), index[1], index[2]] as const;
    const ofLane = { ...this.locals, thread: code.local('i32'), index: laneIndex };
    this.loss = this.rejoins.size > 0 ? new RejoinLoss(code, shape.layout, this.locals.fuel) : null;
    const { values, locals, spans } = this;
    const kindOf: KindOf = (register, size) => spanKindOf(four, register, size);
    const { frame, counts, fourMembers } = this;
    const parts = { code, shape, fn, values, frame, locals: ofLane, codeOf: directFunction };
    const callLane: DirectCalls['call'] = (instruction, recordCall) => {
      this.calls ??= new DirectCalls(parts);
      this.calls.call(instruction, recordCall);
    };
    const written = { code, values, locals, ofLane, callLane, spans, kindOf };
    this.lowerings = new FourLowerings(shape, fn.program, this.vectors, written);
    const { vectors, lowerings } = this;
    const spend = (count: number): void => this.spend(count);
    this.guards = new FourGuards({ code, values, vectors, lowerings, fuel: locals.fuel, varying: four.varying, spend });
    const endOfThread = (): Label => this.threadEnd();
    this.apart = new OneByOne({ code, shape, fn, functions, frame, counts, locals, fourMembers, endOfThread });
  }

  write(): Code {
    const { code, locals, shape, frame, fn, region } = this;
    const { fuel, thread } = locals;
    code.get(thread).set(this.counts.first);
    frame.field('fuel').set(fuel);
    frame.field('strayed').set(this.strayed);
    const hasIndex = readsIndex(fn, region);
    if (hasIndex) startIndex(code, locals, (name) => frame.field(name));
    code.loop((again) => {
      code.block((end) => {
        this.endOfThread = end;
        this.skipOthers(end);
        this.enter();
        writeRegion(code, region, {
          block: (block, goTo) => this.block(block, elementAt(fn.blocks, block), goTo),
          next: (block) => this.nextOf(block),
          beforeLoop: (block) => frame.restore(this.traffic.beforeLoop.get(block) ?? []),
          backEdge: (target) => refuel(code, shape, fn, locals, target),
        });
      });
      this.loss?.end();
      if (hasIndex) advanceIndex(code, locals, (name) => frame.field(name), laneCount);
      else advanceThread(code, locals, laneCount);
      code.get(thread).get(2).op('i32.lt_u').brIf(again);
    });
    this.apart.storeFuel();
    writeOutcome(code, shape, this.counts);
    return code;
  }

  // --- threads -------------------------------------------------------------------------------------------------------

  private enter(): void {
    const { fn, frame, region, locals } = this;
    frame.enter(locals.thread);
    if (fn.regionAt.get(region.entry) === fn.firstRegion) {
      this.begin();
      return;
    }
    const { stop } = stopBefore(this.shape, fn, region.entry);
    const results = new FourResults(stop, frame, this.values, this.vectors);
    this.partUnlessInStep(region.entry, results.mustAgree);
    frame.restore(this.traffic.atEntry);
    results.take(this.lowerings);
  }

  /**
   * Handles the case where some of the four threads have run alone in the meantime. Writes code that runs the threads
   * one by one if they receive different results, or if they have different values in a register that must have the
   * same value in all threads in lockstep.
   */
  private partUnlessInStep(block: number, receives: Stop['receives']): void {
    const { code, fn, frame, shape } = this;
    const { alone } = shape.frame;
    code.block((inStep) => {
      code.get(this.strayed).op('i32.eqz').likely().brIf(inStep);
      const [words] = frame.load(alone, 'i32').locals;
      code.get(words).vector('v128.any_true').op('i32.eqz').brIf(inStep);
      frame.pushDisagreement(fn.live.at(block));
      for (const carrier of receives) {
        if (carrier === null) continue;
        frame.pushDifference(carrier.array, carrier.type);
        code.op('i32.or');
      }
      code.unlikely().if(() => this.apart.from(block));
      frame.store(alone, 'i32', () => code.words(0, 0, 0, 0));
    });
  }

  /** Writes the start of a kernel. At this point, all registers and local memory are zero. */
  private begin(): void {
    const { code, fn, values, vectors, frame, locals, shape, region } = this;
    const clear = (array: number): void => frame.store(array, 'i32', () => code.words(0, 0, 0, 0));
    if (shape.hasStates) clear(shape.frame.alone);
    if (shape.callBytes > 0) {
      clear(shape.frame.depth);
      clear(shape.frame.base);
    }
    for (const place of fn.live.at(region.entry)) {
      if (vectors.isVarying(place)) {
        for (const home of vectors.home(place).locals) code.words(0, 0, 0, 0).set(home);
      } else values.clear(place);
    }
    const { localBytes } = fn.program;
    if (localBytes === 0) return;
    const stride = alignTo16(shape.layout.localBytes);
    for (let lane = 0; lane < laneCount; lane++) {
      frame.field('local').get(locals.thread).i32(lane).op('i32.add').i32(stride).op('i32.mul', 'i32.add');
      code.i32(shape.layout.origin).op('i32.add').i32(0).i32(localBytes).fill();
    }
  }

  /**
   * Writes code that skips the four threads if none of them is a member, and that runs the members one by one if only
   * some of the threads are members.
   */
  private skipOthers(end: Label): void {
    const { code, region, locals, fourMembers } = this;
    if (!this.shape.inWarps) return;
    code.get(3).get(locals.thread).op('i32.shr_u').i32(allLanes).op('i32.and').tee(fourMembers);
    code.op('i32.eqz').brIf(end);
    code.get(fourMembers).i32(allLanes).op('i32.ne');
    code.unlikely().if(() => this.apart.from(region.entry));
  }

  // --- blocks --------------------------------------------------------------------------------------------------------

  private block(number: number, { start, end, exit }: BasicBlock, goTo: (target: number) => void): void {
    const { fn } = this;
    const instructions = fn.program.instructions.slice(start, end);
    const [first] = instructions;
    this.spans.begin({ start, end });
    this.lowerings.begin(hiddenNans(instructions, fn.live.crosses));
    this.frame.restore(this.traffic.atStart.get(number) ?? []);
    if (first !== undefined && this.four.partings.has(number)) {
      if (first.guard === null) {
        // The threads always diverge here, so no code is needed for the rest of the block.
        this.part(number, goTo);
        return;
      }
      this.partUnlessAgreed(number, first, first.guard, goTo);
    }
    this.loss?.scatter(scatteredAccesses(this.four, instructions));
    writeBlock(instructions, exit, {
      spend: (count) => this.spend(count),
      guarded: (instruction, body) => this.guards.write(instruction, body),
      lower: (instruction) => this.lower(instruction),
      leave: (last) => this.leave(last, number, exit, goTo),
      end: () => this.end(),
      goTo,
      crosses: fn.live.crosses,
      release: (place) => this.vectors.release(place),
    });
  }

  /**
   * Writes the code before a guarded instruction at which the four threads may diverge. If the guard differs between
   * them, each of them runs alone. At an instruction that threads always execute alone, they run alone if the guard is
   * true for any of them.
   */
  private partUnlessAgreed(
    block: number,
    instruction: ProgramInstruction,
    guard: Guard,
    goTo: (target: number) => void,
  ): void {
    const { code, vectors } = this;
    const { register, negated } = guard;
    const isVarying = vectors.isVarying(register);
    const pushTruth = (test: 'v128.any_true' | 'i32x4.all_true'): void => {
      if (isVarying) code.get(vectors.home(register).locals[0]).vector(test);
      else this.values.getPlace(register, 'i32');
    };
    if (alwaysParts(instruction, this.shape.direct)) {
      pushTruth(negated ? 'i32x4.all_true' : 'v128.any_true');
      if (negated) code.op('i32.eqz');
    } else {
      pushTruth('v128.any_true');
      pushTruth('i32x4.all_true');
      code.op('i32.ne');
    }
    code.unlikely().if(() => this.part(block, goTo));
  }

  /**
   * Writes code that saves the registers and runs the threads one by one from the start of a block. If the threads then
   * continue together at another block, `goTo` writes the branch to this block.
   */
  private part(block: number, goTo: (target: number) => void): void {
    const { frame, apart } = this;
    frame.save(this.traffic.changedBefore(block));
    const rejoin = this.four.rejoins.get(block);
    if (rejoin === undefined) {
      this.loss?.end();
      apart.from(block);
      return;
    }
    this.loss?.diverge(() => apart.from(block));
    apart.through(rejoin.region);
    frame.restore(this.rejoins.get(block)?.reloaded ?? []);
    this.loss?.rejoin();
    goTo(rejoin.at);
  }

  /** The block that is reached by falling through; null if diverged threads continue there as well. */
  private nextOf(block: number): number | null {
    const { next } = elementAt(this.fn.blocks, block).exit;
    return next === this.four.rejoins.get(block)?.at ? null : next;
  }

  private lower(instruction: ProgramInstruction): void {
    if (alwaysParts(instruction, this.shape.direct)) this.code.op('unreachable');
    else lowerForFour(instruction, this.lowerings.of(instruction));
  }

  /** Writes the last instruction of a basic block, and the jump to the code that follows the block. */
  private leave(
    instruction: ProgramInstruction,
    block: number,
    exit: BasicBlock['exit'],
    goTo: (target: number) => void,
  ): void {
    if (exit.kind === 'park') this.stop(instruction, block, exit.resume);
    else if (exit.kind === 'branch') goTo(exit.target);
    else if (exit.kind === 'end') this.end();
    // A switch or a call is never reached here, because threads diverge before they execute one.
    else this.code.op('unreachable');
  }

  private end(): void {
    this.leaveThreads(state.exited, this.counts.exited);
  }

  private stop(instruction: ProgramInstruction, block: number, resume: number): void {
    const { code, shape, vectors, frame, fn } = this;
    const { number, stop } = stopBefore(shape, fn, resume);
    const { step } = stop;
    vectors.begin(instruction);
    writeOperands(instruction, this.lowerings.onVectors(instruction));
    const leave = (ref: Ref, { array, type }: Carrier): void => {
      const { locals } = vectors.get(ref, type);
      frame.store(array, type, (half) => code.get(elementAt(locals, half)));
    };
    broughtTo(step).forEach((ref, i) => {
      if (ref !== null) leave(ref, elementAt(stop.sends, i));
    });
    const isKnown = stop.constantMask !== null && this.counts.sole !== null;
    if (step.kind === 'collective' && step.mask !== null && !isKnown)
      leave(step.mask, { type: 'i32', array: shape.frame.mask });
    frame.save(savedAtStop(this.traffic, instruction, { block, resume }));
    this.leaveThreads(state.waitingAt(number), this.counts.come(number));
  }

  private leaveThreads(word: number, counter: number): void {
    const { code, shape, frame } = this;
    if (shape.hasStates && this.counts.sole === null) {
      frame.store(shape.frame.state, 'i32', () => code.i32(word).vector('i32x4.splat'));
      code.get(counter).i32(laneCount).op('i32.add').set(counter);
    }
    code.br(this.threadEnd());
  }

  private threadEnd(): Label {
    if (this.endOfThread === null) throw new Error('the code of the threads has not been started');
    return this.endOfThread;
  }

  private spend(count: number): void {
    const { fuel } = this.locals;
    if (count === 0) return;
    this.code
      .get(fuel)
      .i32(laneCount * count)
      .op('i32.sub')
      .set(fuel);
  }
}
