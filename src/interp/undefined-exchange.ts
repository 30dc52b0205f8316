/**
 * Finds the undefined result bits of a collective operation, given the undefined bits of the values that the threads
 * send.
 */
import type { Bits } from '../base/bits.ts';
import { type AddressPlan, type Collective, exchangedBy } from '../isa/collective.ts';
import type { Undefined } from '../machine/memory/definedness.ts';
import { exchange } from './exchange.ts';
import type { UndefinedMember } from './member.ts';
import { undefinedProduct } from './undefined-matrix.ts';
import { strongest } from './shadow.ts';
import type { UndefinedResults } from './thread.ts';
import { allBits } from './undefined-values.ts';

/** Returns, for each member in group order, the undefined bits of each result. */
export function exchangeUndefined(fn: Collective, group: readonly UndefinedMember[]): readonly UndefinedResults[] {
  if (fn.form === 'shfl') return shuffled(fn, group);
  if (fn.form === 'mma') return undefinedProduct(fn.product, group);
  if (fn.form === 'addresses') return withWords(fn.plan, group);
  const sent = strongest(group.map(({ undefinedBits: [first] }) => first ?? undefined));
  const { receives } = exchangedBy(fn);
  if (sent === null || isDecided(fn, group)) return group.map(() => receives.map(() => null));
  const { origin } = sent;
  const isBallot = fn.form === 'vote' && fn.mode === 'ballot';
  const mask = (width: number): bigint => (isBallot ? undefinedLanes(group) : allBits(width));
  return group.map(() => receives.map((width): Undefined => ({ mask: mask(width), origin })));
}

/** Whether the defined votes alone determine the result, so that undefined votes do not matter. */
function isDecided(fn: Collective, group: readonly UndefinedMember[]): boolean {
  if (fn.form !== 'vote') return false;
  const votes = group
    .filter(({ undefinedBits: [first] }) => (first ?? null) === null)
    .map(({ values: [vote] }) => vote !== 0);
  switch (fn.mode) {
    case 'all':
      return votes.includes(false);
    case 'any':
      return votes.includes(true);
    case 'uni':
      return votes.includes(false) && votes.includes(true);
    case 'ballot':
      return false;
  }
}

function undefinedLanes(group: readonly UndefinedMember[]): bigint {
  return group.reduce(
    (lanes, { lane, undefinedBits: [first] }) => ((first ?? null) === null ? lanes : lanes | (1n << BigInt(lane))),
    0n,
  );
}

/** Each member gets the undefined bits of the lane that its value came from. */
function shuffled(fn: Collective, group: readonly UndefinedMember[]): readonly UndefinedResults[] {
  // Each member sends its number instead of its value. Numbers begin at 1, because 0 stands for a lane outside the
  // group.
  const numbered = group.map(({ lane, values }, i) => ({
    lane,
    values: [i + 1, ...values.slice(1)] as readonly Bits[],
  }));
  const sources = exchange(fn, numbered).map(([source = 0]) => group[Number(source) - 1]);
  return group.map(({ undefinedBits: [, operand, bounds] }, i) => {
    const steering = strongest([operand ?? undefined, bounds ?? undefined]);
    if (steering === null) return [sources[i]?.undefinedBits[0] ?? null, null];
    const { origin } = steering;
    return [
      { mask: allBits(32), origin },
      { mask: 1n, origin },
    ];
  });
}

/**
 * The addresses that a lane receives are undefined if the lane supplies an undefined address or an undefined stride.
 * Constants are always defined, and the words that are passed through keep their undefined bits.
 */
function withWords(
  { accesses, constants, words }: AddressPlan,
  group: readonly UndefinedMember[],
): readonly UndefinedResults[] {
  return group.map(({ undefinedBits }) => {
    const [address, stride, ...kept] = undefinedBits;
    const steering = strongest([address ?? undefined, stride ?? undefined]);
    const found = steering === null ? null : { mask: allBits(64), origin: steering.origin };
    return [...accesses.map(() => found), ...constants.map(() => null), ...words.map((_, i) => kept[i] ?? null)];
  });
}
