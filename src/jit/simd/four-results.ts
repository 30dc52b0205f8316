/**
 * Loads the results that four threads receive when they continue after a stop: as vectors, or as a single value if all
 * four threads receive the same result.
 */
import { lowerAfter } from '../lower.ts';
import type { Stop } from '../groups/stop.ts';
import type { Values } from '../regions/values.ts';
import type { FourLowerings } from './four-lowerings.ts';
import type { VectorFrame } from './vector-frame.ts';
import { writeResults } from './vector-instruction.ts';
import type { Vectors } from './vectors.ts';

export class FourResults {
  private readonly stop: Stop;
  private readonly frame: VectorFrame;
  private readonly values: Values;
  private readonly vectors: Vectors;
  private readonly isUniform: boolean;

  /** Begins the instruction at which the threads stopped. */
  constructor(stop: Stop, frame: VectorFrame, values: Values, vectors: Vectors) {
    this.stop = stop;
    this.frame = frame;
    this.values = values;
    this.vectors = vectors;
    vectors.begin(stop.instruction);
    this.isUniform = this.hasUniformRegister();
  }

  /** The arrays whose results must be the same for all four threads if the threads are to continue in lockstep. */
  get mustAgree(): Stop['receives'] {
    return this.isUniform ? this.stop.receives : [];
  }

  /** Writes code that loads the results and executes the remaining steps of the instruction. */
  take(lowerings: FourLowerings): void {
    if (this.isUniform) this.takeUniform(lowerings);
    else this.takeVectors(lowerings);
  }

  /**
   * Whether all four threads get the same results. Because all results of a thread come from the same step, it is
   * enough to know that one result is the same for all threads: all other results are then the same as well.
   */
  private hasUniformRegister(): boolean {
    const { instruction, step, program } = this.stop;
    const results = [
      ...step.to.map((ref) => this.vectors.placeOf(ref)),
      ...instruction.writes.map(({ register }) => register),
    ];
    return program.registers.some(({ place }) => results.includes(place) && !this.vectors.isVarying(place));
  }

  /** Uses the first thread's values for all four threads. */
  private takeUniform(lowerings: FourLowerings): void {
    const { frame, values, vectors } = this;
    const { instruction, step, receives } = this.stop;
    step.to.forEach((ref, i) => {
      const carrier = receives[i] ?? null;
      if (carrier === null) return;
      frame.loadFirst(carrier.array, carrier.type);
      values.set(ref, carrier.type);
    });
    lowerAfter(step, lowerings.of(instruction).scalar);
    vectors.splatWrites(instruction);
  }

  private takeVectors(lowerings: FourLowerings): void {
    const { frame, vectors } = this;
    const { instruction, step, receives } = this.stop;
    step.to.forEach((ref, i) => {
      const carrier = receives[i] ?? null;
      if (carrier !== null) vectors.set(ref, frame.load(carrier.array, carrier.type));
    });
    writeResults(instruction, lowerings.onVectors(instruction));
  }
}
