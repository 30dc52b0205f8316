/**
 * Reads textures and finds texels of surfaces (PTX ISA 9.1, sections 9.7.10 and 9.7.11). Both engines use this code.
 * The rules are those of the appendix on texture fetching in the CUDA programming guide.
 */
import { elementAt } from '../../base/element-at.ts';
import { type Geometry, operandStarts, type SurfacePlace, type TextureRead } from '../../isa/texture-read.ts';
import { textureBytes } from '../../isa/texture-fields.ts';
import { MachineFault } from '../fault.ts';
import {
  badTexture,
  decodeSampling,
  decodeTexture,
  kindOf,
  levelsOf,
  type Sampling,
  texelBytes,
  type TextureDescription,
  type TextureKind,
} from './description.ts';
import type { LevelTexels } from './level-texels.ts';
import { Sampler, type TexelSource, type TextureOperands } from './sampling.ts';
import { SurfacePlaces } from './surface-places.ts';
import { channelWriters } from './texel-writers.ts';

/** Global memory, which contains the descriptions and the texels. */
export interface TextureMemory {
  /** Throws a fault unless `size` bytes at `offset` can be accessed in one operation. */
  check(access: 'load' | 'store', offset: number, size: number): void;
  /** Returns the bytes at an offset. The array may be detached when memory grows. */
  bytesAt(offset: number, size: number): Uint8Array;
}

/** A texture whose description has been read and whose texels are known to be allocated. */
interface Open extends TexelSource {
  readonly kind: TextureKind;
  readonly bytes: number;
  /** The bytes of all texels. When memory grows, this array becomes empty, unless workers share the memory. */
  bytesOfTexels: Uint8Array;
  /** For each kind of read, the sampler that was last used to read this texture, and its handle. */
  readonly samplers: Map<TextureRead, { readonly handle: number; readonly sampler: Sampler }>;
  readonly places: Map<SurfacePlace, SurfacePlaces>;
}

/** The distance between the bytes that are checked when a texture is opened. */
const checkedEvery = 4096;

/** The textures and surfaces of a launch. Each description is read once, because kernels cannot change them. */
export class Textures {
  private readonly memory: TextureMemory;
  private readonly known = new Map<number, Open>();
  /** The texture that was opened last, because the next access is usually to the same one. */
  private last: { readonly handle: number; readonly open: Open } | null = null;

  constructor(memory: TextureMemory) {
    this.memory = memory;
  }

  /** Reads a texture, and stores the bits of the four results in `results`. Returns the `level` of the sampler. */
  read(
    read: TextureRead,
    texture: number,
    sampler: number,
    operands: TextureOperands,
    results: Uint32Array,
  ): LevelTexels | null {
    const open = this.open(texture);
    const known = open.samplers.get(read);
    const own = known?.handle === sampler ? known.sampler : this.samplerFor(read, open, sampler);
    own.sample(operands, results);
    return own.level;
  }

  private samplerFor(read: TextureRead, open: Open, handle: number): Sampler {
    requireKind(open, 'texture');
    requireGeometry(open.description, read.geometry);
    const sampler = new Sampler(open, this.samplingOf(handle, open.description), read);
    open.samplers.set(read, { handle, sampler });
    return sampler;
  }

  /**
   * Returns how texels of a texture are read with a given sampler. A texture can also be used as a sampler. A separate
   * sampler can turn off the normalized coordinates of the texture, but cannot turn them on (PTX ISA 9.1, section
   * 5.3.2).
   */
  private samplingOf(handle: number, texture: TextureDescription): Sampling {
    const bytes = this.descriptionAt(handle);
    if (kindOf(bytes) !== 'sampler') return this.open(handle).description;
    const { normalizesTexels } = texture;
    const own = decodeSampling(bytes);
    const normalizesCoordinates = texture.normalizesCoordinates && own.normalizesCoordinates;
    return { ...own, normalizesTexels, normalizesCoordinates };
  }

  /** The address of the texel that a surface instruction accesses, or of the bytes that it accesses instead. */
  addressOf(place: SurfacePlace, surface: number, coordinates: Int32Array): number {
    const open = this.open(surface);
    return (open.places.get(place) ?? this.placesFor(place, open, surface)).addressOf(coordinates);
  }

