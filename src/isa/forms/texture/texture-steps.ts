/**
 * The steps of instructions for textures and surfaces. A handle is the address of a description (texture-fields.ts).
 */
import { elementAt } from '../../../base/element-at.ts';
import type { InstructionForm, Variant } from '../../form.ts';
import { vectorLanes } from '../../rules.ts';
import type { Ref } from '../../steps/ref.ts';
import type { Step } from '../../steps/step.ts';
import type { ValueStep } from '../../steps/value.ts';
import { coordinatesOf, type Geometry, geometries, type SurfacePlace, type TextureRead } from '../../texture-read.ts';
import { texelTypes, textureFields, textureTags } from '../../texture-fields.ts';
import { bits, compare, constant, integer, join, resize, select } from '../integer/steps.ts';
import { refsOf } from '../matrix/parts.ts';

/** The properties of a texture instruction that are not derived from its modifiers. */
export interface ReadOptions {
  readonly isFloat: boolean;
  readonly level: TextureRead['level'];
  readonly hasOffset: boolean;
  readonly type: 'f32' | 'int' | 'f16' | 'f16x2';
}

const components: Readonly<Record<string, 0 | 1 | 2 | 3>> = { '.r': 0, '.g': 1, '.b': 2, '.a': 3 };

/** The row of a table whose key is one of the variant's modifiers; null if there is no such row. */
function chosen<T>({ modifiers }: Variant, table: Readonly<Record<string, T>>): T | null {
  const word = Object.values(modifiers).find((one) => Object.hasOwn(table, one));
  return (word === undefined ? undefined : table[word]) ?? null;
}

/** The steps of tex and tld4. */
export function readSteps(options: ReadOptions): InstructionForm['steps'] {
  return (variant): readonly Step[] => {
    const geometry = chosen(variant, geometries);
    // The ISA does not define how multisample textures are read, and CUDA cannot create such textures.
    const isLeft = geometry === null || (geometry.isCube && options.level === 'derivatives');
    if (isLeft) return [{ kind: 'unsupported', what: variant.mnemonic }];
    return [...read(variant, geometry, options), ...packed(options.type), constant('$p', 1)];
  };
}

function read(variant: Variant, geometry: Geometry, { isFloat, level, hasOffset, type }: ReadOptions): readonly Step[] {
  const { dimensions } = geometry;
  const levels: Readonly<Record<TextureRead['level'], readonly Ref[]>> = {
    finest: [],
    given: ['$lod'],
    derivatives: [...refsOf('dpdx', dimensions), ...refsOf('dpdy', dimensions)],
  };
  return [
    {
      kind: 'texture-read',
      read: {
        geometry,
        isFloat,
        level,
        hasOffset,
        gathers: chosen(variant, components),
        narrows: type.startsWith('f16'),
      },
      space: 'global',
      texture: '$a',
      sampler: '$sampler',
      coordinates: refsOf('c', coordinatesOf(geometry)),
      level: levels[level],
      offset: hasOffset ? refsOf('e', dimensions) : [],
      to: refsOf(type === 'f16x2' ? 'half' : 'd', 4),
    },
  ];
}

/** Packs halves in pairs. */
function packed(type: ReadOptions['type']): readonly ValueStep[] {
  if (type !== 'f16x2') return [];
  return [join('$d.0', '$half.1', '$half.0', 16, 32), join('$d.1', '$half.3', '$half.2', 16, 32)];
}

/** The operands that instructions use to find texels of surfaces. */
function placed(variant: Variant, bytes: SurfacePlace['bytes'], access: SurfacePlace['access']) {
  const [geometry, outside] = [chosen(variant, geometries), chosen(variant, outsides)];
  if (geometry === null || outside === null) throw new Error(`${variant.mnemonic} accesses no surface`);
  const coordinates = refsOf('c', coordinatesOf(geometry));
  return { place: { geometry, bytes, outside, access }, space: 'global', surface: '$a', coordinates } as const;
}

/** Computes `$texel`, the address of the bytes that a surface instruction accesses. */
export function surfaceAddress(
  variant: Variant,
  bytes: SurfacePlace['bytes'],
  access: SurfacePlace['access'],
): readonly Step[] {
  return [{ kind: 'surface-address', ...placed(variant, bytes, access), to: '$texel' }];
}

/** The steps of sust.p. */
export const convertAndStore: InstructionForm['steps'] = (variant): readonly Step[] => [
  { kind: 'surface-store', ...placed(variant, null, 'store'), from: refsOf('b', vectorLanes(variant)) },
];

