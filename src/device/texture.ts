/** Creates textures and surfaces, whose handles can be passed to kernels as arguments. */
import { PtxlabError } from '../base/error.ts';
import { requireOptions } from '../base/require.ts';
import type { RulesFor } from '../base/rules.ts';
import { texelTypes } from '../isa/texture-fields.ts';
import {
  encodeSampler,
  encodeTexture,
  encodeUnbound,
  levelsOf,
  type Sampling,
  type Texels,
  texelBytes,
  type TextureDescription,
  type TextureKind,
} from '../machine/textures/description.ts';
import type { GlobalMemory } from '../machine/memory/global-memory.ts';
import { isAddressed } from './arguments.ts';
import { DeviceBuffer } from './buffer.ts';
import { isOfAnotherDevice, setHome } from './device-range.ts';
import { MachineFault } from '../machine/fault.ts';
import { samplerRules, texelRules, textureRules } from './check-options.ts';
import type { SamplerOptions, TexelOptions, TextureAddressMode, TextureOptions } from './options.ts';

/** A texture, surface or sampler. When it is passed to a kernel as an argument, the kernel receives its handle. */
export class DeviceTexture {
  readonly kind: TextureKind;
  private readonly description: DeviceBuffer;

  /** Created by `Device.texture`, `Device.surface` and `Device.sampler`. */
  constructor(memory: GlobalMemory, kind: TextureKind, description: DeviceBuffer) {
    this.kind = kind;
    this.description = description;
    setHome(this, memory);
  }

  /** The handle, a 64-bit number that means nothing outside of the device. */
  get address(): bigint {
    return this.description.address;
  }

  /**
   * The bytes at the handle, which mean nothing outside of the device.
   *
   * @throws PtxlabError `buffer-freed`
   */
  bytes(): Uint8Array {
    return this.description.read();
  }

  /**
   * Frees the handle, but not the texels.
   *
   * @throws PtxlabError `buffer-freed` if it was already freed
   */
  free(): void {
    this.description.free();
  }
}

const whereTexels: RulesFor<Pick<TexelOptions, 'texels'>> = {
  texels: { takes: 'a buffer or a bigint', accepts: (value) => typeof value === 'bigint' || isAddressed(value) },
};

/** Stores the description of a texture in memory. Error messages refer to the texture as `owner`. */
export function makeTexture(memory: GlobalMemory, options: TextureOptions, owner: string): DeviceTexture {
  requireOptions(options, { ...whereTexels, ...textureRules }, 'a texture');
  return store(memory, 'texture', encodeTexture('texture', described(memory, 'texture', options)), owner);
}

/** Stores the description of a surface in memory. Error messages refer to the surface as `owner`. */
export function makeSurface(memory: GlobalMemory, options: TexelOptions, owner: string): DeviceTexture {
  requireOptions(options, { ...whereTexels, ...texelRules }, 'a surface');
  return store(memory, 'surface', encodeTexture('surface', described(memory, 'surface', options)), owner);
}

/** Stores a sampler in memory. Error messages refer to the sampler as `owner`. */
export function makeSampler(memory: GlobalMemory, options: SamplerOptions, owner: string): DeviceTexture {
  requireOptions(options, samplerRules, 'a sampler');
  const { forcesTexelCoordinates = false } = options;
  const sampling = samplingOf({ ...options, normalizedCoordinates: !forcesTexelCoordinates });
  return store(memory, 'sampler', encodeSampler(sampling), owner);
}

/**
 * The initial description of a texture, surface or sampler variable, which applies until `LoadedModule.bind` is called.
 * The description of a sampler is complete; that of a texture or surface lacks the texels.
 */
export function unboundDescription(kind: TextureKind): Uint8Array {
  return kind === 'sampler' ? encodeSampler(samplingOf({ normalizedCoordinates: true })) : encodeUnbound(kind);
}

function store(memory: GlobalMemory, kind: TextureKind, bytes: Uint8Array, owner: string): DeviceTexture {
  const buffer = new DeviceBuffer(memory, memory.allocate(bytes.byteLength, owner));
  buffer.write(bytes);
  return new DeviceTexture(memory, kind, buffer);
}

function described(memory: GlobalMemory, what: string, options: TextureOptions): TextureDescription {
  for (const name of ['texels', 'type', 'size'] as const) {
    if (options[name] === undefined) throw new PtxlabError('bad-option', `${what}: option '${name}' is missing`);
  }
  const found = texelsOf(options);
  const wrong =
    wrongSize(found, options) ??
    wrongType(found, options) ??
    wrongPlace(found, options) ??
    wrongMemory(memory, found, options);
  if (wrong !== null) throw new PtxlabError('bad-option', `${what}: ${wrong}`);
  return { ...found, ...samplingOf(options) };
}

