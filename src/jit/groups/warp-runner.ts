/**
 * Runs the threads of a warp that have diverged. Threads that continue at the same place in the code run together,
 * until each of them has ended, has paused or is waiting for other threads. A group continues once all its members have
 * arrived (machine/collectives.ts defines the groups).
 */
import { elementAt } from '../../base/element-at.ts';
import { quadOf } from '../../base/tuples.ts';
import { keyOf } from '../../isa/collective.ts';
import type { Code } from '../../wasm/code.ts';
import type { FunctionType } from '../../wasm/module.ts';
import { writeChoice } from '../choose.ts';
import { pushField } from '../context-field.ts';
import { exchangeType, groupExchange } from './exchange.ts';
import type { KernelShape } from '../regions/kernel-shape.ts';
import { giveLanes, lanesNotNegative, lanesWith } from './lanes.ts';
import { advanced, outcome, state } from '../layout.ts';
import { recordOf } from '../../base/records.ts';

/** The value that is used instead of an operation number for threads that are not waiting in a group with a mask. */
const noGroup = -1;

/**
 * The parameters are the context, the first thread of the warp, and the end of its thread range. The result consists of
 * the bits in `advanced`.
 */
const advanceType: FunctionType = { parameters: ['i32', 'i32', 'i32'], results: ['i32'] };

/** @param run the index of the function that runs members of a warp, starting at a given region */
export function advanceFunction(shape: KernelShape, run: number): number {
  const { helpers, frame, layout } = shape;
  const [context, first, behind] = [0, 1, 2] as const;
  return helpers.function('advance', advanceType, (code) => {
    const [words, states, existing] = [code.local('i32'), code.local('i32'), code.local('i32')];
    const [idle, ready, members] = [code.local('i32'), code.local('i32'), code.local('i32')];
    const [region, said, result] = [code.local('i32'), code.local('i32'), code.local('i32')];
    const turns = { together: code.local('i32'), apart: code.local('i32') };
    const lanesAt = (push: () => Code): Code => {
      code.get(states);
      push();
      return code.call(lanesWith(helpers, layout.origin));
    };
    pushField(code, layout, 'frames').get(first).i32(2).op('i32.shl', 'i32.add').set(words);
    code.get(words).i32(frame.state).op('i32.add').set(states);
    code.i32(-1).i32(32).get(behind).op('i32.sub').get(first).op('i32.add', 'i32.shr_u').set(existing);
    code.loop((again) => {
      if (shape.stops.length > 0)
        code.get(words).get(first).get(existing).call(sweepFunction(shape)).get(said).op('i32.or').set(said);
      // Threads that have paused do not run again until the other threads of the block have had a chance to run.
      code.get(states).call(lanesNotNegative(helpers, layout.origin)).get(existing).op('i32.and');
      code.get(idle).i32(-1).op('i32.xor', 'i32.and').tee(ready);
      code.if(() => {
        if (shape.catchesUp) code.get(states).get(ready).call(leastRegion(shape));
        else pushState(code, shape, states, ready);
        code.i32(~state.paused).op('i32.and').set(region);
        lanesAt(() => code.get(region));
        lanesAt(() => code.get(region).i32(state.paused).op('i32.or'));
        code.op('i32.or').get(ready).op('i32.and').set(members);
        code.get(context).get(region).get(first).get(behind).get(members).call(run).tee(result).i32(outcome.mixed);
        code.op('i32.lt_s').if(() => {
          code
            .get(states)
            .get(members)
            .get(result)
            .i32(state.after(0))
            .op('i32.add')
            .call(giveLanes(helpers, layout.origin));
          giveConstantMask(code, shape, { words, members, result });
        });
        if (shape.catchesUp) pauseNowAndThen(code, shape, { states, ready, members, result, turns });
        pausedLanes(code, shape, states);
        code.get(members).op('i32.and').get(idle).op('i32.or').set(idle);
        // Members that continue in another region may only be waiting in a loop, so this does not count as progress.
        // They run again until they pause, stop or end.
        code.get(states).call(lanesNotNegative(helpers, layout.origin)).get(members).op('i32.and').get(members);
        code.op('i32.ne').get(said).op('i32.or').set(said);
        if (shape.yieldsAtStops) pushField(code, layout, 'stopsLeft').i32(0).op('i32.ge_s').brIf(again);
        else code.br(again);
      });
    });
    code.get(said).i32(advanced.runnable).i32(0).get(idle).op('select', 'i32.or');
  });
}