  private placesFor(place: SurfacePlace, open: Open, handle: number): SurfacePlaces {
    const { description, levels } = open;
    requireKind(open, 'surface');
    // The faces of cubes are accessed as layers.
    const found = { ...description, isArray: description.isArray || description.isCube, isCube: false };
    requireGeometry(found, place.geometry);
    const places = new SurfacePlaces(place, handle, description, elementAt(levels, 0));
    open.places.set(place, places);
    return places;
  }

  /** Stores a texel, and returns its address. The values of `operands` are converted to the format of the surface. */
  store(place: SurfacePlace, surface: number, operands: Int32Array, values: number): number {
    const address = this.addressOf(place, surface, operands);
    const { description } = this.open(surface);
    const { texel, channels } = description;
    const size = texelBytes(description);
    this.memory.check('store', address, size);
    const bytes = this.memory.bytesAt(address, size);
    const view = new DataView(bytes.buffer, bytes.byteOffset, size);
    const write = channelWriters[texel.name];
    for (let c = 0; c < channels; c++)
      write(view, c * texel.bytes, c < values ? (operands[operandStarts.values + c] ?? 0) : 0);
    return address;
  }

  private open(handle: number): Open {
    const { last } = this;
    if (last?.handle === handle && last.open.bytesOfTexels.length > 0) return last.open;
    const open = this.known.get(handle) ?? this.opened(handle);
    if (open.bytesOfTexels.length === 0) this.viewAgain(open);
    this.known.set(handle, open);
    this.last = { handle, open };
    return open;
  }

  private opened(handle: number): Open {
    const { kind, ...description } = decodeTexture(this.descriptionAt(handle));
    const { levels, bytes } = levelsOf(description);
    if (!this.isAllocated(Number(description.address), bytes))
      throw badTexture(`has texels at 0x${description.address.toString(16)}, which are not allocated or were freed`);
    const views = this.viewsOf(description.address, bytes);
    return { kind, description, levels, bytes, ...views, samplers: new Map(), places: new Map() };
  }

  private descriptionAt(handle: number): Uint8Array {
    const isDescribed = handle < 2 ** 32 && handle % 16 === 0 && this.isAllocated(handle, textureBytes);
    if (!isDescribed)
      throw badTexture('has a handle that was not made by Device.texture or Device.surface, or was freed');
    return this.memory.bytesAt(handle, textureBytes).slice();
  }

  /** Checks some of the bytes, which is enough to detect freed memory. */
  private isAllocated(start: number, bytes: number): boolean {
    try {
      for (let i = 0; i < bytes; i += checkedEvery) this.memory.check('load', start + i, 1);
      this.memory.check('load', start + bytes - 1, 1);
      return true;
    } catch (error) {
      if (error instanceof MachineFault) return false;
      throw error;
    }
  }

  /** Creates new views of the texels after memory has grown. */
  private viewAgain(open: Open): void {
    const { texels, bytesOfTexels } = this.viewsOf(open.description.address, open.bytes);
    open.texels = texels;
    open.bytesOfTexels = bytesOfTexels;
  }

  private viewsOf(address: bigint, bytes: number): Pick<Open, 'texels' | 'bytesOfTexels'> {
    const bytesOfTexels = this.memory.bytesAt(Number(address), bytes);
    return { bytesOfTexels, texels: new DataView(bytesOfTexels.buffer, bytesOfTexels.byteOffset, bytes) };
  }
}

function requireKind({ kind }: Open, wanted: TextureKind): void {
  if (kind !== wanted) throw badTexture(`is a ${kind}, but the instruction needs a ${wanted}`);
}

function requireGeometry(found: Geometry, asked: Geometry): void {
  const isSame =
    found.dimensions === asked.dimensions && found.isArray === asked.isArray && found.isCube === asked.isCube;
  if (!isSame) throw badTexture(`is ${inWords(found)}, but the instruction accesses ${inWords(asked)}`);
}

function inWords({ dimensions, isArray, isCube }: Geometry): string {
  const shape = isCube ? 'cubes' : `${dimensions}D textures`;
  return isArray ? `an array of ${shape}` : isCube ? 'a cube' : `a ${dimensions}D texture`;
}
