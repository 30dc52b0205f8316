/**
 * tensormap.replace and tensormap.cp_fenceproxy (PTX ISA 9.1, sections 9.7.9.28 and 9.7.13.16). Versions and targets
 * were determined with ptxas 13.0.
 */
import type { InstructionForm } from '../../form.ts';
import { type OperandPattern, read, type ValuePattern } from '../../operand-patterns.ts';
import { has } from '../../variant.ts';
import { at, atListed, atSuffixed } from '../../targets.ts';
import {
  elementStrideBits,
  highStrideBits,
  lowStrideBits,
  type MapField,
  strideUnit,
  tensorMapFields,
} from '../../tensor-map-fields.ts';
import { row } from '../availability-rows.ts';
import { executed } from '../checked.ts';
import { operandList } from '../operand-list.ts';
import { spaceOf } from '../space-of.ts';
import { copy, inGlobal, inShared } from './parts.ts';
import { replaceElementType, replaceField, type StoredField } from './tensor-map-steps.ts';

const map: OperandPattern = { kind: 'address', name: 'a', access: 'store', least: { bits: 32 } };
const spaces = ['.global', '.shared::cta'];
const ordinal = read('ord', '.u32', { constantOnly: true, range: [0, 4] });
const constant = (last: number, extras: Pick<ValuePattern, 'later'> = {}): ValuePattern =>
  read('b', '.u32', { constantOnly: true, range: [0, last], ...extras });

interface Field {
  readonly id: string;
  readonly type: '.b32' | '.b64';
  readonly operands: readonly OperandPattern[];
  /** For each field that the syntax line covers, how its value is stored. */
  readonly stored: Readonly<Record<string, StoredField>>;
}

const word = (offset: number, width: 8 | 32 | 64): StoredField => ({
  parts: [{ from: 0, to: { at: offset, width } }],
});
const inWord = (to: MapField): StoredField => ({ parts: [{ from: 0, to }] });
const strideShift = Math.log2(strideUnit);

const fields: readonly Field[] = [
  {
    id: 'address',
    type: '.b64',
    operands: [read('b', '.b64')],
    stored: { '.global_address': word(tensorMapFields.address, 64) },
  },
  {
    id: 'rank',
    type: '.b32',
    operands: [read('b', '.b32')],
    stored: { '.rank': inWord(tensorMapFields.rank) },
  },
  {
    id: 'dimension',
    type: '.b32',
    operands: [ordinal, read('b', '.b32')],
    stored: {
      '.box_dim': { ...word(tensorMapFields.box, 8), lessOne: true },
      '.global_dim': { ...word(tensorMapFields.dimensions, 32), lessOne: true },
      '.element_stride': { ...inWord({ ...tensorMapFields.elementStrides, width: elementStrideBits }), lessOne: true },
    },
  },
  {
    id: 'stride',
    type: '.b64',
    operands: [ordinal, read('b', '.b64')],
    stored: {
      '.global_stride': {
        parts: [
          { from: strideShift, to: { at: tensorMapFields.strides, width: lowStrideBits } },
          { from: strideShift + lowStrideBits, to: { ...tensorMapFields.highStrides, width: highStrideBits } },
        ],
      },
    },
  },
  {
    id: 'elemtype',
    type: '.b32',
    operands: [constant(15, { later: { from: 13, needs: row('.elemtype from 13 on', atSuffixed('8.7', 100)) } })],
    stored: { '.elemtype': inWord(tensorMapFields.elementType) },
  },
  {
    id: 'interleave_layout',
    type: '.b32',
    operands: [constant(2)],
    stored: { '.interleave_layout': inWord(tensorMapFields.interleave) },
  },
  {
    id: 'swizzle_mode',
    type: '.b32',
    operands: [
      constant(4, {
        later: { from: 4, needs: row('.swizzle_mode 4', atListed('8.8', 'sm_103a'), atListed('9.3', 'sm_107a')) },
      }),
    ],
    stored: {
      '.swizzle_mode': {
        parts: [
          { from: 0, to: tensorMapFields.swizzle },
          { from: tensorMapFields.swizzle.width, to: tensorMapFields.farSwizzle },
        ],
      },
    },
  },
  {
    id: 'swizzle_atomicity',
    type: '.b32',
    operands: [constant(3)],
    stored: { '.swizzle_atomicity': inWord(tensorMapFields.atomicity) },
  },
  {
    id: 'fill_mode',
    type: '.b32',
    operands: [constant(1)],
    stored: { '.fill_mode': inWord(tensorMapFields.fill) },
  },
];

const replacements = () =>
  fields.map(({ id, type, operands, stored }) =>
    executed(
      {
        id: `tensormap.replace.${id}`,
        section: '9.7.9.28',
        syntax: `tensormap.replace.tile.field{.space}.b1024${type}  ${operandList([map, ...operands])}`,
        summary: 'Changes a field in the description of a tensor (a tensor map).',
        sets: { field: Object.keys(stored), space: spaces },
        rows: id === 'swizzle_atomicity' ? [row('.swizzle_atomicity', atSuffixed('8.6', 100))] : [],
        operands: [map, ...operands],
      },
      atSuffixed('8.3', 90),
      (variant) => {
        const found = Object.entries(stored).find(([name]) => has(variant, name));
        if (found === undefined) throw new Error(`no field of a tensor map in ${variant.mnemonic}`);
        const space = spaceOf(variant);
        if (found[0] === '.elemtype')
          return replaceElementType(space, tensorMapFields.elementType, tensorMapFields.rounds);
        return replaceField(space, found[1], operands.includes(ordinal));
      },
    ),
  );

const size = read('size', '.u32', { constantOnly: true, oneOf: [128] });

/**
 * All threads of a warp perform the same copy together, after all of their earlier writes and before their later
 * accesses.
 */
const publication = (): InstructionForm => ({
  ...executed(
    {
      id: 'tensormap.cp_fenceproxy',
      section: '9.7.13.16',
      syntax:
        'tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned  [dst], [src], size',
      summary:
        'Copies the description of a tensor (a tensor map) and makes it visible to instructions that copy tensors.',
      operands: [inGlobal('dst', 'store'), inShared('src', 'load'), size],
    },
    at('8.3', 90),
    () => copy('shared', 'global', false),
  ),
  meets: 'around',
});

/** tensormap.replace and tensormap.cp_fenceproxy. */
export const tensorMapForms = (): readonly InstructionForm[] => [...replacements(), publication()];