/** Sets `$signed` if the texels at `$a` are 32-bit signed integers. */
export function findSign(): readonly Step[] {
  return [
    ...loadField('$type', textureFields.texel, 8),
    constant(
      '$s32',
      texelTypes.findIndex(({ name }) => name === 's32'),
    ),
    resize('$format', 'u32', '$type', 'u8'),
    compare('eq', 'u32', '$signed', '$format', '$s32'),
  ];
}

const outsides: Readonly<Record<string, SurfacePlace['outside']>> = {
  '.trap': 'trap',
  '.clamp': 'clamp',
  '.zero': 'zero',
};

/** The steps of suld.b and sust.b. */
export const moveSteps =
  (access: SurfacePlace['access']): InstructionForm['steps'] =>
  (variant): readonly Step[] => {
    const { width } = elementAt(variant.types, 0);
    const lanes = vectorLanes(variant);
    const address = surfaceAddress(variant, (width / 8) * lanes, access);
    const common = { space: 'global', width, address: '$texel', order: null } as const;
    if (access === 'store') return [...address, { kind: 'store', ...common, from: refsOf('b', lanes), object: null }];
    return [...address, { kind: 'load', ...common, to: refsOf('d', lanes), proxy: 'generic', unused: false }];
  };

/** The fields of a description that can be queried, and their widths in bits. */
const queried: Readonly<Record<string, readonly [offset: number, width: 8 | 32]>> = {
  '.width': [textureFields.width, 32],
  '.height': [textureFields.height, 32],
  '.depth': [textureFields.depth, 32],
  '.array_size': [textureFields.layers, 32],
  '.num_mipmap_levels': [textureFields.levels, 32],
  '.num_samples': [textureFields.samples, 32],
  '.channel_data_type': [textureFields.channelDataType, 32],
  '.channel_order': [textureFields.channelOrder, 32],
  '.normalized_coords': [textureFields.normalizesCoordinates, 8],
  '.force_unnormalized_coords': [textureFields.zero, 32],
  '.memory_layout': [textureFields.zero, 32],
  '.filter_mode': [textureFields.filter, 8],
  '.addr_mode_0': [textureFields.addressModes, 8],
  '.addr_mode_1': [textureFields.addressModes + 1, 8],
  '.addr_mode_2': [textureFields.addressModes + 2, 8],
};

/** Loads the field that a modifier specifies from the description at `$a`. */
export function queryField(to: Ref, variant: Variant): readonly Step[] {
  const field = chosen(variant, queried);
  if (field === null) throw new Error(`${variant.mnemonic} queries no field of a description`);
  return loadField(to, ...field);
}

function loadField(to: Ref, offset: number, width: 8 | 32): readonly Step[] {
  return [
    constant('$offset', offset, 64),
    integer('add', 'u64', '$field', '$a', '$offset'),
    {
      kind: 'load',
      space: 'global',
      width,
      to: [to],
      address: '$field',
      proxy: 'generic',
      order: null,
      unused: false,
    },
  ];
}

/**
 * The size of the level `$lod`: half that of the previous level, but at least 1; 0 if the texture
 * does not have that level.
 */
export function sizeOfLevel(variant: Variant): readonly Step[] {
  return [
    ...queryField('$whole', variant),
    { kind: 'bits', fn: 'shr.u', width: 32, to: '$part', from: ['$whole', '$lod'] },
    constant('$one', 1),
    integer('max', 'u32', '$size', '$part', '$one'),
    ...loadField('$levels', textureFields.levels, 32),
    compare('lt', 'u32', '$exists', '$lod', '$levels'),
    constant('$none', 0),
    select('$d', '$exists', '$size', '$none'),
  ];
}

interface Tag {
  readonly tag: number;
  /** The tag bits that are compared. */
  readonly mask: number;
}

const tags: Readonly<Record<string, Tag>> = {
  '.texref': { tag: textureTags.texture, mask: 0xff },
  // The handle of a texture is also the handle of its sampler.
  '.samplerref': { tag: textureTags.texture, mask: 0xff & ~(textureTags.texture ^ textureTags.sampler) },
  '.surfref': { tag: textureTags.surface, mask: 0xff },
};

/** Tests the tag of the description at `$a`. */
export function isOfType(variant: Variant): readonly Step[] {
  const row = chosen(variant, tags);
  if (row === null) throw new Error(`${variant.mnemonic} names no type`);
  return [
    ...loadField('$tag', textureFields.tag, 8),
    constant('$expected', row.tag),
    constant('$mask', row.mask),
    resize('$word', 'u32', '$tag', 'u8'),
    bits('and', 32, '$found', '$word', '$mask'),
    compare('eq', 'u32', '$p', '$found', '$expected'),
  ];
}
