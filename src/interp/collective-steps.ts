/** Values that threads of a warp exchange once all of a group have arrived. */
import type { Bits } from '../base/bits.ts';
import { elementAt } from '../base/element-at.ts';
import { type Collective, keyOf } from '../isa/collective.ts';
import type { Step } from '../isa/steps/step.ts';
import { warpSize } from '../machine/launch.ts';
import type { Group } from '../machine/collectives.ts';
import { type Block, type Cpu, type Prepared, type Stopping, type Thread, wake } from './thread.ts';
import type { Action, PlaceOf } from './value-steps.ts';

/**
 * The thread waits, with the values it brought in its frame; `after` is the rest of its instruction, which runs when
 * the results are there. The last thread to arrive completes the group.
 */
export function prepareCollective(
  step: Extract<Step, { readonly kind: 'collective' }>,
  after: Action,
  line: number,
  placeOf: PlaceOf,
  cpu: Cpu,
): Stopping {
  const { fn } = step;
  const key = keyOf(fn);
  const to = step.to.map(placeOf);
  const from = step.from.map(placeOf);
  const mask = step.mask === null ? -1 : placeOf(step.mask);
  const stop: Action = (frame) => {
    const { thread, block } = cpu;
    thread.activity = 'waiting';
    const members = mask < 0 ? null : Number(frame[mask]);
    const group = block.collectives.arrive({ thread: thread.linear, line }, key, members, thread.pc);
    if (group !== null) completeGroup(block, group, cpu.code);
  };
  const go = ({ frame }: Thread, results: readonly Bits[]): void => {
    to.forEach((place, i) => {
      frame[place] = elementAt(results, i);
    });
    after(frame);
  };
  return { stop, rest: { kind: 'collective', fn, from, go } };
}

/** Gives every thread of a group its results and lets it continue. */
export function completeGroup(block: Block, group: Group, code: readonly Prepared[]): void {
  const members = group.flatMap((linear) => {
    const thread = block.threads[linear];
    const rest = thread === undefined ? null : code[thread.pc - 1]?.rest;
    if (thread === undefined || rest?.kind !== 'collective') throw new Error('a group of threads that do not wait');
    const values = rest.from.map((place) => elementAt(thread.frame, place));
    return { thread, rest, lane: linear % warpSize, values };
  });
  const [first] = members;
  if (first === undefined) throw new Error('an empty group');
  const results = exchange(first.rest.fn, members);
  members.forEach(({ thread, rest }, i) => {
    wake(thread);
    rest.go(thread, results[i] ?? []);
  });
}

/** One thread of a group: its lane and the values it brought. */
export interface Member {
  readonly lane: number;
  readonly values: readonly Bits[];
}

/** The results of each member, in the order of the group. */
export function exchange(fn: Collective, group: readonly Member[]): readonly (readonly Bits[])[] {
  const mask = group.reduce((lanes, { lane }) => lanes | (1 << lane), 0) >>> 0;
  switch (fn.form) {
    case 'shfl':
      return shuffle(fn.mode, group);
    case 'vote':
      return vote(fn.mode, group);
    case 'match':
      return match(fn.mode, group, mask);
    case 'redux':
      return everywhere(group, [reduce(fn, group)]);
    case 'elect':
      return elect(group);
    case 'active':
    case 'sync':
      return everywhere(group, [mask]);
  }
}

type Form<K extends Collective['form']> = Extract<Collective, { readonly form: K }>;
type Mode<K extends 'shfl' | 'vote' | 'match'> = Form<K>['mode'];

function everywhere(group: readonly Member[], results: readonly Bits[]): readonly (readonly Bits[])[] {
  return group.map(() => results);
}

/** PTX ISA 9.1, 9.7.9.6: `c` holds the highest lane in its low bits and the bounds of segments above. */
function shuffle(mode: Mode<'shfl'>, group: readonly Member[]): readonly (readonly Bits[])[] {
  const byLane = new Map(group.map((member) => [member.lane, member] as const));
  return group.map(({ lane, values }) => {
    const [own = 0, operand = 0, bounds = 0] = values;
    const shift = Number(operand) & 0x1f;
    const clamp = Number(bounds) & 0x1f;
    const segment = (Number(bounds) >>> 8) & 0x1f;
    const highest = (lane & segment) | (clamp & ~segment);
    const source = sourceLane(mode, lane, shift, segment);
    const inBounds = mode === 'up' ? source >= highest : source <= highest;
    const from = inBounds ? byLane.get(source & (warpSize - 1)) : undefined;
    return [from?.values[0] ?? own, inBounds ? 1 : 0];
  });
}

function sourceLane(mode: Mode<'shfl'>, lane: number, shift: number, segment: number): number {
  switch (mode) {
    case 'up':
      return lane - shift;
    case 'down':
      return lane + shift;
    case 'bfly':
      return lane ^ shift;
    case 'idx':
      return (lane & segment) | (shift & ~segment);
  }
}

function vote(mode: Mode<'vote'>, group: readonly Member[]): readonly (readonly Bits[])[] {
  const holding = group.filter(({ values }) => values[0] !== 0);
  const all = holding.length === group.length;
  switch (mode) {
    case 'ballot':
      return everywhere(group, [holding.reduce((lanes, { lane }) => lanes | (1 << lane), 0) >>> 0]);
    case 'all':
      return everywhere(group, [all ? 1 : 0]);
    case 'any':
      return everywhere(group, [holding.length > 0 ? 1 : 0]);
    case 'uni':
      return everywhere(group, [all || holding.length === 0 ? 1 : 0]);
  }
}

function match(mode: Mode<'match'>, group: readonly Member[], mask: number): readonly (readonly Bits[])[] {
  const alike = (value: Bits | undefined): readonly Member[] => group.filter(({ values }) => values[0] === value);
  if (mode === 'all') {
    const same = alike(group[0]?.values[0]).length === group.length;
    return everywhere(group, same ? [mask, 1] : [0, 0]);
  }
  return group.map(({ values }) => [alike(values[0]).reduce((lanes, { lane }) => lanes | (1 << lane), 0) >>> 0]);
}

function reduce({ op, type }: Form<'redux'>, group: readonly Member[]): Bits {
  const values = group.map((member) => Number(member.values[0]));
  const order = (value: number): number => (type === 's32' ? value | 0 : value);
  const combine = (a: number, b: number): number => {
    switch (op) {
      case 'add':
        return (a + b) >>> 0;
      case 'min':
        return order(a) < order(b) ? a : b;
      case 'max':
        return order(a) > order(b) ? a : b;
      case 'and':
        return (a & b) >>> 0;
      case 'or':
        return (a | b) >>> 0;
      case 'xor':
        return (a ^ b) >>> 0;
    }
  };
  return values.reduce(combine);
}

function elect(group: readonly Member[]): readonly (readonly Bits[])[] {
  const leader = Math.min(...group.map(({ lane }) => lane));
  return group.map(({ lane }) => [leader, lane === leader ? 1 : 0]);
}