function texelsOf(options: TextureOptions): Texels {
  const { type, channels = 1, size, layers = 1, cube = false } = options;
  const texel = texelTypes.find(({ name }) => name === type);
  if (texel === undefined) throw new Error(`no texel has channels of type ${type}`);
  const [width = 1, height = 1, depth = 1] = size;
  return {
    address: typeof options.texels === 'bigint' ? options.texels : options.texels.address,
    texel,
    channels,
    dimensions: size.length === 3 ? 3 : size.length === 2 ? 2 : 1,
    isArray: options.layers !== undefined,
    isCube: cube,
    width,
    height,
    depth,
    layers: layers * (cube ? 6 : 1),
    levels: options.levels ?? 1,
    rowBytes: options.rowBytes ?? width * texelBytes({ texel, channels }),
  };
}

function wrongSize(
  texels: Texels,
  { size, leastLevel = 0, greatestLevel = leastLevel }: TextureOptions,
): string | null {
  const { width, height, depth, levels } = texels;
  if (leastLevel > greatestLevel) return `leastLevel (${leastLevel}) is greater than greatestLevel (${greatestLevel})`;
  if (size.length < 1 || size.length > 3) return `there are 1 to 3 dimensions, not ${size.length}`;
  if (texels.isCube && (texels.dimensions !== 2 || width !== height))
    return 'the width and height of a cube must be equal';
  if (texels.isArray && texels.dimensions === 3) return 'an array cannot consist of volumes';
  const mostLevels = Math.floor(Math.log2(Math.max(width, height, depth))) + 1;
  return levels > mostLevels ? `this size has at most ${mostLevels} levels, not ${levels}` : null;
}

function wrongType({ texel }: Texels, { normalizedTexels = false, filter }: TextureOptions): string | null {
  if (normalizedTexels && (texel.kind === 'float' || texel.bytes === 4))
    return `channels of type ${texel.name} cannot be normalized`;
  if (filter === 'linear' && texel.kind !== 'float' && !normalizedTexels)
    return `channels of type ${texel.name} can be filtered only if they are normalized (normalizedTexels)`;
  return null;
}

function wrongPlace(texels: Texels, options: TextureOptions): string | null {
  const inTexel = texelBytes(texels);
  const { address, rowBytes, width } = texels;
  if (rowBytes < width * inTexel || rowBytes % inTexel !== 0)
    return `rowBytes must be a multiple of ${inTexel} that is at least ${width * inTexel}, not ${rowBytes}`;
  if (address % BigInt(inTexel) !== 0n)
    return `the address of the texels must be a multiple of ${inTexel}, not 0x${address.toString(16)}`;
  const { bytes } = levelsOf(texels);
  const given = options.texels instanceof DeviceBuffer ? options.texels.byteLength : bytes;
  return given < bytes ? `the buffer has ${given} bytes, but the texels take ${bytes}` : null;
}

/** Explains why the texels are not in the memory of the device. */
function wrongMemory(memory: GlobalMemory, texels: Texels, { texels: given }: TextureOptions): string | null {
  if (given instanceof DeviceTexture) return 'the texels must be in a buffer, not a texture or surface';
  if (isOfAnotherDevice(given, memory)) return 'the texels belong to another device';
  const { bytes } = levelsOf(texels);
  const start = Number(BigInt.asUintN(64, texels.address));
  try {
    for (const at of [start, start + bytes - 1]) memory.check('load', at, 1);
    return null;
  } catch (error) {
    if (!(error instanceof MachineFault)) throw error;
    return `the texels are not in allocated memory: ${error.message}`;
  }
}

function samplingOf(options: Omit<TextureOptions, keyof TexelOptions>): Sampling {
  const { addressMode = 'clamp', border = [0, 0, 0, 0] } = options;
  const modes: readonly TextureAddressMode[] = typeof addressMode === 'string' ? [addressMode] : addressMode;
  const last = modes.at(-1) ?? 'clamp';
  return {
    normalizesTexels: options.normalizedTexels ?? false,
    normalizesCoordinates: options.normalizedCoordinates ?? false,
    isLinear: options.filter === 'linear',
    mixesLevels: options.levelFilter === 'linear',
    addressModes: [0, 1, 2].map((i) => modes[i] ?? last),
    levelBias: options.levelBias ?? 0,
    leastLevel: options.leastLevel ?? 0,
    greatestLevel: options.greatestLevel ?? 32,
    border,
  };
}
