/**
 * Calls and returns. To make a call, a thread saves its registers in a new entry of its call stack, and continues in
 * the first region of the callee. When the callee returns, the thread continues in the region after the call. Arguments
 * and results are in local memory (program/call-site.ts).
 */
import { elementAt, valueAt } from '../../base/element-at.ts';
import { type CallSite, type IndirectCallee, storedWidth } from '../../program/call-site.ts';
import type { ProgramInstruction, RegisterFormal } from '../../program/function-program.ts';
import type { Code } from '../../wasm/code.ts';
import type { RecordEngineCall } from '../engine-call.ts';
import type { RegionLocals } from '../lowering.ts';
import { loads, opcodeFor, stores } from '../memory/access.ts';
import type { FunctionShape } from '../regions/function-shape.ts';
import type { KernelShape } from '../regions/kernel-shape.ts';
import type { ThreadFrame } from '../regions/thread-frame.ts';
import { holder, type Values } from '../regions/values.ts';
import { type ActivationParts, Activations } from './activations.ts';
import { callEntry, header } from './call-stack.ts';
import { calleeFinder, clearFunction, largestUnrolled } from './callees.ts';

interface CallerParts extends ActivationParts {
  readonly values: Values;
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
  private readonly activations: Activations;

  constructor(parts: CallerParts) {
    const { code, shape, fn, values, frame, locals } = parts;
    this.code = code;
    this.shape = shape;
    this.fn = fn;
    this.values = values;
    this.frame = frame;
    this.locals = locals;
    this.activations = new Activations(parts);
  }

  /** Writes a call that returns to block `resume`. */
  call(instruction: ProgramInstruction, resume: number, recordCall: RecordEngineCall, goTo: GoTo): void {
    const site = siteOfCall(instruction);
    const { callee } = site;
    this.activations.findCallee();
    if (callee.kind === 'direct') this.enter(site, callee.function, resume, recordCall, goTo);
    else this.enterFound(site, callee, resume, recordCall, goTo);
  }

  /** Writes a call to a built-in function. The thread continues immediately after such a call, in the same region. */
  callBuiltin(instruction: ProgramInstruction, recordCall: RecordEngineCall): void {
    const site = siteOfCall(instruction);
    if (site.callee.kind !== 'direct') throw new Error('a built-in function can only be called by name');
    this.activations.findCallee();
    this.runBuiltin(site, site.callee.function, recordCall);
    this.take(site);
  }

  /** Writes the start of a region after a call: restores the saved registers and loads the results. */
  resume(instruction: ProgramInstruction, block: number): void {
    const { code, fn, values, shape } = this;
    this.activations.findOpen();
    fn.live.at(block).forEach((place, i) => {
      const type = values.registerType(place);
      code.get(this.activations.open).memory(`${type}.load`, shape.layout.origin + 8 * i);
      values.setPlace(place, type);
    });
    this.activations.findCallee();
    this.take(siteOfCall(instruction));
  }

  /** Writes a return to the caller, and sets the local `region` to the region in which the thread continues. */
  return(region: number): void {
    const { code, shape, frame, fn } = this;
    this.activations.findLocal();
    for (const formal of fn.program.registerResults) this.storeFormal(formal);
    this.activations.findOpen();
    const load = (field: number): Code =>
      code.get(this.activations.open).i32(-field).op('i32.sub').memory('i32.load', shape.layout.origin);
    frame.store(shape.frame.base, () => load(header.base));
    frame.store(shape.frame.depth, () => {
      frame.load(shape.frame.depth);
      load(header.size).op('i32.sub');
    });
    load(header.region).set(region);
  }

  /** Writes code for the start of a function. The code loads the parameters that are held in registers. */
  begin(): void {
    const { fn, values, shape } = this;
    if (fn.program.registerParameters.length === 0) return;
    this.activations.findLocal();
    for (const { place, width, offset } of fn.program.registerParameters) {
      const type = holder(width);
      this.activations.atOwn(offset).memory(opcodeFor(loads, storedWidth(width)), shape.layout.origin);
      values.setPlace(place, type);
    }
  }

  // --- the callee -----------------------------------------------------------------------------------------------------

  private enter(site: CallSite, index: number, resume: number, recordCall: RecordEngineCall, goTo: GoTo): void {
    const { code, shape, fn } = this;
    const callee = shape.functions[index] ?? null;
    const region = valueAt(fn.regionAt, resume);
    if (callee === null) {
      this.runBuiltin(site, index, recordCall);
      this.keep(resume, region, false);
      goTo.region(region);
      return;
    }
    const { localBytes } = callee.program;
    this.checkStack(
      recordCall,
      () => code.i32(index),
      () => code.i32(localBytes),
    );
    this.clear(localBytes);
    this.give(site);
    this.keep(resume, region, true);
    goTo.region(callee.firstRegion);
  }

