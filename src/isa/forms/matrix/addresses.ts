/** Addresses of the parts of a matrix, for each lane. */
import type { AddressPlan } from '../../collective.ts';
import { elementsOf, type Fragment, placeOf } from '../../fragments.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';

const lanes: readonly number[] = Array.from({ length: 32 }, (_, lane) => lane);

/**
 * One access by a lane. The address of the access is the address that lane `source` provides, plus `stride` times the
 * stride operand, plus `bytes`.
 */
export interface Access {
  readonly source: number;
  readonly stride: number;
  readonly bytes: number;
}

/** Plans how each lane loads or stores its elements of a fragment, with `count` accesses to memory. */
export function addressPlan(
  fragment: Fragment,
  count: number,
  accessOf: (lane: number, index: number) => Access,
  more: Partial<Pick<AddressPlan, 'strideBits' | 'constants' | 'words'>> = {},
): AddressPlan {
  const accesses = Array.from({ length: count }, (_, index) => {
    const own = lanes.map((lane) => accessOf(lane, index));
    return {
      sources: own.map(({ source }) => source),
      strides: own.map(({ stride }) => stride),
      bytes: own.map(({ bytes }) => bytes),
    };
  });
  return { fragment, accesses, strideBits: 0, constants: [], words: [], ...more };
}

/**
 * If the elements of a register are adjacent in memory, the register is accessed as a whole; otherwise, each element is
 * accessed separately.
 */
export function accessesOf(own: Fragment, byRows: boolean): { readonly perAccess: number; readonly count: number } {
  const perRegister = own.registerBits / own.bits;
  const apart = (element: number): boolean => {
    const [one, other] = [placeOf(own, 0, element), placeOf(own, 0, element + 1)];
    const [step, still] = byRows
      ? [other.column - one.column, other.row - one.row]
      : [other.row - one.row, other.column - one.column];
    return step !== 1 || still !== 0;
  };
  const isWhole = perRegister === 1 || !apart(0);
  const perAccess = isWhole ? perRegister : 1;
  return { perAccess, count: elementsOf(own) / perAccess };
}

/** Returns a list that contains `of(lane)` for each lane. */
export function perLane(of: (lane: number) => number): readonly number[] {
  return lanes.map(of);
}

/** The name of the value in which the step stores the address of access number `index`. */
export function addressRef(index: number): Ref {
  return `$address.${index}`;
}

export function constantRef(index: number): Ref {
  return `$lane.${index}`;
}

/** The operands of a step that computes addresses. */
export interface PlanOperands {
  readonly address: Ref;
  readonly stride: Ref | null;
  readonly words: readonly Ref[];
}

/**
 * Returns the steps that compute the addresses of a plan. The words of each lane are passed through these steps
 * unchanged; afterwards, they have the names that `keptRef` returns.
 */
export function findAddresses(name: string, plan: AddressPlan, operands: PlanOperands): readonly Step[] {
  const { address, stride, words } = operands;
  const zero: readonly Step[] = stride === null ? [{ kind: 'constant', to: '$stride', value: 0 }] : [];
  return [
    ...zero,
    {
      kind: 'collective',
      fn: { form: 'addresses', name, plan },
      to: [
        ...plan.accesses.map((_, i) => addressRef(i)),
        ...plan.constants.map((_, i) => constantRef(i)),
        ...words.map(keptRef),
      ],
      from: [address, stride ?? '$stride', ...words],
      mask: null,
    },
  ];
}

/** The name under which a word is available after the addresses have been computed. */
export function keptRef(word: Ref): Ref {
  return `${word}.kept`;
}
