/**
 * Groups of threads that wait at an instruction without a member mask, such as `activemask`. A group consists of the
 * threads of a warp that arrive before the group continues.
 */
import { elementAt } from '../../base/element-at.ts';
import { separatesCalls } from '../../isa/collective.ts';
import { comparePlaces, type Place } from '../../machine/collectives.ts';
import type { CompiledStop } from '../compiled-kernel.ts';
import { outcome, state } from '../layout.ts';
import type { BlockCode } from './block-code.ts';
import type { ThreadWords } from './thread-words.ts';
import type { Unit } from './unit.ts';

/**
 * The threads of a unit that form a group because they are waiting at the same instruction without a member mask, and
 * have arrived there through the same calls. `place` ends with the region in which they will continue.
 */
interface Gathering {
  readonly unit: Unit;
  readonly place: Place;
  /** The lanes of the threads. */
  members: number;
}

export class OpenGroups {
  private readonly code: BlockCode;
  private readonly words: ThreadWords;
  private readonly units: readonly Unit[];
  private readonly stops: readonly CompiledStop[];
  private readonly hasOpenStops: boolean;

  constructor(code: BlockCode, words: ThreadWords, units: readonly Unit[]) {
    this.code = code;
    this.words = words;
    this.units = units;
    this.stops = code.compiled.stops;
    this.hasOpenStops = this.stops.some(({ step }) => step.kind === 'collective' && step.mask === null);
  }

  /**
   * If groups are waiting at instructions without a member mask, resumes the group whose instruction comes first in the
   * program. Returns false if no such group is waiting.
   */
  passEarliest(): boolean {
    const found = this.units.reduce<Gathering | null>((earliest, unit) => this.earlierIn(unit, earliest), null);
    if (found === null) return false;
    this.code.complete(found.unit.first, found.members);
    return true;
  }

  /**
   * Lets the threads of a unit continue if all of them have arrived at the same instruction without a member mask, and
   * through the same calls. Returns whether they continue.
   */
  passWhole(unit: Unit): boolean {
    const found = this.hasOpenStops ? this.earlierIn(unit, null) : null;
    if (found === null || found.members !== this.livingLanes(unit)) return false;
    this.code.complete(unit.first, found.members);
    return true;
  }

  private livingLanes({ first, behind }: Unit): number {
    let lanes = 0;
    for (let thread = first; thread < behind; thread++) {
      if (this.words.stateOf(thread) !== state.exited) lanes |= 1 << (thread - first);
    }
    return lanes;
  }

  private earlierIn(unit: Unit, earliest: Gathering | null): Gathering | null {
    let found = earliest;
    if (unit.at !== outcome.mixed) return found;
    for (let thread = unit.first; thread < unit.behind; thread++) {
      const place = this.openPlace(thread);
      if (place === null) continue;
      const order = found === null ? -1 : comparePlaces(place, found.place);
      const lane = 1 << (thread - unit.first);
      if (order < 0) found = { unit, place, members: lane };
      else if (order === 0 && found?.unit === unit) found.members |= lane;
    }
    return found;
  }

  /** The place of a thread that waits at an instruction without a member mask; null for all other threads. */
  private openPlace(thread: number): Place | null {
    const word = this.words.stateOf(thread);
    if (word >= state.exited) return null;
    const { step, region } = elementAt(this.stops, state.stopOf(word));
    if (step.kind !== 'collective' || step.mask !== null) return null;
    return separatesCalls(step) ? [...this.code.openCalls(thread), region] : [region];
  }
}
