/**
 * Computes the results of operations that the threads of a warp execute together, given the values that the threads
 * contribute.
 */
import type { Bits } from '../base/bits.ts';
import type { AddressPlan, Collective } from '../isa/collective.ts';
import { elementAt } from '../base/element-at.ts';
import { warpSize } from '../machine/launch.ts';
import { multiplyMatrices } from './matrix.ts';
import type { Member } from './member.ts';

/** Returns the results of each member, in the order of the group. */
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
    case 'transpose':
      return transpose(group);
    case 'mma':
      return multiplyMatrices(fn.product, group);
    case 'addresses':
      return addresses(fn.plan, group);
  }
}

type Form<K extends Collective['form']> = Extract<Collective, { readonly form: K }>;
type Mode<K extends 'shfl' | 'vote' | 'match'> = Form<K>['mode'];

function everywhere(group: readonly Member[], results: readonly Bits[]): readonly (readonly Bits[])[] {
  return group.map(() => results);
}

/**
 * PTX ISA 9.1, section 9.7.9.6: operand `c` holds the clamp value in its low bits and the segment mask above them. The
 * value of a lane outside the group is unspecified; an H200 returns 0.
 */
function shuffle(mode: Mode<'shfl'>, group: readonly Member[]): readonly (readonly Bits[])[] {
  const sent = new Array<Bits | undefined>(warpSize);
  for (const { lane, values } of group) sent[lane] = values[0];
  return group.map(({ lane, values }) => {
    const operand = values[1] ?? 0;
    const bounds = values[2] ?? 0;
    const shift = Number(operand) & 0x1f;
    const clamp = Number(bounds) & 0x1f;
    const segment = (Number(bounds) >>> 8) & 0x1f;
    const highest = (lane & segment) | (clamp & ~segment);
    const source = sourceLane(mode, lane, shift, segment);
    const inBounds = mode === 'up' ? source >= highest : source <= highest;
    const received = inBounds ? sent[source & (warpSize - 1)] : values[0];
    return [received ?? 0, inBounds ? 1 : 0];
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

/**
 * Each row consists of eight elements in four lanes, two elements per lane. The two elements that a lane receives are
 * neighbors in a column of the source.
 */
function transpose(group: readonly Member[]): readonly (readonly Bits[])[] {
  const byLane = new Map(group.map(({ lane, values }) => [lane, Number(values[0])] as const));
  const element = (row: number, column: number): number =>
    ((byLane.get(4 * row + (column >> 1)) ?? 0) >>> (16 * (column & 1))) & 0xffff;
  return group.map(({ lane }) => {
    const [row, column] = [lane >> 2, 2 * (lane & 3)];
    return [(element(column, row) | (element(column + 1, row) << 16)) >>> 0];
  });
}

/** If the lane that should supply an address is not in the group, the accessing lane uses its own address. */
function addresses(
  { accesses, strideBits, constants, words }: AddressPlan,
  group: readonly Member[],
): readonly (readonly Bits[])[] {
  const byLane = new Map(group.map((member) => [member.lane, member] as const));
  return group.map((member) => {
    const [, stride = 0, ...kept] = member.values;
    const found = accesses.map(({ sources, strides, bytes }): Bits => {
      const { lane } = member;
      const [start = 0] = (byLane.get(elementAt(sources, lane)) ?? member).values;
      const step = BigInt(Number(stride)) * BigInt(elementAt(strides, lane));
      return BigInt.asUintN(64, BigInt(start) + (step * BigInt(strideBits)) / 8n + BigInt(elementAt(bytes, lane)));
    });
    return [...found, ...constants.map((one) => elementAt(one, member.lane)), ...kept.slice(0, words.length)];
  });
}
