/**
 * A recording of what a warp did, which can be read step by step in either direction. For each step, only the values
 * that it wrote are stored. The registers after a step are computed from the last keyframe before it and the steps
 * since then.
 */
import { elementAt } from '../base/element-at.ts';
import { requireArgument } from '../base/require.ts';
import { text as textRule, whole } from '../base/rules.ts';
import type { Bits } from '../base/bits.ts';
import type { SourcePlace } from '../base/source-place.ts';
import type { Fault } from '../machine/fault.ts';
import type { LockstepGroup } from './lockstep.ts';

/** One instruction of a warp. */
export interface RecordedStep {
  /** The PTX source line, counted from 1. */
  readonly line: number;
  readonly text: string;
  readonly function: string;
  readonly source: SourcePlace | null;
  /** A mask of the lanes that executed the instruction: bit 0 stands for lane 0. */
  readonly mask: number;
  readonly writes: readonly RegisterWrite[];
  /**
   * For each lane, the address given by the instruction's first address operand, or null if the lane did not execute
   * the step. The whole list is null if the instruction has no address.
   */
  readonly addresses: readonly (bigint | null)[] | null;
}

/** The values that a step wrote to a register, by lane; the value is null for lanes that did not write the register. */
export interface RegisterWrite {
  readonly name: string;
  /** The type of the value according to the instruction: `.f32`. */
  readonly type: string;
  readonly values: readonly (Bits | null)[];
}

/** The contents of a register after a step. */
export interface RegisterState {
  readonly name: string;
  readonly type: string;
  /** The value in each lane; null for lanes that have not yet written the register. */
  readonly values: readonly (Bits | null)[];
}

/** The contents of all registers before a step. */
interface Keyframe {
  readonly step: number;
  readonly registers: readonly RegisterState[];
}

/**
 * The minimum number of steps from one keyframe to the next. If a keyframe has more registers than this, the number of
 * its registers is used instead, so that keyframes never take up more memory than the steps.
 */
const leastSpacing = 64;

const step = whole(Number.MAX_SAFE_INTEGER, '2^53 - 1', -1);

export class Recording {
  readonly steps: readonly RecordedStep[];
  /** Number of lanes: 32, or fewer in the last warp of a block. */
  readonly lanes: number;
  /**
   * The fault that ended the launch; null if the launch completed, or if it was stopped because the recording was full.
   */
  readonly fault: Fault | null;
  /** True if the launch was stopped because the recording was full. */
  readonly isCut: boolean;
  private readonly keyframes: Keyframe[] = [{ step: 0, registers: [] }];

  constructor(groups: Iterable<LockstepGroup>, lanes: number, fault: Fault | null, isCut: boolean) {
    this.steps = Array.from(groups, (group) => stepOf(group, lanes));
    this.lanes = lanes;
    this.fault = fault;
    this.isCut = isCut;
  }

  /**
   * Returns the contents of the registers after a given step. The result includes every register that was written in
   * this step or an earlier one. The registers are in the order in which they were first written.
   *
   * @param index the index of the step; -1 means the state before the first step
   */
  registersAfter(index: number): readonly RegisterState[] {
    requireArgument('the index of a step', index, step);
    const end = Math.min(index + 1, this.steps.length);
    return this.replay(this.keyframeBefore(end), end);
  }

  /**
   * Returns the last keyframe at or before step `end`, after adding any keyframes that are missing before this step.
   */
  private keyframeBefore(end: number): Keyframe {
    const { keyframes } = this;
    for (;;) {
      const last = elementAt(keyframes, keyframes.length - 1);
      const next = last.step + Math.max(leastSpacing, last.registers.length);
      if (next > end) break;
      keyframes.push({ step: next, registers: this.replay(last, next) });
    }
    return elementAt(
      keyframes,
      keyframes.findLastIndex((frame) => frame.step <= end),
    );
  }

  /**
   * Returns the index of the last step in which the lane wrote the register, considering only the steps up to and
   * including step `index`; null if there is no such step.
   */
  writerOf(name: string, lane: number, index: number): number | null {
    requireArgument('the name of a register', name, textRule);
    requireArgument('a lane', lane, whole(this.lanes - 1, String(this.lanes - 1)));
    requireArgument('the index of a step', index, step);
    for (let i = Math.min(index, this.steps.length - 1); i >= 0; i--) {
      const write = elementAt(this.steps, i).writes.find((candidate) => candidate.name === name);
      if (write !== undefined && elementAt(write.values, lane) !== null) return i;
    }
    return null;
  }

  /** The registers after the steps from a keyframe up to, but not including, step `end`. */
  private replay({ step: start, registers }: Keyframe, end: number): readonly RegisterState[] {
    const state = new Map(registers.map((register) => [register.name, register]));
    for (let i = start; i < end; i++) {
      for (const { name, type, values } of elementAt(this.steps, i).writes) {
        const before = state.get(name)?.values;
        state.set(name, { name, type, values: values.map((value, lane) => value ?? before?.[lane] ?? null) });
      }
    }
    return [...state.values()];
  }
}

function stepOf({ mask, events }: LockstepGroup, lanes: number): RecordedStep {
  const first = elementAt(events, 0);
  const active = Array.from({ length: lanes }, (_, lane) => lane).filter((lane) => ((mask >>> lane) & 1) === 1);
  const byLane = <T>(valueOf: (index: number) => T | null): readonly (T | null)[] => {
    const values: (T | null)[] = Array.from({ length: lanes }, () => null);
    active.forEach((lane, i) => {
      values[lane] = valueOf(i);
    });
    return values;
  };
  const writes = first.registers.flatMap(({ name, type, written }, r): readonly RegisterWrite[] =>
    written ? [{ name, type, values: byLane((i) => events[i]?.registers[r]?.after ?? null) }] : [],
  );
  const { line, text, source, addresses } = first;
  return {
    line,
    text,
    function: first.function,
    source,
    mask,
    writes,
    addresses: addresses.length === 0 ? null : byLane((i) => events[i]?.addresses[0] ?? null),
  };
}
