/** The steps of tensormap.replace. `tensorMapFields` describes what ptxlab stores in a tensor map. */
import type { AccessSpace } from '../../spaces.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { tensorMapFields, tensorMapTag } from '../../tensor-map-fields.ts';
import { weakStore } from '../access-steps.ts';
import { constant, integer } from '../integer/steps.ts';

/** A field of a tensor map, or the first one of several with a number each. */
export interface StoredField {
  /** Its offset in bytes. */
  readonly at: number;
  /** In bits. */
  readonly width: 8 | 32 | 64;
  /** Whether the value is stored minus one. */
  readonly lessOne: boolean;
}

/**
 * Stores the operand `b` in a field of the tensor map at `a`. If there are several fields, the operand `ord` selects
 * one of them. A program may begin with 128 bytes of zeros and replace every field, so these steps also write the tag.
 */
export function replaceField(space: AccessSpace, field: StoredField, isNumbered: boolean): readonly Step[] {
  const { at: offset, width, lessOne } = field;
  return [
    constant('$tag', tensorMapTag),
    ...place(tensorMapFields.tag),
    storeAtPlace(space, 8, '$tag'),
    ...place(offset),
    ...(isNumbered
      ? [
          constant('$bytes-each', width / 8),
          integer('mul.wide', 'u32', '$distance', '$ord', '$bytes-each'),
          integer('add', 'u64', '$place', '$place', '$distance'),
        ]
      : []),
    ...(lessOne ? [constant('$one', 1), integer('sub', 'u32', '$value', '$b', '$one')] : []),
    storeAtPlace(space, width, lessOne ? '$value' : '$b'),
  ];
}

/** Computes `$place`, the address of a byte of the tensor map. */
function place(offset: number): readonly Step[] {
  return [constant('$offset', offset, 64), integer('add', 'u64', '$place', '$a', '$offset')];
}

function storeAtPlace(space: AccessSpace, width: number, from: Ref): Step {
  return weakStore(space, width, '$place', [from]);
}
