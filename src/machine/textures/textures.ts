/**
 * Reads textures and finds texels of surfaces (PTX ISA 9.1, sections 9.7.10 and 9.7.11). Both engines use it. The rules
 * are those of the appendix on texture fetching in the CUDA programming guide.
 */
import { elementAt } from '../../base/element-at.ts';
import { type Geometry, operandStarts, type SurfacePlace, type TextureRead } from '../../isa/texture-read.ts';
import { textureBytes, textureFields } from '../../isa/texture-fields.ts';
import { MachineFault } from '../fault.ts';
import {
  badTexture,
  decodeSampling,
  decodeTexture,
  kindOf,
  levelsOf,
  type Sampling,
  type Texels,
  texelBytes,
  type TextureDescription,
  type TextureKind,
} from './description.ts';
import { Sampler, type TexelSource, type TextureOperands } from './sampling.ts';
import { channelWriters } from './texel-writers.ts';

/** Global memory, in which descriptions and texels are. */
export interface TextureMemory {
  /** Throws a fault unless `size` bytes at `offset` can be accessed in one operation. */
  check(access: 'load' | 'store', offset: number, size: number): void;
  /** The bytes at an offset. They may be detached when memory grows. */
  bytesAt(offset: number, size: number): Uint8Array;
}

/** A texture whose description has been read and whose texels are known to be allocated. */
interface Open extends TexelSource {
  readonly kind: TextureKind;
  readonly bytes: number;
  /** What instructions do with this texture, and the handle of the sampler with which they last did it. */
  readonly samplers: Map<TextureRead, { readonly handle: number; readonly sampler: Sampler }>;
}

/** The distance between the bytes that are checked when a texture is opened. */
const checkedEvery = 4096;

/** The textures and surfaces of a launch. Each description is read once, because kernels cannot change them. */
export class Textures {
  private readonly memory: TextureMemory;
  private readonly known = new Map<number, Open>();

  constructor(memory: TextureMemory) {
    this.memory = memory;
  }

  /** Reads a texture, and stores the bits of the four results in `results`. */
  read(read: TextureRead, texture: number, sampler: number, operands: TextureOperands, results: Uint32Array): void {
    const open = this.open(texture);
    const known = open.samplers.get(read);
    const own = known?.handle === sampler ? known.sampler : this.samplerFor(read, open, sampler);
    own.sample(operands, results);
  }

  private samplerFor(read: TextureRead, open: Open, handle: number): Sampler {
    requireKind(open, 'texture');
    requireGeometry(open.description, read.geometry);
    const sampler = new Sampler(open, this.samplingOf(handle, open.description), read);
    open.samplers.set(read, { handle, sampler });
    return sampler;
  }

  /**
   * How a sampler reads a texture. The sampler can be a texture, too. A sampler without texels can only turn the
   * normalized coordinates of the texture off (PTX ISA 9.1, section 5.3.2).
   */
  private samplingOf(handle: number, texture: TextureDescription): Sampling {
    const bytes = this.descriptionAt(handle);
    if (kindOf(bytes) !== 'sampler') return this.open(handle).description;
    const { normalizesTexels } = texture;
    const own = decodeSampling(bytes);
    const normalizesCoordinates = texture.normalizesCoordinates && own.normalizesCoordinates;
    return { ...own, normalizesTexels, normalizesCoordinates };
  }

  /** The address of the texel that a surface instruction accesses, or of bytes that take its place. */
  addressOf({ geometry, bytes, outside, access }: SurfacePlace, surface: number, coordinates: Int32Array): number {
    const open = this.open(surface);
    const { description, levels } = open;
    requireKind(open, 'surface');
    // The faces of cubes are accessed as layers.
    requireGeometry({ ...description, isArray: description.isArray || description.isCube, isCube: false }, geometry);
    const { width, height, depth, rowBytes, sliceBytes, layerBytes } = elementAt(levels, 0);
    const first = geometry.isArray ? 1 : 0;
    const ofTexel = texelBytes(description);
    // The end of a row is outside if it is shorter than an access.
    const rowSize = bytes === null ? width : Math.floor((width * ofTexel) / bytes) * bytes - bytes + 1;
    const sizes = [rowSize, height, depth];
    const strides = [bytes === null ? ofTexel : 1, rowBytes, sliceBytes];
    let address = Number(description.address);
    let isInside = true;
    const move = (at: number, size: number, stride: number): void => {
      if (at < 0 || at >= size) isInside = false;
      address += Math.max(0, Math.min(size - 1, at)) * stride;
    };
    // The index of the layer has 16 bits.
    if (geometry.isArray) move((coordinates[0] ?? 0) & 0xffff, description.layers, layerBytes);
    for (let i = 0; i < geometry.dimensions; i++)
      move(coordinates[first + i] ?? 0, elementAt(sizes, i), elementAt(strides, i));
    if (isInside || outside === 'clamp') return address;
    if (outside === 'trap') throw outsideOf(description, geometry, coordinates, bytes === null);
    return surface + (access === 'load' ? textureFields.nothing : textureFields.discarded);
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
    const known = this.known.get(handle);
    if (known !== undefined) {
      if (known.texels.buffer.byteLength === 0) known.texels = this.texelsOf(known.description.address, known.bytes);
      return known;
    }
    const made = this.opened(handle);
    this.known.set(handle, made);
    return made;
  }

  private opened(handle: number): Open {
    const { kind, ...description } = decodeTexture(this.descriptionAt(handle));
    const { levels, bytes } = levelsOf(description);
    if (!this.isAllocated(Number(description.address), bytes))
      throw badTexture(`has texels at 0x${description.address.toString(16)}, which are not allocated or were freed`);
    return { kind, description, levels, bytes, texels: this.texelsOf(description.address, bytes), samplers: new Map() };
  }

  private descriptionAt(handle: number): Uint8Array {
    const isDescribed = handle < 2 ** 32 && handle % 16 === 0 && this.isAllocated(handle, textureBytes);
    if (!isDescribed)
      throw badTexture('has a handle that was not made by Device.texture or Device.surface, or was freed');
    return this.memory.bytesAt(handle, textureBytes).slice();
  }

  /** Checks some of the bytes, which are enough to notice memory that was freed. */
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

  private texelsOf(address: bigint, bytes: number): DataView {
    const found = this.memory.bytesAt(Number(address), bytes);
    return new DataView(found.buffer, found.byteOffset, bytes);
  }
}

function requireKind({ kind }: Open, wanted: TextureKind): void {
  if (kind !== wanted) throw badTexture(`is a ${kind}, but the instruction needs a ${wanted}`);
}

/** The fault for an access outside of a surface. */
function outsideOf(
  description: Texels,
  { isArray, dimensions }: Geometry,
  coordinates: Int32Array,
  countsTexels: boolean,
): Error {
  const { width, height, depth, layers } = description;
  const sizes = [width, height, depth].slice(0, dimensions).join(' by ');
  const given = [...coordinates.subarray(0, dimensions + (isArray ? 1 : 0))].join(', ');
  const unit = countsTexels ? 'texels' : 'bytes';
  const where = isArray
    ? `, of which the first is the layer and the second counts ${unit}`
    : `, of which the first counts ${unit}`;
  const has = `${isArray ? `${layers} layers of ` : ''}${sizes} texels of ${texelBytes(description)} bytes`;
  return badTexture(`is accessed at {${given}}${where}, but it has ${has}`);
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