/**
 * Number of consecutive times that lanes may continue in another region before they pause. They pause because they may
 * be waiting for other threads, which can then run. `together` applies if all lanes that can run are at the same place;
 * otherwise, `apart` applies. `apart` is much larger, because a pause allows the lanes that are ahead to continue
 * without the lanes that are behind.
 */
const runsPerTurn = { together: 64, apart: 1 << 14 } as const;

/** Makes the members pause if they continue in another region and have already done so too many times in a row. */
function pauseNowAndThen(
  code: Code,
  { helpers, layout }: KernelShape,
  locals: Readonly<Record<'states' | 'ready' | 'members' | 'result', number>> & {
    readonly turns: Readonly<Record<keyof typeof runsPerTurn, number>>;
  },
): void {
  const { states, ready, members, result, turns } = locals;
  const count = (how: keyof typeof runsPerTurn): void => {
    code.get(turns[how]).i32(1).op('i32.add').tee(turns[how]).i32(runsPerTurn[how]).op('i32.ge_u');
    code.unlikely().if(() => {
      code.i32(0).set(turns[how]);
      code.get(states).get(members).get(result).i32(state.paused).op('i32.or').call(giveLanes(helpers, layout.origin));
    });
  };
  code.get(result).i32(0).op('i32.ge_s');
  code.if(() => {
    code.get(members).get(ready).op('i32.eq');
    code.if(
      () => {
        code.i32(0).set(turns.apart);
        count('together');
      },
      () => count('apart'),
    );
  });
}

/**
 * If all members have reached the same stop and its mask is constant, stores the mask for each member, because the code
 * of the members does not always store a constant mask.
 */
function giveConstantMask(
  code: Code,
  { helpers, layout, frame, stops }: KernelShape,
  { words, members, result }: Readonly<Record<'words' | 'members' | 'result', number>>,
): void {
  code.block((done) => {
    code.get(result).i32(outcome.allExited).op('i32.eq').brIf(done);
    const pushStop = (): Code => code.i32(outcome.allAt(0)).get(result).op('i32.sub');
    writeChoice(code, stops.length, pushStop, (number, chosen) => {
      const { constantMask } = elementAt(stops, number);
      if (constantMask !== null) {
        code.get(words).i32(frame.mask).op('i32.add').get(members).i32(constantMask);
        code.call(giveLanes(helpers, layout.origin));
      }
      code.br(chosen);
    });
  });
}

/** Pushes the set of lanes that have paused. In the state word of a paused lane, the second-highest bit is 1. */
function pausedLanes(code: Code, { helpers, layout }: KernelShape, states: number): void {
  const type = { parameters: ['i32'], results: ['i32'] } as const;
  const index = helpers.function('paused lanes', type, (inner) => {
    const lanes = inner.local('i32');
    for (let quad = 7; quad >= 0; quad--) {
      inner
        .get(lanes)
        .i32(4)
        .op('i32.shl')
        .get(0)
        .vectorMemory('v128.load', layout.origin + 16 * quad);
      inner.i32(state.paused).vector('i32x4.splat', 'i32x4.ge_s', 'i32x4.bitmask').op('i32.or').set(lanes);
    }
    inner.get(lanes);
  });
  code.get(states).call(index);
}

/** Pushes the state word of the lowest lane in a set. */
export function pushState(code: Code, { layout }: KernelShape, states: number, lanes: number): void {
  code.get(states).get(lanes).op('i32.ctz').i32(2).op('i32.shl', 'i32.add').memory('i32.load', layout.origin);
}

/**
 * Returns the index of a function that takes the address of the state words and a set of lanes that can run, and
 * returns the first region, in program order, in which any of these lanes continues. Lanes that are behind run first,
 * so that the lanes of a warp reconverge after they have taken different branches.
 */
