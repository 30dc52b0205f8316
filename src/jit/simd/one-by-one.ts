/**
 * Writes code that runs four threads one after the other, either because they have diverged or because only some of
 * them run.
 */
import { elementAt } from '../../base/element-at.ts';
import type { Code, Label } from '../../wasm/code.ts';
import type { OutcomeCounts } from '../groups/outcome-counts.ts';
import { context, outcome, state } from '../layout.ts';
import type { RegionLocals } from '../lowering.ts';
import type { AloneFunctions } from '../regions/alone.ts';
import type { FunctionShape } from '../regions/function-shape.ts';
import type { KernelShape } from '../regions/kernel-shape.ts';
import { goesOn, soleOutcome, stopsIn } from '../regions/region-facts.ts';
import type { VectorFrame } from './vector-frame.ts';
import { laneCount } from './vectors.ts';

interface FourCode {
  readonly code: Code;
  readonly shape: KernelShape;
  readonly fn: FunctionShape;
  /** The indices of the functions that run one thread at a time. */
  readonly functions: AloneFunctions;
  readonly frame: VectorFrame;
  readonly counts: OutcomeCounts;
  readonly locals: RegionLocals;
  /** Local that contains one bit for each of the four threads; the bit is 1 if the thread is a member. */
  readonly fourMembers: number;
  /** Returns the label that ends the code for the four threads. */
  readonly endOfThread: () => Label;
}

export class OneByOne {
  private readonly parts: FourCode;

  constructor(parts: FourCode) {
    this.parts = parts;
  }

  storeFuel(): void {
    const { code, locals, shape } = this.parts;
    code
      .get(0)
      .get(locals.fuel)
      .memory('i32.store', shape.layout.origin + context.fuel);
  }

  /**
   * Writes code that runs the members among the four threads, one after the other, starting at the given basic block.
   * The registers of these threads must be in the frame.
   */
  from(block: number): void {
    const { code, fn, shape, counts, endOfThread } = this.parts;
    const result = code.local('i32');
    const number = fn.regionAt.get(block) ?? -1;
    this.run(number);
    code.set(result);
    if (shape.hasStates && counts.sole === null) {
      this.writeStates(number);
      this.count(number, result);
    }
    code.br(endOfThread());
  }

  /**
   * Writes code that runs the members through a region, after which they continue together. At the end of the region,
   * the registers that the members have changed are in the frame.
   */
  through(region: number): void {
    this.run(region);
    this.parts.code.op('drop');
  }

  /** Pushes the outcome. */
  private run(region: number): void {
    const { code, functions, locals, shape, frame, fourMembers } = this.parts;
    this.storeFuel();
    code.get(0).get(locals.thread).get(locals.thread).i32(laneCount).op('i32.add');
    if (shape.inWarps) code.get(fourMembers).get(locals.thread).op('i32.shl');
    else code.i32(-1);
    code.call(elementAt(functions, region));
    frame.field('fuel').set(locals.fuel);
  }

  /** Counts the members if all of them have the same outcome, which is in the local `result`. */
  private count(number: number, result: number): void {
    const { code, fn, shape, counts, fourMembers } = this.parts;
    const region = elementAt(fn.regions, number - fn.firstRegion);
    const pushMembers = (): Code => (shape.inWarps ? code.get(fourMembers).op('i32.popcnt') : code.i32(laneCount));
    const count = (expected: number, counter: number): void => {
      code.get(result).i32(expected).op('i32.eq');
      code.if(() => {
        code.get(counter);
        pushMembers().op('i32.add').set(counter);
      });
    };
    count(outcome.allExited, counts.exited);
    for (const stop of stopsIn(fn, region)) count(outcome.allAt(stop), counts.come(stop));
    if (!goesOn(fn, region)) return;
    const found = counts.found();
    code.get(result).i32(0).op('i32.ge_s');
    code.if(() => {
      code
        .get(found.count)
        .op('i32.eqz')
        .if(() => code.get(result).set(found.region));
      pushMembers().i32(0).get(result).get(found.region).op('i32.eq', 'select');
      code.get(found.count).op('i32.add').set(found.count);
    });
  }

  /**
   * Writes the states of the four threads, because the function for single threads does not write them if the region
   * has only one possible outcome (`soleOutcome`).
   */
  private writeStates(number: number): void {
    const { code, fn, shape, frame } = this.parts;
    const sole = soleOutcome(fn, elementAt(fn.regions, number - fn.firstRegion));
    if (sole === null) return;
    const all = (array: number, word: number): void =>
      frame.store(array, 'i32', () => code.i32(word).vector('i32x4.splat'));
    all(shape.frame.state, state.after(sole));
    const mask = sole <= outcome.allAt(0) ? shape.stops[outcome.stopOf(sole)]?.constantMask : undefined;
    if (typeof mask === 'number') all(shape.frame.mask, mask);
  }
}
