/** Prepares the activation of a callee, and passes arguments and results through it. */
import { type CallSite, storedWidth } from '../../program/call-site.ts';
import type { FunctionProgram, ProgramInstruction } from '../../program/function-program.ts';
import type { RecordEngineCall } from '../engine-call.ts';
import { loads, opcodeFor, stores } from '../memory/access.ts';
import { holder, type Values } from '../regions/values.ts';
import { type ActivationParts, Activations } from './activations.ts';
import { clearFunction, largestUnrolled } from './callees.ts';

/** The code of a caller. */
export interface CallerParts extends ActivationParts {
  readonly values: Values;
}

export class CalleeFrame {
  readonly activations: Activations;
  private readonly parts: CallerParts;

  constructor(parts: CallerParts) {
    this.parts = parts;
    this.activations = new Activations(parts);
  }

  /** Writes code that ends the launch if the callee's activation does not fit on the stack. */
  checkStack(recordCall: RecordEngineCall, pushIndex: () => unknown, pushBytes: () => unknown): void {
    const { code, shape } = this.parts;
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

  /**
   * Writes code that prepares a call to a known function: it checks the stack, clears the function's activation, and
   * stores the arguments.
   */
  prepare(site: CallSite, index: number, { localBytes }: FunctionProgram, recordCall: RecordEngineCall): void {
    const { code } = this.parts;
    this.checkStack(
      recordCall,
      () => code.i32(index),
      () => code.i32(localBytes),
    );
    this.clear(localBytes);
    this.give(site);
  }

  /** Reports a fault. The number of the engine call and its operand must be on the stack. */
  raise(): void {
    const { code, shape, locals } = this.parts;
    code.get(locals.thread).get(locals.fuel).call(shape.helpers.import('raise')).op('unreachable');
  }

  /**
   * Zeroes the callee's activation and the gap between the caller's variables and that activation, because earlier
   * calls may have left other values there.
   */
  clear(bytes: number): void {
    const { code, shape } = this.parts;
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
   * Like `clear`, but for a callee that is found at run time. Most candidates have the same parameters and no
   * variables, so the bytes that all of them need are cleared by individual stores.
   */
  clearFound(candidates: readonly number[], localBytes: number): void {
    const { code, shape } = this.parts;
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

  /** Stores the arguments. */
  give({ parameters }: CallSite): void {
    const { code, values, shape } = this.parts;
    for (const { offset, bytes, value } of parameters) {
      this.activations.at(offset);
      if (value.kind === 'variable') {
        this.activations.own(value);
        this.copy(bytes);
        continue;
      }
      const type = holder(8 * bytes);
      if (value.kind === 'register') values.getPlace(value.place, type);
      else if (type === 'i64') code.i64(BigInt(value.bits));
      else code.i32(Number(BigInt.asIntN(32, BigInt(value.bits))));
      code.memory(opcodeFor(stores, 8 * bytes), shape.layout.origin);
    }
  }

  /** Loads the results. */
  take({ results }: CallSite): void {
    const { code, values, shape } = this.parts;
    for (const { offset, bytes, value } of results) {
      if (value.kind === 'variable') {
        this.activations.own(value);
        this.activations.at(offset);
        this.copy(bytes);
      } else if (value.kind === 'register') {
        this.activations.at(offset).memory(opcodeFor(loads, 8 * bytes), shape.layout.origin);
        values.setPlace(value.place, holder(8 * bytes));
      } else code.op('unreachable');
    }
  }

  /** Copies bytes. The source address is at the top of the stack, and the target address is just below it. */
  private copy(bytes: number): void {
    const { code, shape } = this.parts;
    const { origin } = shape.layout;
    const [from, to] = [code.local('i32'), code.local('i32')] as const;
    code.set(from).set(to);
    if (bytes > largestUnrolled) {
      code.get(to).i32(origin).op('i32.add').get(from).i32(origin).op('i32.add').i32(bytes).copy();
      return;
    }
    let at = 0;
    for (const size of [8, 4, 2, 1] as const) {
      for (; at + size <= bytes; at += size) {
        const width = 8 * size;
        code
          .get(to)
          .get(from)
          .memory(opcodeFor(loads, width), origin + at);
        code.memory(opcodeFor(stores, width), origin + at);
      }
    }
  }

  /**
   * Writes a call to a built-in function. The address of its activation must have been computed by
   * `Activations.findCallee`.
   */
  runBuiltin(site: CallSite, index: number, recordCall: RecordEngineCall): void {
    const { code, shape, locals } = this.parts;
    const fn = shape.kernel.functions[index];
    this.clear(fn?.kind === 'builtin' ? fn.localBytes : 0);
    this.give(site);
    code.i32(recordCall({ kind: 'builtin', fn: index })).get(this.activations.calleeBase);
    code.get(locals.thread).get(locals.fuel).call(shape.helpers.import('builtin'));
  }

  // --- the function's own activation ---------------------------------------------------------------------------------

  /** Writes code for the start of a function. The code loads the parameters that are held in registers. */
  begin(): void {
    const { fn, values, shape } = this.parts;
    if (fn.program.registerParameters.length === 0) return;
    this.activations.findLocal();
    for (const { place, width, offset } of fn.program.registerParameters) {
      const type = holder(width);
      this.activations.atOwn(offset).memory(opcodeFor(loads, storedWidth(width)), shape.layout.origin);
      values.setPlace(place, type);
    }
  }

  /** Writes code for the end of a function. The code stores the results that are held in registers. */
  end(): void {
    const { code, fn, values, shape } = this.parts;
    if (fn.program.registerResults.length === 0) return;
    this.activations.findLocal();
    for (const { place, width, offset } of fn.program.registerResults) {
      this.activations.atOwn(offset);
      values.getPlace(place, holder(width));
      code.memory(opcodeFor(stores, storedWidth(width)), shape.layout.origin);
    }
  }
}

export function siteOfCall({ call, line }: ProgramInstruction): CallSite {
  if (call === null) throw new Error(`the call on line ${line} was not recorded`);
  return call;
}