  /** Writes a call through a register. The code that enters the callee is the same for all functions it may be. */
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
      this.raise();
    });
    this.checkStack(
      recordCall,
      () => code.get(index),
      () => code.get(localBytes),
    );
    this.clearFound(candidates, localBytes);
    this.give(site);
    this.keep(resume, valueAt(fn.regionAt, resume), true);
    goTo.regionIn(region);
  }

  /** Writes code that ends the launch if the callee's activation does not fit on the stack. */
  private checkStack(recordCall: RecordEngineCall, pushIndex: () => unknown, pushBytes: () => unknown): void {
    const { code, shape } = this;
    if (!shape.kernel.recursive) return;
    code.get(this.activations.calleeBase);
    pushBytes();
    code.op('i32.add').i32(shape.kernel.stackBytes).op('i32.gt_u');
    code.if(() => {
      code.i32(recordCall({ kind: 'stack' }));
      pushIndex();
      code
        .op('i64.extend_i32_u')
        .i64(32n)
        .op('i64.shl')
        .get(this.activations.calleeBase)
        .op('i64.extend_i32_u', 'i64.or');
      this.raise();
    });
  }

  private runBuiltin(site: CallSite, index: number, recordCall: RecordEngineCall): void {
    const { code, shape, locals } = this;
    const fn = shape.kernel.functions[index];
    this.clear(fn?.kind === 'builtin' ? fn.localBytes : 0);
    this.give(site);
    code
      .i32(recordCall({ kind: 'builtin', fn: index }))
      .get(this.activations.calleeBase)
      .get(locals.thread)
      .get(locals.fuel);
    code.call(shape.helpers.import('builtin'));
  }

  /**
   * Stores an entry of the call stack: first the registers, then the header. For a call to a built-in function, which
   * is not entered, the header is omitted, because the thread restores the registers immediately.
   */
  private keep(resume: number, region: number, entered: boolean): void {
    const { code, shape, fn, frame, values, locals } = this;
    const { origin } = shape.layout;
    const size = callEntry(fn.live, resume);
    this.activations.findOpen();
    fn.live.at(resume).forEach((place, i) => {
      const type = values.registerType(place);
      code.get(this.activations.open);
      values.getPlace(place, type);
      code.memory(`${type}.store`, origin + 8 * i);
    });
    if (!entered) return;
    const store = (field: number, push: () => unknown): void => {
      code.get(this.activations.open);
      push();
      code.memory('i32.store', origin + size + field);
    };
    store(header.region, () => code.i32(region));
    store(header.base, () => (locals.base === null ? code.i32(0) : code.get(locals.base)));
    store(header.size, () => code.i32(size));
    frame.store(shape.frame.base, () => code.get(this.activations.calleeBase));
    frame.store(shape.frame.depth, () => frame.load(shape.frame.depth).i32(size).op('i32.add'));
  }

  /**
   * Zeroes the callee's activation and the gap between the caller's variables and that activation, because earlier
   * calls may have left other values there.
   */
  private clear(bytes: number): void {
    const { code, shape } = this;
    const gap = this.activations.gap();
    const size = gap + bytes;
    if (size > largestUnrolled) {
      this.activations.at(-gap).i32(shape.layout.origin).op('i32.add').i32(0).i32(size).fill();
      return;
    }
    const start = code.local('i32');
    this.activations.at(-gap).set(start);
    // There are at least 8 bytes to clear. The last store can therefore overlap with the one before it, instead of
    // writing beyond the end.
    for (let at = 0; at < size; at += 8) {
      code
        .get(start)
        .i64(0n)
        .memory('i64.store', shape.layout.origin + Math.min(at, size - 8));
    }
  }

  /**
   * Like `clear`, for a callee that is found at run time. Most candidates have the same parameters and no variables, so
   * what all of them need is cleared by single stores.
   */
  private clearFound(candidates: readonly number[], localBytes: number): void {
    const { code, shape } = this;
    const sizes = candidates.flatMap((candidate) => shape.functions[candidate]?.program.localBytes ?? []);
    const least = sizes.reduce((a, b) => Math.min(a, b), largestUnrolled);
    this.clear(least);
    if (sizes.every((size) => size === least)) return;
    const gap = this.activations.gap();
    code.get(localBytes).i32(least).op('i32.gt_u');
    code.if(() => {
      this.activations.at(-gap).i32(gap).get(localBytes).op('i32.add');
      code.call(clearFunction(shape));
    });
  }

  // --- arguments and results ------------------------------------------------------------------------------------------

  private give({ parameters }: CallSite): void {
    const { code, values, shape } = this;
    for (const { offset, bytes, value } of parameters) {
      this.activations.at(offset);
      if (value.kind === 'variable') {
        code.i32(shape.layout.origin).op('i32.add');
        this.activations.own(value).i32(bytes).copy();
        continue;
      }
      const type = holder(8 * bytes);
      if (value.kind === 'register') values.getPlace(value.place, type);
      else if (type === 'i64') code.i64(BigInt(value.bits));
      else code.i32(Number(BigInt.asIntN(32, BigInt(value.bits))));
      code.memory(opcodeFor(stores, 8 * bytes), shape.layout.origin);
    }
  }

  private take({ results }: CallSite): void {
    const { code, values, shape } = this;
    for (const { offset, bytes, value } of results) {
      if (value.kind === 'variable') {
        this.activations.own(value);
        this.activations.at(offset).i32(shape.layout.origin).op('i32.add').i32(bytes).copy();
      } else if (value.kind === 'register') {
        this.activations.at(offset).memory(opcodeFor(loads, 8 * bytes), shape.layout.origin);
        values.setPlace(value.place, holder(8 * bytes));
      } else code.op('unreachable');
    }
  }

  private storeFormal({ place, width, offset }: RegisterFormal): void {
    const { values, shape } = this;
    this.activations.atOwn(offset);
    values.getPlace(place, holder(width));
    this.code.memory(opcodeFor(stores, storedWidth(width)), shape.layout.origin);
  }

  private raise(): void {
    const { code, shape, locals } = this;
    code.get(locals.thread).get(locals.fuel).call(shape.helpers.import('raise')).op('unreachable');
  }
}

function siteOfCall({ call, line }: ProgramInstruction): CallSite {
  if (call === null) throw new Error(`the call on line ${line} was not recorded`);
  return call;
}