function leastRegion(shape: KernelShape): number {
  return shape.helpers.function('least region', { parameters: ['i32', 'i32'], results: ['i32'] }, (code) => {
    const [states, lanes] = [0, 1] as const;
    const [region, least] = [code.local('i32'), code.local('i32')];
    code.i32(-1).set(least);
    code.loop((again) => {
      pushState(code, shape, states, lanes);
      code.i32(~state.paused).op('i32.and').tee(region).get(least);
      code.get(region).get(least).op('i32.lt_u', 'select').set(least);
      code.get(lanes).get(lanes).i32(1).op('i32.sub', 'i32.and').tee(lanes).brIf(again);
    });
    code.get(least);
  });
}

/** The locals of the sweep function: first its parameters, then locals that hold sets of lanes, words and addresses. */
const sweepLocals = [
  'words',
  'first',
  'existing',
  'states',
  'waiting',
  'word',
  'what',
  'mask',
  'members',
  'rest',
  'same',
  'said',
] as const;

type SweepLocal = (typeof sweepLocals)[number];

/** Writes the code for one pass over all waiting groups of a warp. */
class SweepWriter {
  private readonly shape: KernelShape;
  private readonly code: Code;
  private readonly locals: Readonly<Record<SweepLocal, number>>;

  constructor(shape: KernelShape, code: Code) {
    this.shape = shape;
    this.code = code;
    this.locals = recordOf(sweepLocals, (name) => {
      const index = sweepLocals.indexOf(name);
      return index < 3 ? index : code.local('i32');
    });
  }

  write(): void {
    const { code, shape, locals } = this;
    const { helpers, frame, layout } = shape;
    const { words, existing, states, waiting, word, what, members, same, said } = locals;
    code.get(words).i32(frame.state).op('i32.add').set(states);
    code.get(states).call(lanesNotNegative(helpers, layout.origin)).i32(-1).op('i32.xor').get(existing);
    code.op('i32.and').set(waiting);
    code.i32(state.exited).set(word);
    this.withState(word).set(same);
    this.drop(waiting, same);
    this.drop(existing, same);
    code.block((done) => {
      code.loop((again) => {
        code.get(waiting).op('i32.eqz').brIf(done);
        pushState(code, shape, states, waiting);
        code.tee(word).call(whatFunction(shape)).set(what);
        this.withState(word).get(waiting).op('i32.and').set(members);
        code.get(what).i32(noGroup).op('i32.eq');
        code.if(() => {
          this.drop(waiting, members);
          code.br(again);
        });
        this.addOthers();
        this.drop(waiting, members);
        this.complete();
        code.br(again);
      });
    });
    code.get(said);
  }

  /**
   * Adds further lanes to the group: lanes that wait at a different instruction, but for the same operation and with
   * the same mask.
   */
  private addOthers(): void {
    const { code, shape, locals } = this;
    const { helpers, frame, layout } = shape;
    const { words, states, waiting, word, what, mask, members, rest, same } = locals;
    code.get(words).get(waiting).op('i32.ctz').i32(2).op('i32.shl', 'i32.add');
    code.memory('i32.load', layout.origin + frame.mask).set(mask);
    code.get(words).i32(frame.mask).op('i32.add').get(mask).call(lanesWith(helpers, layout.origin));
    code.get(waiting).op('i32.and').tee(rest).get(members).op('i32.and').set(members);
    this.drop(rest, members);
    code.loop((next) => {
      code.get(rest).if(() => {
        pushState(code, shape, states, rest);
        code.set(word);
        this.withState(word).get(rest).op('i32.and').set(same);
        code.get(word).call(whatFunction(shape)).get(what).op('i32.eq');
        code.if(() => code.get(members).get(same).op('i32.or').set(members));
        this.drop(rest, same);
        code.br(next);
      });
    });
  }

