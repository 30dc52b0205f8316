/**
 * Decides at run time whether four diverged threads continue together as soon as possible. This takes time, because
 * their registers are stored and loaded again. It pays off if the threads then run enough instructions together. The
 * code keeps an account of these instructions in the block's context: if the account shows a loss, diverged threads run
 * alone to the end of the region.
 */
import type { Code } from '../../wasm/code.ts';
import { pushField } from '../context-field.ts';
import { context, type LaunchLayout } from '../layout.ts';
import { laneCount } from './vectors.ts';

/** Cost of continuing together: the number of instructions that the threads must then run together to break even. */
const cost = 32;

/**
 * Number of instructions that are subtracted for each scattered access (span-kind.ts), because it takes more time if
 * threads run together.
 */
const costOfScattered = 2;

/** If the loss exceeds this number, diverged threads do not continue together. */
const mostLoss = 2048;

/** Maximum gain that is remembered, and maximum gain that is credited in one step. */
const mostGain = 8192;

/** A computed gain of at most this number counts as 0, because it means that the engine has provided more fuel. */
const leastGain = -(2 ** 16);

/** The loss is reduced by this number each time threads run alone, so that they sometimes try again. */
const forgiven = 1;

export class RejoinLoss {
  private readonly code: Code;
  private readonly layout: LaunchLayout;
  /** Local that contains the remaining fuel, which decreases with each instruction of each thread. */
  private readonly fuel: number;
  /** Local that is -1 if the four threads have diverged and continued together, and otherwise 0. */
  private readonly rejoined: number;
  /** Local that contains the fuel at the time when the threads continued together. */
  private readonly since: number;
  private readonly loss: number;
  private readonly gain: number;

  constructor(code: Code, layout: LaunchLayout, fuel: number) {
    this.code = code;
    this.layout = layout;
    this.fuel = fuel;
    this.rejoined = code.local('i32');
    this.since = code.local('i32');
    this.loss = code.local('i32');
    this.gain = code.local('i32');
  }

  /** Writes code for a divergence. The code of `alone` runs if the threads do not continue together. */
  diverge(alone: () => void): void {
    const { code, loss, rejoined } = this;
    this.pushLoss();
    code.i32(cost).op('i32.add').tee(loss).i32(mostLoss).op('i32.gt_s');
    code.if(() => {
      this.store(() =>
        code
          .get(loss)
          .i32(cost + forgiven)
          .op('i32.sub'),
      );
      code.i32(0).set(rejoined);
      alone();
    });
    this.store(() => code.get(loss));
  }

  /** Writes code for the place where diverged threads continue together. */
  rejoin(): void {
    this.code.get(this.fuel).set(this.since).i32(-1).set(this.rejoined);
  }

  /** Writes code for a block that contains this number of scattered accesses. */
  scatter(count: number): void {
    if (count === 0) return;
    const { code, since } = this;
    code
      .get(since)
      .i32(laneCount * costOfScattered * count)
      .op('i32.sub')
      .set(since);
  }

  /**
   * Writes code for the places where the four threads stop running together: the end of a region, and divergences after
   * which they do not continue together.
   */
  end(): void {
    const { code, rejoined } = this;
    code.get(rejoined);
    code.if(() => {
      this.store(() => this.pushLoss());
      code.i32(0).set(rejoined);
    });
  }

  /** Pushes the loss, less the number of instructions that the threads have run together since they rejoined. */
  private pushLoss(): void {
    const { code, layout, fuel, since, loss, gain, rejoined } = this;
    code.get(since).get(fuel).op('i32.sub').i32(Math.log2(laneCount)).op('i32.shr_s').tee(gain);
    code.i32(mostGain).get(gain).i32(mostGain).op('i32.lt_s', 'select').get(rejoined).op('i32.and').tee(gain);
    code.i32(0).get(gain).i32(leastGain).op('i32.gt_s', 'select').set(gain);
    pushField(code, layout, 'rejoinLoss').get(gain).op('i32.sub').tee(loss);
    code.i32(-mostGain).get(loss).i32(-mostGain).op('i32.gt_s', 'select');
  }

  private store(push: () => unknown): void {
    const { code, layout } = this;
    code.get(0);
    push();
    code.memory('i32.store', layout.origin + context.rejoinLoss);
  }
}
