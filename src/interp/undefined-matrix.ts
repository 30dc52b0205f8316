/**
 * Finds the undefined elements of a matrix product. An element is undefined if there are undefined bits in its row of
 * A, in its column of B, or in its element of C.
 */
import { elementAt } from '../base/element-at.ts';
import { elementsOf, type Fragment, indexOf, placeOf } from '../isa/fragments.ts';
import type { MatrixProduct } from '../isa/matrix-product.ts';
import type { Undefined } from '../machine/memory/definedness.ts';
import type { UndefinedMember } from './member.ts';
import { strongest } from './shadow.ts';
import type { UndefinedResults } from './thread.ts';

/** An element that a lane holds, and the bits that it occupies in the register. */
interface Element {
  readonly index: number;
  readonly row: number;
  readonly column: number;
  readonly register: number;
  readonly bits: bigint;
}

function elements(fragment: Fragment, lane: number): readonly Element[] {
  const perRegister = fragment.registerBits / fragment.bits;
  return Array.from({ length: elementsOf(fragment) }, (_, i): Element => {
    const place = placeOf(fragment, lane, i);
    const bits = ((1n << BigInt(fragment.bits)) - 1n) << BigInt((i % perRegister) * fragment.bits);
    const { matrix } = place;
    const row = matrix * fragment.rows + place.row;
    const column = matrix * fragment.columns + place.column;
    return { index: indexOf(fragment, place), row, column, register: Math.floor(i / perRegister), bits };
  });
}

/**
 * Finds the elements of a matrix that have undefined bits. Depending on `at`, returns their rows, columns or indices.
 */
function mark(
  fragment: Fragment,
  firstRegister: number,
  group: readonly UndefinedMember[],
  at: 'row' | 'column' | 'index',
): ReadonlySet<number> {
  const marked = new Set<number>();
  for (const { lane, undefinedBits } of group) {
    const own = undefinedBits.slice(firstRegister, firstRegister + fragment.registers);
    if (own.every((found) => found === null)) continue;
    for (const element of elements(fragment, lane)) {
      if (((own[element.register]?.mask ?? 0n) & element.bits) !== 0n) marked.add(element[at]);
    }
  }
  return marked;
}

/** Returns, for each member of the group, the undefined bits in the registers that receive its elements of D. */
export function undefinedProduct(
  { a, b, c, d }: MatrixProduct,
  group: readonly UndefinedMember[],
): readonly UndefinedResults[] {
  const all = group.flatMap(({ undefinedBits }) => undefinedBits);
  const sent = strongest(all.map((found) => found ?? undefined));
  if (sent === null) return group.map(() => Array.from({ length: d.fragment.registers }, () => null));
  const afterB = a.fragment.registers + b.fragment.registers;
  const rows = mark(a.fragment, 0, group, 'row');
  const columns = mark(b.fragment, a.fragment.registers, group, 'column');
  const sums = mark(c.fragment, afterB, group, 'index');
  // Metadata and scales affect too many results to track individually.
  const everywhere = group.some(({ undefinedBits }) =>
    undefinedBits.slice(afterB + c.fragment.registers).some((found) => found !== null),
  );
  return group.map(({ lane }) => {
    const masks = Array.from({ length: d.fragment.registers }, () => 0n);
    for (const { index, row, column, register, bits } of elements(d.fragment, lane)) {
      if (!everywhere && !rows.has(row) && !columns.has(column) && !sums.has(index)) continue;
      masks[register] = elementAt(masks, register) | bits;
    }
    return masks.map((mask): Undefined | null => (mask === 0n ? null : { mask, origin: sent.origin }));
  });
}
