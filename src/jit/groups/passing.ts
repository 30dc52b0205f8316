/**
 * Lets threads continue after a stop without a call to the engine, if all threads that they wait for have arrived
 * there.
 */
import { elementAt } from '../../base/element-at.ts';
import { separatesCalls } from '../../isa/collective.ts';
import type { Code } from '../../wasm/code.ts';
import type { FunctionType } from '../../wasm/module.ts';
import { writeChoice } from '../choose.ts';
import { pushField } from '../context-field.ts';
import { exchangeType, groupExchange } from './exchange.ts';
import { constantAt } from '../../program/constant-at.ts';
import type { KernelShape } from '../regions/kernel-shape.ts';
import { lanesWith } from './lanes.ts';
import { outcome, state } from '../layout.ts';
import { writeFixedShuffle, writeShuffle } from './shuffle.ts';
import type { Stop } from './stop.ts';

const allLanes = -1;

/**
 * The parameters are the context, the first thread, the end of the thread range, the members, and the outcome of
 * running the members. The result is the region after the stop if the members can continue, otherwise the outcome that
 * was passed in.
 */
const passType: FunctionType = { parameters: ['i32', 'i32', 'i32', 'i32', 'i32'], results: ['i32'] };

const [first, behind, members, result] = [1, 2, 3, 4] as const;

/** Returns the index of the function to call when all threads that were run have reached the same stop. */
export function passFunction(shape: KernelShape): number {
  const { helpers, stops } = shape;
  return helpers.function('pass', passType, (code) => {
    const words = code.local('i32');
    if (shape.inWarps) pushField(code, shape.layout, 'frames').get(first).i32(2).op('i32.shl', 'i32.add').set(words);
    const pushNumber = (): Code => code.i32(outcome.allAt(0)).get(result).op('i32.sub');
    writeChoice(code, stops.length, pushNumber, (number, done) => {
      const stop = elementAt(stops, number);
      const goOn = (): void => {
        code.i32(stop.region).op('return');
      };
      if (stop.step.kind === 'collective') passCollective(code, shape, stop, words, goOn);
      else if (stop.plainBarrier !== null) passBarrier(code, shape, goOn);
      code.br(done);
    });
    code.get(result);
  });
}

/** Writes code for a block-wide barrier. If all threads of the block have just run, they continue. */
function passBarrier(code: Code, shape: KernelShape, goOn: () => void): void {
  if (shape.inWarps) code.get(members).op('i32.popcnt');
  else code.get(behind).get(first).op('i32.sub');
  pushField(code, shape.layout, 'threads').op('i32.eq').if(goOn);
}

/**
 * If the group is complete, exchanges values between its threads and lets them continue. The thread range is a single
 * warp, because at these stops, threads wait only for threads of their own warp.
 */
function passCollective(code: Code, shape: KernelShape, stop: Stop, words: number, goOn: () => void): void {
  const { step, program } = stop;
  // The threads may have arrived through different calls, which only the engine can distinguish.
  if (step.kind === 'collective' && separatesCalls(step) && !program.entry) return;
  const mask = maskOf(stop);
  const toAll = (exchange: number) => (): void => {
    code.get(words).get(first).get(members).call(exchange);
    goOn();
  };
  if (mask === 'varies') {
    const fixed = fixedExchange(shape, stop);
    code.get(words).get(first).get(behind).get(members).call(groupsFunction(shape));
    code.if(toAll(fixed ?? eachGroup(shape, stop)));
    return;
  }
  const wanted = mask === 'none' ? allLanes : mask;
  const exchange = fixedExchange(shape, stop) ?? exchangeOf(shape, stop);
  code.get(members).i32(wanted).op('i32.eq').if(toAll(exchange));
  code.get(words).get(first).get(behind).get(members).i32(wanted).call(missingFunction(shape)).op('i32.eqz');
  code.get(members).i32(~wanted).op('i32.and', 'i32.eqz', 'i32.and').if(toAll(exchange));
}

/**
 * Returns the mask of a group if it is constant. Returns `none` for operations without a mask, whose group consists of
 * all threads that have arrived.
 */
function maskOf({ step, constantMask }: Stop): number | 'none' | 'varies' {
  if (step.kind !== 'collective' || step.mask === null) return 'none';
  return constantMask ?? 'varies';
}

// --- which threads have arrived -------------------------------------------------------------------------------------

/**
 * Returns the index of a function whose parameters are the address of the warp's words, the first thread, the end of
 * the thread range, the members, and a mask. The function returns the lanes of the mask that have not arrived.
 */
