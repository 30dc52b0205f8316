/**
 * Descriptions of textures, surfaces and samplers, which are stored in global memory. A handle is the address of a
 * description.
 */
import { viewOf } from '../../base/byte-view.ts';
import {
  type AddressMode,
  addressModes,
  channelOrders,
  normalizedDataTypes,
  type TexelType,
  texelTypes,
  textureBytes,
  textureFields as fields,
  textureTags,
} from '../../isa/texture-fields.ts';
import { keysOf } from '../../base/records.ts';
import { machineFault } from '../fault.ts';

export type Channels = 1 | 2 | 4;

/** Texels and how they are arranged in memory. */
export interface Texels {
  /** The address of the first texel. */
  readonly address: bigint;
  readonly texel: TexelType;
  readonly channels: Channels;
  readonly dimensions: 1 | 2 | 3;
  readonly isArray: boolean;
  readonly isCube: boolean;
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  /**
   * The number of layers, which follow one another in memory. Each layer is a whole texture; a cube consists of six
   * layers.
   */
  readonly layers: number;
  /**
   * The number of levels of detail, which follow one another in memory. Each level is half as large as the previous
   * one.
   */
  readonly levels: number;
  /** The distance between rows of the first level, in bytes. The rows of other levels have no gaps between them. */
  readonly rowBytes: number;
}

/** How a texture is sampled. */
export interface Sampling {
  readonly normalizesCoordinates: boolean;
  readonly normalizesTexels: boolean;
  readonly isLinear: boolean;
  readonly mixesLevels: boolean;
  readonly addressModes: readonly AddressMode[];
  readonly levelBias: number;
  readonly leastLevel: number;
  readonly greatestLevel: number;
  readonly border: readonly number[];
}

export interface TextureDescription extends Texels, Sampling {}

export type TextureKind = keyof typeof textureTags;

/** The bytes of a sampler. */
export function encodeSampler(sampling: Sampling): Uint8Array<ArrayBuffer> {
  const bytes = encodeUnbound('sampler');
  writeSampling(bytes, sampling);
  return bytes;
}

/** The bytes of a description without texels. */
export function encodeUnbound(kind: TextureKind): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(textureBytes);
  bytes[fields.tag] = textureTags[kind];
  return bytes;
}

function writeSampling(bytes: Uint8Array<ArrayBuffer>, sampling: Sampling): void {
  const view = new DataView(bytes.buffer);
  for (const flag of ['normalizesTexels', 'normalizesCoordinates'] as const)
    bytes[fields[flag]] = Number(sampling[flag]);
  bytes[fields.filter] = Number(sampling.isLinear);
  bytes[fields.levelFilter] = Number(sampling.mixesLevels);
  sampling.addressModes.forEach((mode, i) => view.setUint8(fields.addressModes + i, addressModes.indexOf(mode)));
  for (const level of ['levelBias', 'leastLevel', 'greatestLevel'] as const)
    view.setFloat32(fields[level], sampling[level], true);
  sampling.border.forEach((value, i) => view.setFloat32(fields.border + 4 * i, value, true));
}

/** The bytes of a description. */
export function encodeTexture(kind: 'texture' | 'surface', description: TextureDescription): Uint8Array<ArrayBuffer> {
  const { address, texel, channels, rowBytes } = description;
  const bytes = encodeUnbound(kind);
  writeSampling(bytes, description);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(fields.address, address, true);
  bytes[fields.texel] = texelTypes.indexOf(texel);
  bytes[fields.channels] = channels;
  bytes[fields.dimensions] = description.dimensions;
  for (const flag of ['isArray', 'isCube'] as const) bytes[fields[flag]] = Number(description[flag]);
  for (const size of ['width', 'height', 'depth', 'layers', 'levels'] as const)
    view.setUint32(fields[size], description[size], true);
  view.setBigUint64(fields.rowBytes, BigInt(rowBytes), true);
  const normalized = description.normalizesTexels ? normalizedDataTypes[texel.name] : undefined;
  view.setUint32(fields.channelDataType, normalized ?? texel.channelDataType, true);
  view.setUint32(fields.channelOrder, channelOrders[channels], true);
  view.setUint32(fields.samples, 1, true);
  return bytes;
}

/**
 * Reads a description.
 *
 * @throws MachineFault PTX6037 if the bytes were not made by `encodeTexture`
 */
