/** Loads and stores of a lane's part of a matrix, at addresses that a step of `findAddresses` has computed. */
import type { Fragment } from '../../fragments.ts';
import type { AccessSpace } from '../../spaces.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { weakLoad, weakStore } from '../access-steps.ts';
import { accessesOf, addressRef, keptRef } from './addresses.ts';
import { refsOf } from './parts.ts';

/** A matrix in memory, and the registers `$r.0`, `$r.1` and so on that hold a lane's part of it. */
export interface Transfer {
  readonly own: Fragment;
  /**
   * Whether elements that are adjacent in a row are adjacent in memory. If not, elements that are adjacent in a column
   * are adjacent in memory.
   */
  readonly byRows: boolean;
  readonly space: AccessSpace;
}

/** The names of the elements of a register, starting with the highest, because steps list them in this order. */
export function elementRefs(register: Ref, count: number): readonly Ref[] {
  return Array.from({ length: count }, (_, i): Ref => `${register}.${count - 1 - i}`);
}

/** How a register is accessed: in `count` parts of `width` bits. */
function partsOf({ own, byRows }: Transfer): { readonly count: number; readonly width: number } {
  const width = own.bits * accessesOf(own, byRows).perAccess;
  return { count: own.registerBits / width, width };
}

export function loadRegisters(transfer: Transfer): readonly Step[] {
  const { own, space } = transfer;
  const { count, width } = partsOf(transfer);
  return refsOf('r', own.registers).flatMap((register, i): Step[] => {
    if (count === 1) return [weakLoad(space, width, [register], addressRef(i))];
    const elements = elementRefs(register, count);
    return [
      ...elements.map((element, j) => weakLoad(space, width, [element], addressRef(i * count + count - 1 - j))),
      { kind: 'pack', to: register, from: elements, lane: width, stride: width },
    ];
  });
}

/** The registers must have been passed through `findAddresses`. */
export function storeRegisters(transfer: Transfer): readonly Step[] {
  const { own, space } = transfer;
  const { count, width } = partsOf(transfer);
  return refsOf('r', own.registers).flatMap((register, i): Step[] => {
    if (count === 1) return [weakStore(space, width, addressRef(i), [keptRef(register)])];
    const elements = elementRefs(register, count);
    return [
      { kind: 'unpack', to: elements, from: keptRef(register), lane: width, stride: width },
      ...elements.map((element, j) => weakStore(space, width, addressRef(i * count + count - 1 - j), [element])),
    ];
  });
}
