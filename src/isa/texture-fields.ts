/**
 * The layout of the description of a texture, surface or sampler. The ISA and the driver treat a handle as an opaque
 * number; in ptxlab, a handle is the address of such a description in global memory.
 */

/** Offsets of the fields in bytes. */
export const textureFields = {
  /** An 8-byte field: the address of the first texel. */
  address: 0,
  /** A 1-byte field: one of the values in `textureTags`. */
  tag: 8,
  /** A 1-byte field: an index into `texelTypes`. */
  texel: 9,
  /** A 1-byte field: 1, 2 or 4. */
  channels: 10,
  /** A 1-byte field: 1, 2 or 3. A cube has two dimensions and six layers. */
  dimensions: 11,
  /** Flags: 1-byte fields that are either 0 or 1. */
  isArray: 12,
  isCube: 13,
  /** Whether integer texels are converted to numbers from 0 to 1 (unsigned) or from -1 to 1 (signed). */
  normalizesTexels: 14,
  normalizesCoordinates: 15,
  /** Each size is a 4-byte field. The depth and the number of layers are at least 1. */
  width: 16,
  height: 20,
  depth: 24,
  layers: 28,
  /** A 4-byte field: the number of levels of detail. */
  levels: 32,
  /** Two 1-byte fields: 1 for linear filtering, otherwise 0. */
  filter: 36,
  levelFilter: 37,
  /** A 1-byte field for each dimension: an index into `addressModes`. */
  addressModes: 38,
  /** An 8-byte field: the distance between rows of the finest level, in bytes. */
  rowBytes: 48,
  /** Three f32 numbers. */
  levelBias: 56,
  leastLevel: 60,
  greatestLevel: 64,
  /** Four f32 numbers: the texel that is read outside the texture in the address mode `border`. */
  border: 72,
  /** Two 4-byte fields: the numbers that txq and suq return. */
  channelDataType: 88,
  channelOrder: 92,
  /** A 4-byte field: the number of samples of each texel, which is always 1. */
  samples: 96,
  /** A 4-byte field that is always 0. */
  zero: 100,
  /** Sixteen zero bytes, which are read by loads from outside the surface. */
  nothing: 112,
  /** Sixteen bytes that are overwritten by stores outside the surface. */
  discarded: 128,
} as const;

export const textureBytes = 144;

/**
 * The values of the tag, which shows whether a description belongs to a texture, a surface or a sampler. The
 * description of a sampler has only the fields that determine how texels are read.
 */
export const textureTags = { texture: 0x58, surface: 0x59, sampler: 0x5a } as const;

/** The format of one channel of a texel. */
export interface TexelType {
  readonly name: TexelTypeName;
  readonly kind: 'unsigned' | 'signed' | 'float';
  readonly bytes: 1 | 2 | 4;
  /** The value of `.channel_data_type` for this format (PTX ISA 9.1, section 5.3). */
  readonly channelDataType: number;
}

export type TexelTypeName = 'u8' | 's8' | 'u16' | 's16' | 'u32' | 's32' | 'f16' | 'f32';

export const texelTypes: readonly TexelType[] = [
  { name: 'u8', kind: 'unsigned', bytes: 1, channelDataType: 0x10da },
  { name: 's8', kind: 'signed', bytes: 1, channelDataType: 0x10d7 },
  { name: 'u16', kind: 'unsigned', bytes: 2, channelDataType: 0x10db },
  { name: 's16', kind: 'signed', bytes: 2, channelDataType: 0x10d8 },
  { name: 'u32', kind: 'unsigned', bytes: 4, channelDataType: 0x10dc },
  { name: 's32', kind: 'signed', bytes: 4, channelDataType: 0x10d9 },
  { name: 'f16', kind: 'float', bytes: 2, channelDataType: 0x10dd },
  { name: 'f32', kind: 'float', bytes: 4, channelDataType: 0x10de },
];

/** The values of `.channel_data_type` for normalized integers. */
export const normalizedDataTypes: Readonly<Partial<Record<TexelTypeName, number>>> = {
  s8: 0x10d0,
  s16: 0x10d1,
  u8: 0x10d2,
  u16: 0x10d3,
};

/** The values of `.channel_order`, by the number of channels. */
export const channelOrders: Readonly<Record<1 | 2 | 4, number>> = { 1: 0x10b0, 2: 0x10b2, 4: 0x10b5 };

/** How coordinates outside a texture are treated, in the order of the values of `.addr_mode_0`. */
export const addressModes = ['wrap', 'mirror', 'clamp-ogl', 'clamp', 'border'] as const;

export type AddressMode = (typeof addressModes)[number];