  /**
   * If any member is outside the mask, sets the bit `advanced.outside`. Otherwise, lets the members continue if every
   * existing lane in the mask is a member.
   */
  private complete(): void {
    const { code, shape } = this;
    const { words, first, existing, mask, members, said } = this.locals;
    code.get(members).get(mask).i32(-1).op('i32.xor', 'i32.and');
    code.if(
      () => code.get(said).i32(advanced.outside).op('i32.or').set(said),
      () => {
        code.get(mask).get(existing).op('i32.and').get(members).i32(-1).op('i32.xor', 'i32.and', 'i32.eqz');
        code.if(() => {
          code.get(words).get(first).get(members).call(completeFunction(shape));
          code.get(said).i32(advanced.moved).op('i32.or').set(said);
        });
      },
    );
  }

  /** Pushes the set of lanes whose state word equals the word in a local. */
  private withState(local: number): Code {
    const { helpers, layout } = this.shape;
    return this.code.get(this.locals.states).get(local).call(lanesWith(helpers, layout.origin));
  }

  /** Removes lanes from a set. */
  private drop(set: number, lanes: number): void {
    this.code.get(set).get(lanes).i32(-1).op('i32.xor', 'i32.and').set(set);
  }
}

/**
 * Returns the index of a function that lets complete groups continue. It takes the address of the warp's words, the
 * first thread, and the set of existing lanes, and returns the bits in `advanced`.
 */
function sweepFunction(shape: KernelShape): number {
  const type = { parameters: ['i32', 'i32', 'i32'], results: ['i32'] } as const;
  return shape.helpers.function('sweep', type, (code) => new SweepWriter(shape, code).write());
}

/**
 * Returns the index of a function that delivers the results to a group and lets the group continue. The function takes
 * the address of the warp's words, the first thread, and the members of the group.
 */
export function completeFunction(shape: KernelShape): number {
  const { helpers, frame, layout } = shape;
  return helpers.function('complete', exchangeType, (code) => {
    const [words, first, members] = [0, 1, 2] as const;
    const [states, left, word, same] = quadOf([0, 0, 0, 0].map(() => code.local('i32')));
    code.get(words).i32(frame.state).op('i32.add').set(states);
    pushState(code, shape, states, members);
    code.set(word);
    const pushStop = (): Code => code.i32(state.waitingAt(0)).get(word).op('i32.sub');
    const collectives = shape.stops.map(({ step }) => (step.kind === 'collective' ? step.fn : null));
    writeChoice(code, collectives.length, pushStop, (number, done) => {
      const collective = elementAt(collectives, number);
      if (collective !== null) code.get(words).get(first).get(members).call(groupExchange(shape, collective));
      code.br(done);
    });
    code.get(members).set(left);
    code.loop((again) => {
      pushState(code, shape, states, left);
      code.set(word);
      code.get(states).get(word).call(lanesWith(helpers, layout.origin)).get(left).op('i32.and').set(same);
      code.get(states).get(same);
      writeLookup(
        code,
        pushStop,
        shape.stops.map(({ region }) => region),
      );
      code.call(giveLanes(helpers, layout.origin));
      code.get(left).get(same).op('i32.xor').tee(left).brIf(again);
    });
  });
}

/**
 * Returns the index of a function that takes the state word of a thread. It returns the number of the operation for
 * which the thread's group waits, or `noGroup` if the thread is not waiting in a group with a mask.
 */
function whatFunction(shape: KernelShape): number {
  const type = { parameters: ['i32'], results: ['i32'] } as const;
  return shape.helpers.function('what', type, (code) => {
    const keys: string[] = [];
    const whats = shape.stops.map(({ step }) => {
      if (step.kind !== 'collective' || step.mask === null) return noGroup;
      const key = keyOf(step.fn);
      if (!keys.includes(key)) keys.push(key);
      return keys.indexOf(key);
    });
    writeLookup(code, () => code.i32(state.waitingAt(0)).get(0).op('i32.sub'), whats);
  });
}

/** Pushes a number from the table `numbers`. `pushPlace` pushes the index of this number. */
export function writeLookup(code: Code, pushPlace: () => unknown, numbers: readonly number[]): void {
  const found = code.local('i32');
  writeChoice(code, numbers.length, pushPlace, (place, done) => {
    code.i32(elementAt(numbers, place)).set(found).br(done);
  });
  code.get(found);
}