function missingFunction({ helpers, layout, frame }: KernelShape): number {
  const type = { parameters: ['i32', 'i32', 'i32', 'i32', 'i32'], results: ['i32'] } as const;
  return helpers.function('missing', type, (code) => {
    const missing = code.local('i32');
    code.i32(-1).i32(32).get(2).op('i32.sub').get(1).op('i32.add', 'i32.shr_u');
    code.get(4).get(3).i32(-1).op('i32.xor', 'i32.and', 'i32.and').tee(missing).op('i32.eqz');
    code.if(() => code.i32(0).op('return'));
    code.get(0).i32(frame.state).op('i32.add').i32(state.exited).call(lanesWith(helpers, layout.origin));
    code.i32(-1).op('i32.xor').get(missing).op('i32.and');
  });
}

/**
 * Returns the index of a function whose parameters are the address of the warp's words, the first thread, the end of
 * the thread range, and the members. The function returns 1 if the members form complete groups according to their
 * masks, otherwise 0.
 */
function groupsFunction(shape: KernelShape): number {
  const { helpers, layout, frame } = shape;
  const type = { parameters: ['i32', 'i32', 'i32', 'i32'], results: ['i32'] } as const;
  return helpers.function('groups', type, (code) => {
    const [left, mask, lanes] = [code.local('i32'), code.local('i32'), code.local('i32')];
    code.get(3).set(left);
    code.loop((again) => {
      code.get(0).i32(frame.mask).op('i32.add');
      pushMask(code, shape, left);
      code.tee(mask).call(lanesWith(helpers, layout.origin)).get(3).op('i32.and').tee(lanes);
      code
        .get(mask)
        .get(3)
        .op('i32.and', 'i32.ne')
        .if(() => code.i32(0).op('return'));
      code
        .get(0)
        .get(1)
        .get(2)
        .get(3)
        .get(mask)
        .call(missingFunction(shape))
        .if(() => code.i32(0).op('return'));
      code.get(left).get(lanes).op('i32.xor').tee(left).brIf(again);
    });
    code.i32(1);
  });
}

/** Pushes the mask of the lowest lane in a set. Local 0 is the address of the warp's words. */
function pushMask(code: Code, { layout, frame }: KernelShape, lanes: number): void {
  code.get(0).get(lanes).op('i32.ctz').i32(2).op('i32.shl', 'i32.add');
  code.memory('i32.load', layout.origin + frame.mask);
}

// --- exchanging values ----------------------------------------------------------------------------------------------

/** Returns the index of the function that handles one group whose members are all at this stop. */
function exchangeOf(shape: KernelShape, stop: Stop): number {
  const { step, receives } = stop;
  if (step.kind !== 'collective') throw new Error('only a collective exchanges values');
  if (step.fn.form !== 'shfl') return groupExchange(shape, step.fn);
  const bounds = sentConstant(stop, 2);
  if (bounds === null) return groupExchange(shape, step.fn);
  const group = { mode: step.fn.mode, bounds, tellsBounds: receives[1] !== null };
  const key = `exchange ${JSON.stringify(group)}`;
  return shape.helpers.function(key, exchangeType, (code) => writeShuffle(code, shape, group));
}

/** The constant that all threads send in the given array; null if they may send different values. */
function sentConstant({ step, program, instruction }: Stop, array: number): number | null {
  const ref = step.from[array];
  const constant = ref === undefined ? null : constantAt(program, instruction.places.get(ref) ?? -1);
  return typeof constant === 'number' ? constant : null;
}

/** Returns the index of the function that handles several groups, one after the other. */
function eachGroup(shape: KernelShape, stop: Stop): number {
  const exchange = exchangeOf(shape, stop);
  return shape.helpers.function(`each group ${exchange}`, exchangeType, (code) => {
    const [left, group] = [code.local('i32'), code.local('i32')];
    code.get(2).set(left);
    code.loop((again) => {
      pushMask(code, shape, left);
      code.get(2).op('i32.and').set(group);
      code.get(0).get(1).get(group).call(exchange);
      code.get(left).get(group).op('i32.xor').tee(left).brIf(again);
    });
  });
}

/**
 * Returns the index of the function that handles all groups at once. Null unless the lane and bounds operands of the
 * instruction are constants.
 */
function fixedExchange(shape: KernelShape, stop: Stop): number | null {
  const { step, receives } = stop;
  if (step.kind !== 'collective' || step.fn.form !== 'shfl') return null;
  const [operand, bounds] = [sentConstant(stop, 1), sentConstant(stop, 2)];
  if (operand === null || bounds === null) return null;
  const tellsBounds = receives[1] !== null;
  const { mode } = step.fn;
  const fixed = { mode, operand, bounds, tellsBounds, masked: maskOf(stop) === 'varies' };
  const key = `exchange ${JSON.stringify(fixed)}`;
  return shape.helpers.function(key, exchangeType, (code) => writeFixedShuffle(code, shape, fixed), true);
}
