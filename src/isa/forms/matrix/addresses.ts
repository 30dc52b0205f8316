/** Addresses of the parts of a matrix, for each lane. */
import type { AddressPlan } from '../../collective.ts';
import { elementsOf, type Fragment, placeOf } from '../../fragments.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';

const lanes: readonly number[] = Array.from({ length: 32 }, (_, lane) => lane);

/**
 * One access by a lane. It starts from the address that lane `source` provides, plus `stride` strides, plus `bytes`
 * bytes.
 */
export interface Access {
  readonly source: number;
  readonly stride: number;
  readonly bytes: number;
}

/** Makes a plan in which each lane makes `count` accesses to elements of a fragment. */
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

/** A number for each lane. */
export function perLane(of: (lane: number) => number): readonly number[] {
  return lanes.map(of);
}

/** The name under which a step stores the address number `index`. */
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
 * Computes the addresses of a plan. Each of the words is also passed through the step and is available under `keptRef`
 * afterwards.
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

/** The name under which a word is available after the step. */
export function keptRef(word: Ref): Ref {
  return `${word}.kept`;
}