export function decodeTexture(bytes: Uint8Array): TextureDescription & { readonly kind: 'texture' | 'surface' } {
  const view = viewOf(bytes);
  const byteAt = (at: number): number => view.getUint8(at);
  const sizeOf = (at: number): number => view.getUint32(at, true);
  const texel = texelTypes[byteAt(fields.texel)];
  const [channels, dimensions] = [byteAt(fields.channels), byteAt(fields.dimensions)];
  const kind = kindOf(bytes);
  if (kind === 'sampler') throw badTexture('is a sampler, which has no texels');
  if (kind !== null && channels === 0)
    throw badTexture('has no texels yet: LoadedModule.bind gives them to a variable');
  if (kind === null || texel === undefined || !isChannels(channels) || !isDimensions(dimensions))
    throw badTexture('has a handle that was not made by Device.texture or Device.surface');
  return {
    kind,
    address: view.getBigUint64(fields.address, true),
    texel,
    channels,
    dimensions,
    isArray: byteAt(fields.isArray) !== 0,
    isCube: byteAt(fields.isCube) !== 0,
    width: sizeOf(fields.width),
    height: sizeOf(fields.height),
    depth: sizeOf(fields.depth),
    layers: sizeOf(fields.layers),
    levels: sizeOf(fields.levels),
    rowBytes: Number(view.getBigUint64(fields.rowBytes, true)),
    ...decodeSampling(bytes),
  };
}

/** Returns what the bytes describe: a texture, a surface or a sampler. Null if the bytes are not a description. */
export function kindOf(bytes: Uint8Array): TextureKind | null {
  return keysOf(textureTags).find((one) => textureTags[one] === bytes[fields.tag]) ?? null;
}

/** Reads the part of a sampler's or texture's description that determines how texels are read. */
export function decodeSampling(bytes: Uint8Array): Sampling {
  const view = viewOf(bytes);
  const isSet = (at: number): boolean => view.getUint8(at) !== 0;
  return {
    normalizesCoordinates: isSet(fields.normalizesCoordinates),
    normalizesTexels: isSet(fields.normalizesTexels),
    isLinear: isSet(fields.filter),
    mixesLevels: isSet(fields.levelFilter),
    addressModes: [0, 1, 2].map((i) => addressModes[view.getUint8(fields.addressModes + i)] ?? 'clamp'),
    levelBias: view.getFloat32(fields.levelBias, true),
    leastLevel: view.getFloat32(fields.leastLevel, true),
    greatestLevel: view.getFloat32(fields.greatestLevel, true),
    border: [0, 1, 2, 3].map((i) => view.getFloat32(fields.border + 4 * i, true)),
  };
}

function isChannels(count: number): count is Channels {
  return count === 1 || count === 2 || count === 4;
}

function isDimensions(count: number): count is 1 | 2 | 3 {
  return count >= 1 && count <= 3;
}

/** The fault for an operand that a texture instruction cannot use. */
export function badTexture(what: string): Error {
  return machineFault('PTX6037', { what });
}

/** A level of detail. */
export interface Level {
  readonly width: number;
  readonly height: number;
  readonly depth: number;
  /** The start of the level in bytes, relative to the first texel of the texture. */
  readonly start: number;
  readonly rowBytes: number;
  readonly sliceBytes: number;
  readonly layerBytes: number;
}

/** The number of bytes that a texel takes up. */
export function texelBytes({ texel, channels }: Pick<Texels, 'texel' | 'channels'>): number {
  return texel.bytes * channels;
}

/** The levels of a texture, beginning with the finest one, and their total size in bytes. */
export function levelsOf(texels: Texels): { readonly levels: readonly Level[]; readonly bytes: number } {
  const levels: Level[] = [];
  let start = 0;
  for (let i = 0; i < texels.levels; i++) {
    const [width, height, depth] = [texels.width, texels.height, texels.depth].map((size) => Math.max(1, size >> i));
    if (width === undefined || height === undefined || depth === undefined)
      throw new Error('a level without three sizes');
    const rowBytes = i === 0 ? texels.rowBytes : width * texelBytes(texels);
    const sliceBytes = rowBytes * height;
    const layerBytes = sliceBytes * depth;
    levels.push({ width, height, depth, start, rowBytes, sliceBytes, layerBytes });
    start += layerBytes * texels.layers;
  }
  // The last row need not have a gap after it.
  const unused = texels.levels === 1 ? texels.rowBytes - texels.width * texelBytes(texels) : 0;
  return { levels, bytes: start - unused };
}
