/** The steps of tensormap.replace. `tensorMapFields` describes what ptxlab stores in a tensor map. */
import type { AccessSpace } from '../../spaces.ts';
import { mostDimensions } from '../../steps/memory.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { tensorElements, tensorMapFields, tensorMapTag } from '../../tensor-map-fields.ts';
import { bits, compare, constant, extract, integer, resize, select } from '../integer/steps.ts';

/** A field of a tensor map, or the first one of several with a number each. */
export interface StoredField {
  /** Its offset in bytes. */
  readonly at: number;
  /** In bits. */
  readonly width: 8 | 32 | 64;
  /** Whether the value is stored minus one. */
  readonly lessOne: boolean;
  /** Whether the size of the box in bytes depends on it. */
  readonly resizes: boolean;
}

/**
 * Stores the operand `b` in a field of the tensor map at `a`. If there are several fields, the operand `ord` selects one
 * of them. A program may begin with 128 bytes of zeros and replace every field, so these steps also write the tag.
 */
export function replaceField(space: AccessSpace, field: StoredField, isNumbered: boolean): readonly Step[] {
  const { at: offset, width, lessOne, resizes } = field;
  return [
    constant('$tag', tensorMapTag),
    ...store(space, tensorMapFields.tag, 8, '$tag'),
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
    ...(resizes ? resizeBox(space) : []),
  ];
}

/** Computes `$place`, the address of a byte of the tensor map. */
function place(offset: number): readonly Step[] {
  return [constant('$offset', offset, 64), integer('add', 'u64', '$place', '$a', '$offset')];
}

function storeAtPlace(space: AccessSpace, width: number, from: Ref): Step {
  return { kind: 'store', space, width, from: [from], address: '$place', watched: false };
}

function store(space: AccessSpace, offset: number, width: number, from: Ref): readonly Step[] {
  return [...place(offset), storeAtPlace(space, width, from)];
}

/** Loads the 8 bytes at an offset. */
function load(space: AccessSpace, to: Ref, offset: number): readonly Step[] {
  const loaded = { kind: 'load', space, width: 64, to: [to], address: '$place' } as const;
  return [...place(offset), { ...loaded, readOnly: false, watched: false, unused: false }];
}

/** The size of each type of elements, as a binary logarithm in 4 bits, the first type in the lowest bits. */
const sizes = tensorElements.reduce((all, element, i) => all | (BigInt(element?.logBytes ?? 0) << BigInt(4 * i)), 0n);

/**
 * Computes the size of the box in bytes. Along a dimension, a box of n elements with a stride of s has n / s elements,
 * rounded up; along the innermost dimension, the stride is ignored.
 */
function resizeBox(space: AccessSpace): readonly Step[] {
  const { tag, elementType, rank, box, elementStrides, boxBytes } = tensorMapFields;
  const dimension = (i: number): readonly Step[] => [
    extract('$length', '$box', 8 * i, 8),
    ...(i === 0
      ? []
      : [
          extract('$stride', '$strides', 8 * i, 8),
          integer('add', 'u32', '$stride', '$stride', '$one'),
          integer('div', 'u32', '$length', '$length', '$stride'),
        ]),
    integer('add', 'u32', '$length', '$length', '$one'),
    constant('$number', i),
    compare('le', 'u32', '$exists', '$number', '$rank'),
    select('$length', '$exists', '$length', '$one'),
    integer('mul.lo', 'u32', '$total', '$total', '$length'),
  ];
  return [
    ...load(space, '$facts', tag),
    ...load(space, '$box', box),
    ...load(space, '$strides', elementStrides),
    constant('$one', 1),
    constant('$two', 2),
    extract('$rank', '$facts', 8 * (rank - tag), 8),
    extract('$shift', '$facts', 8 * (elementType - tag), 8),
    bits('shl', 32, '$shift', '$shift', '$two'),
    { kind: 'constant', to: '$sizes', value: sizes },
    bits('shr.u', 64, '$size', '$sizes', '$shift'),
    extract('$size', '$size', 0, 4),
    bits('shl', 32, '$total', '$one', '$size'),
    ...Array.from({ length: mostDimensions }, (_, i) => dimension(i)).flat(),
    resize('$all', 'u64', '$total', 'u32'),
    ...store(space, boxBytes, 64, '$all'),
  ];
}
