/**
 * Writes calls and returns. To make a call, a thread saves its registers in a new entry of its call stack, and
 * continues in the first region of the callee. When the callee returns, the thread continues in the region after the
 * call. Arguments and results are in local memory (program/call-site.ts).
 */
import { elementAt, valueAt } from '../../base/element-at.ts';
import type { CallSite, IndirectCallee } from '../../program/call-site.ts';
import type { ProgramInstruction } from '../../program/function-program.ts';
import type { Code } from '../../wasm/code.ts';
import type { RecordEngineCall } from '../engine-call.ts';
import { alignTo16 } from '../layout.ts';
import type { RegionLocals } from '../lowering.ts';
import type { FunctionShape } from '../regions/function-shape.ts';
import type { KernelShape } from '../regions/kernel-shape.ts';
import type { ThreadFrame } from '../regions/thread-frame.ts';
import type { Values } from '../regions/values.ts';
import { callEntry, header } from './call-stack.ts';
import { CalleeFrame, type CallerParts, siteOfCall } from './callee-frame.ts';
import { calleeFinder } from './callees.ts';

interface RegionParts extends CallerParts {
  readonly frame: ThreadFrame;
}

/** Writes code that continues in a region, which is given by its index or by the local that holds the index. */
export interface GoTo {
  readonly region: (index: number) => void;
  readonly regionIn: (local: number) => void;
}

export class CallWriter {
  private readonly code: Code;
  private readonly shape: KernelShape;
  private readonly fn: FunctionShape;
  private readonly values: Values;
  private readonly frame: ThreadFrame;
  private readonly locals: RegionLocals;
  private readonly callee: CalleeFrame;
  /** The local that holds the address of the end of the thread's call stack. */
  private readonly open: number;

  constructor(parts: RegionParts) {
    const { code, shape, fn, values, frame, locals } = parts;
    this.code = code;
    this.shape = shape;
    this.fn = fn;
    this.values = values;
    this.frame = frame;
    this.locals = locals;
    this.callee = new CalleeFrame(parts);
    this.open = code.local('i32');
  }

  /** Writes a call that returns to block `resume`. */
  call(instruction: ProgramInstruction, resume: number, recordCall: RecordEngineCall, goTo: GoTo): void {
    const site = siteOfCall(instruction);
    const { callee } = site;
    this.callee.activations.findCallee();
    if (callee.kind === 'direct') this.enter(site, callee.function, resume, recordCall, goTo);
    else this.enterFound(site, callee, resume, recordCall, goTo);
  }

  /** Writes code for the start of a function. The code loads the parameters that are held in registers. */
  begin(): void {
    this.callee.begin();
  }

  /** Writes the start of a region after a call: restores the saved registers and loads the results. */
  resume(instruction: ProgramInstruction, block: number): void {
    const { code, fn, values, shape } = this;
    this.findOpen();
    fn.live.at(block).forEach((place, i) => {
      const type = values.registerType(place);
      code.get(this.open).memory(`${type}.load`, shape.layout.origin + 8 * i);
      values.setPlace(place, type);
    });
    this.callee.activations.findCallee();
    this.callee.take(siteOfCall(instruction));
  }

  /** Writes a return to the caller, and sets the local `region` to the region in which the thread continues. */
  return(region: number): void {
    const { code, shape, frame } = this;
    this.callee.end();
    this.findOpen();
    const load = (field: number): Code =>
      code.get(this.open).i32(-field).op('i32.sub').memory('i32.load', shape.layout.origin);
    frame.store(shape.frame.base, () => load(header.base));
    frame.store(shape.frame.depth, () => {
      frame.load(shape.frame.depth);
      load(header.size).op('i32.sub');
    });
    load(header.region).set(region);
  }

  /** Finds the end of the thread's call stack. */
  private findOpen(): void {
    const { code, frame, locals, shape } = this;
    frame.field('calls').get(locals.thread).i32(alignTo16(shape.callBytes)).op('i32.mul', 'i32.add');
    frame.load(shape.frame.depth).op('i32.add');
    code.set(this.open);
  }

  // --- the callee ----------------------------------------------------------------------------------------------------

  private enter(site: CallSite, index: number, resume: number, recordCall: RecordEngineCall, goTo: GoTo): void {
    const { shape, fn } = this;
    const callee = shape.functions[index] ?? null;
    const region = valueAt(fn.regionAt, resume);
    if (callee === null) {
      this.callee.runBuiltin(site, index, recordCall);
      this.keep(resume, region, false);
      goTo.region(region);
      return;
    }
    this.callee.prepare(site, index, callee.program, recordCall);
    this.keep(resume, region, true);
    goTo.region(callee.firstRegion);
  }

  /**
   * Writes a call through a register. The code that enters the callee is the same for all functions that may be called.
   */
  private enterFound(
    site: CallSite,
    { register, candidates }: IndirectCallee,
    resume: number,
    recordCall: RecordEngineCall,
    goTo: GoTo,
  ): void {
    const { code, shape, values, fn } = this;
    const address = code.local('i64');
    const [index, localBytes, region] = [code.local('i32'), code.local('i32'), code.local('i32')] as const;
    values.getPlace(register, 'i64');
    code.tee(address).call(calleeFinder(shape, candidates)).set(region).set(localBytes).set(index);
    code.get(index).i32(0).op('i32.lt_s');
    code.if(() => {
      for (const candidate of candidates.filter((one) => (shape.functions[one] ?? null) === null)) {
        code.get(address).i64(BigInt(elementAt(shape.kernel.functions, candidate).address));
        code.op('i64.eq').if(() => this.enter(site, candidate, resume, recordCall, goTo));
      }
      code.i32(recordCall({ kind: 'callee', name: site.name })).get(address);
      this.callee.raise();
    });
    this.callee.checkStack(
      recordCall,
      () => code.get(index),
      () => code.get(localBytes),
    );
    this.callee.clearFound(candidates, localBytes);
    this.callee.give(site);
    this.keep(resume, valueAt(fn.regionAt, resume), true);
    goTo.regionIn(region);
  }

  /**
   * Stores an entry of the call stack: first the registers, then the header. For a call to a built-in function, which
   * is not entered, the header is omitted, because the thread restores the registers immediately.
   */
  private keep(resume: number, region: number, entered: boolean): void {
    const { code, shape, fn, frame, values, locals } = this;
    const { origin } = shape.layout;
    const size = callEntry(fn.live, resume);
    this.findOpen();
    fn.live.at(resume).forEach((place, i) => {
      const type = values.registerType(place);
      code.get(this.open);
      values.getPlace(place, type);
      code.memory(`${type}.store`, origin + 8 * i);
    });
    if (!entered) return;
    const store = (field: number, push: () => unknown): void => {
      code.get(this.open);
      push();
      code.memory('i32.store', origin + size + field);
    };
    store(header.region, () => code.i32(region));
    store(header.base, () => (locals.base === null ? code.i32(0) : code.get(locals.base)));
    store(header.size, () => code.i32(size));
    frame.store(shape.frame.base, () => code.get(this.callee.activations.calleeBase));
    frame.store(shape.frame.depth, () => frame.load(shape.frame.depth).i32(size).op('i32.add'));
  }
}
