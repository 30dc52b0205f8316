/**
 * Runs a warp until its threads have to wait for threads of other warps. If the threads diverge, the code of
 * warp-runner.ts runs them. Most diverged threads reconverge before the next barrier, so the engine does not have to
 * find out which threads have arrived there.
 */
import { separatesCalls } from '../../isa/collective.ts';
import { Code } from '../../wasm/code.ts';
import type { FunctionType } from '../../wasm/module.ts';
import { pushField } from '../context-field.ts';
import { outcome, state } from '../layout.ts';
import type { KernelShape } from '../regions/kernel-shape.ts';
import { lanesWith } from './lanes.ts';
import { passFunction } from './passing.ts';
import type { Stop } from './stop.ts';
import { completeFunction, pushState, writeLookup } from './warp-runner.ts';

/** The functions that run lanes while they continue together (`run`) and after they have diverged (`advance`). */
interface WarpFunctions {
  readonly run: number;
  readonly advance: number;
}

/** What happens when all remaining threads of a warp wait at the same stop. */
const fates = { engine: 0, barrier: 1, group: 2 } as const;

function fateAt({ step, plainBarrier }: Stop, { callBytes }: KernelShape): number {
  if (plainBarrier !== null) return fates.barrier;
  // The threads may have arrived through different calls, which only the engine can distinguish.
  const isOpen = step.kind === 'collective' && step.mask === null && (callBytes === 0 || !separatesCalls(step));
  return isOpen ? fates.group : fates.engine;
}

/** The function has the same parameters and the same result as `run`. */
export function unitFunction(shape: KernelShape, type: FunctionType, { run, advance }: WarpFunctions): Code {
  const { helpers, layout, frame } = shape;
  const code = new Code(type.parameters);
  const [context, region, first, behind, members] = [0, 1, 2, 3, 4] as const;
  const [result, words, states, living] = [code.local('i32'), code.local('i32'), code.local('i32'), code.local('i32')];
  const [existing, word, fate] = [code.local('i32'), code.local('i32'), code.local('i32')];
  const lanesAt = (push: () => Code): Code => {
    code.get(states);
    push();
    return code.call(lanesWith(helpers, layout.origin));
  };
  const end = (push: () => Code): void => {
    push().op('return');
  };
  code.i32(-1).i32(32).get(behind).op('i32.sub').get(first).op('i32.add', 'i32.shr_u').set(existing);
  code.loop((again) => {
    for (const parameter of [context, region, first, behind, members]) code.get(parameter);
    code.call(run).tee(result).i32(outcome.mixed).op('i32.ne').get(members).get(existing).op('i32.ne', 'i32.or');
    code.if(() => end(() => code.get(result)));
    pushField(code, layout, 'frames').get(first).i32(2).op('i32.shl', 'i32.add').tee(words);
    code.i32(frame.state).op('i32.add').set(states);
    code.loop((onceMore) => {
      code.get(context).get(first).get(behind).call(advance).op('drop');
      lanesAt(() => code.i32(state.exited))
        .i32(-1)
        .op('i32.xor')
        .get(existing)
        .op('i32.and')
        .tee(living);
      code.op('i32.eqz').if(() => end(() => code.i32(outcome.allExited)));
      pushState(code, shape, states, living);
      code.tee(word).i32(0).op('i32.ge_s');
      lanesAt(() => code.get(word))
        .get(living)
        .op('i32.and')
        .get(living)
        .op('i32.ne', 'i32.or');
      code.if(() => end(() => code.i32(outcome.mixed)));
      const fatesOfStops = shape.stops.map((stop) => fateAt(stop, shape));
      writeLookup(code, () => code.i32(state.waitingAt(0)).get(word).op('i32.sub'), fatesOfStops);
      code.tee(fate).i32(fates.group).op('i32.eq');
      code.if(() => {
        code.get(words).get(first).get(living).call(completeFunction(shape)).br(onceMore);
      });
    });
    code.get(fate).i32(fates.barrier).op('i32.ne').get(living).get(existing).op('i32.ne', 'i32.or');
    code.if(() => end(() => code.i32(outcome.mixed)));
    // If all threads wait at the stop, the outcome is one less than their state word.
    code.get(word).i32(state.after(0)).op('i32.sub').set(result);
    if (shape.yieldsAtStops) end(() => code.get(result));
    for (const parameter of [context, first, behind, members, result]) code.get(parameter);
    code.call(passFunction(shape)).tee(region).i32(0).op('i32.ge_s').brIf(again);
  });
  return code.get(region);
}
