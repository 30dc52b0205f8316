/**
 * Collective operations, in which threads of a warp exchange values. An operation is carried out once all threads of
 * its group have arrived.
 */
import type { Bits } from '../base/bits.ts';
import { elementAt } from '../base/element-at.ts';
import { keyOf, separatesCalls } from '../isa/collective.ts';
import type { Step } from '../isa/steps/step.ts';
import { warpSize } from '../machine/launch.ts';
import type { Group, Place } from '../machine/collectives.ts';
import { exchange } from './exchange.ts';
import type { Member, UndefinedMember } from './member.ts';
import { requireDefined, setUndefined } from './shadow.ts';
import {
  type Block,
  type Cpu,
  finish,
  handOver,
  type Prepared,
  type Remainder,
  type Rest,
  type Stopping,
  type Thread,
  type UndefinedResults,
  wake,
} from './thread.ts';
import { exchangeUndefined } from './undefined-exchange.ts';
import type { Action, PlaceOf } from './value-steps.ts';

/**
 * Prepares a collective operation, in which the running thread waits for the other threads of its group. `after` is the
 * remainder of the instruction, which runs once the results are available. The last thread to arrive completes the
 * group.
 */
export function prepareCollective(
  step: Extract<Step, { readonly kind: 'collective' }>,
  after: Remainder,
  line: number,
  placeOf: PlaceOf,
  cpu: Cpu,
): Stopping {
  const { fn } = step;
  const key = keyOf(fn);
  const to = step.to.map(placeOf);
  const from = step.from.map(placeOf);
  const mask = step.mask === null ? -1 : placeOf(step.mask);
  const separates = separatesCalls(step);
  const stop: Action = (frame) => {
    const { thread, block } = cpu;
    requireDefined(thread, mask, 'a member mask');
    thread.activity = 'waiting';
    const members = mask < 0 ? null : Number(frame[mask]);
    const place = separates ? placeIn(thread) : [thread.pc];
    const group = block.collectives.arrive({ thread: thread.linear, line }, key, members, place);
    if (group === null) return;
    completeGroup(block, group, cpu);
    handOver(cpu, group);
  };
  const go = (thread: Thread, results: readonly Bits[], undefinedBits: UndefinedResults | null): void => {
    const { frame } = thread;
    for (let i = 0; i < to.length; i++) frame[elementAt(to, i)] = elementAt(results, i);
    // `undefinedBits` is almost always null, because undefined values are rare.
    if (undefinedBits !== null) to.forEach((place, i) => setUndefined(thread, place, undefinedBits[i] ?? null));
    finish(after, thread);
  };
  return { stop, rest: { kind: 'collective', fn, from, go } };
}

/** The position at which a thread has arrived, preceded by the positions of the calls that led there. */
function placeIn({ calls, pc }: Thread): Place {
  return [...calls.map((caller) => caller.pc), pc];
}

/** Delivers the results to every thread of a group and lets the threads continue. */
export function completeGroup(block: Block, group: Group, { code, races }: Pick<Cpu, 'code' | 'races'>): void {
  const members = group.map((linear) => memberOf(block, linear, code));
  const [first] = members;
  if (first === undefined) throw new Error('an empty group');
  const { fn } = first.rest;
  if (fn.form === 'sync') races?.meet(block.number, group);
  const results = exchange(fn, members);
  const isDefined = members.every(({ thread }) => thread.shadow === null);
  const undefinedBits = isDefined ? null : exchangeUndefined(fn, members.map(withUndefinedBits));
  members.forEach(({ thread, rest }, i) => {
    wake(thread);
    rest.go(thread, results[i] ?? [], undefinedBits?.[i] ?? null);
  });
}

/** A waiting thread and the values that it contributes to the operation. */
interface WaitingMember extends Member {
  readonly thread: Thread;
  readonly rest: Extract<Rest, { readonly kind: 'collective' }>;
}

function memberOf(block: Block, linear: number, code: readonly Prepared[]): WaitingMember {
  const thread = block.threads[linear];
  const rest = thread === undefined ? null : code[thread.pc - 1]?.rest;
  if (thread === undefined || rest?.kind !== 'collective')
    throw new Error('a thread of the group is not waiting in a collective instruction');
  const { frame } = thread;
  return { thread, rest, lane: linear % warpSize, values: rest.from.map((place) => elementAt(frame, place)) };
}

function withUndefinedBits({ thread: { shadow }, rest, lane, values }: WaitingMember): UndefinedMember {
  return { lane, values, undefinedBits: rest.from.map((place) => shadow?.get(place) ?? null) };
}
