/** The steps of tensormap.replace. `tensorMapFields` describes what a tensor map contains. */
import type { AccessSpace } from '../../spaces.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import { type MapField, roundedDistance, tensorElementTypes } from '../../tensor-map-fields.ts';
import { weakLoad, weakStore } from '../access-steps.ts';
import { bits, compare, constant, extract, integer, select } from '../integer/steps.ts';

/**
 * The place in a tensor map where bits of a value are stored. For numbered fields, this is the place in field number 0.
 */
export interface StoredBits {
  /** The position, in the value, of the lowest bit that is stored here. */
  readonly from: number;
  readonly to: StoredWord | MapField;
}

/** A word of the tensor map, consisting of one or more bytes. */
export interface StoredWord {
  readonly at: number;
  /** Width in bits. */
  readonly width: 8 | 32 | 64;
}

/** A field of a tensor map. */
export interface StoredField {
  readonly parts: readonly StoredBits[];
  /** Whether the field stores the value minus one. */
  readonly lessOne?: boolean;
}

/**
 * Stores the operand `b` in a field of the tensor map at `a`. If there are several fields, the operand `ord` selects
 * one of them.
 */
export function replaceField(space: AccessSpace, field: StoredField, isNumbered: boolean): readonly Step[] {
  const { parts, lessOne = false } = field;
  const value: Ref = lessOne ? '$less' : '$b';
  return [
    ...(lessOne ? [constant('$one', 1), integer('sub', 'u32', '$less', '$b', '$one')] : []),
    ...parts.flatMap(({ from, to }): readonly Step[] => [
      extract('$value', value, from, to.width),
      ...('low' in to ? replaceBits(space, to, isNumbered) : storeWord(space, to, isNumbered)),
    ]),
  ];
}

/** Stores the number of an element type. A map that rounds to tf32 keeps rounding even if its element type changes. */
export function replaceElementType(space: AccessSpace, elementType: MapField, rounds: MapField): readonly Step[] {
  return [
    constant('$first', tensorElementTypes.indexOf('tf32')),
    integer('sub', 'u32', '$from-first', '$b', '$first'),
    constant('$rounded-types', 2),
    constant('$one', 1),
    constant('$none', 0),
    constant('$distance', roundedDistance),
    compare('lt', 'u32', '$is-rounded', '$from-first', '$rounded-types'),
    select('$less', '$is-rounded', '$distance', '$none'),
    integer('sub', 'u32', '$value', '$b', '$less'),
    ...replaceBits(space, elementType, false),
    select('$value', '$is-rounded', '$one', '$none'),
    ...placedIn(rounds, false),
    ...loadWord(space, rounds.at),
    bits('or', 32, '$word', '$word', '$placed'),
    weakStore(space, 32, '$place', ['$word']),
  ];
}

/** Stores `$value`. */
function storeWord(space: AccessSpace, { at, width }: StoredWord, isNumbered: boolean): readonly Step[] {
  return [
    ...place(at),
    ...(isNumbered
      ? [
          constant('$bytes-each', width / 8),
          integer('mul.wide', 'u32', '$distance', '$ord', '$bytes-each'),
          integer('add', 'u64', '$place', '$place', '$distance'),
        ]
      : []),
    weakStore(space, width, '$place', ['$value']),
  ];
}

/** Stores `$value` in a field that consists of some of the bits of a word. */
function replaceBits(space: AccessSpace, field: MapField, isNumbered: boolean): readonly Step[] {
  return [
    ...placedIn(field, isNumbered),
    constant('$all', 2 ** field.width - 1),
    bits('shl', 32, '$others', '$all', '$low'),
    bits('not', 32, '$others', '$others'),
    ...loadWord(space, field.at),
    bits('and', 32, '$word', '$word', '$others'),
    bits('or', 32, '$word', '$word', '$placed'),
    weakStore(space, 32, '$place', ['$word']),
  ];
}

/** Computes `$low`, the lowest bit of a field, and `$placed`, the bits of `$value` shifted to that position. */
function placedIn({ low, width }: MapField, isNumbered: boolean): readonly Step[] {
  return [
    constant('$low', low),
    ...(isNumbered
      ? [
          constant('$bits-each', width),
          integer('mul.lo', 'u32', '$numbered', '$ord', '$bits-each'),
          integer('add', 'u32', '$low', '$low', '$numbered'),
        ]
      : []),
    bits('shl', 32, '$placed', '$value', '$low'),
  ];
}

function loadWord(space: AccessSpace, at: number): readonly Step[] {
  return [...place(at), weakLoad(space, 32, ['$word'], '$place')];
}

/** Computes `$place`, the address of a byte of the tensor map. */
function place(offset: number): readonly Step[] {
  return [constant('$offset', offset, 64), integer('add', 'u64', '$place', '$a', '$offset')];
}
