/** Finds the addresses of the texels that an instruction accesses in a surface (PTX ISA 9.1, section 9.7.11). */
import type { Geometry, SurfacePlace } from '../../isa/texture-read.ts';
import { textureFields } from '../../isa/texture-fields.ts';
import { badTexture, type Level, texelBytes, type Texels } from './description.ts';

/** Maximum number of coordinates: one for the layer, and three within the layer. */
const mostCoordinates = 4;

export class SurfacePlaces {
  private readonly place: SurfacePlace;
  private readonly description: Texels;
  private readonly start: number;
  private readonly count: number;
  /**
   * For each coordinate, the number of valid values, the distance in bytes between two consecutive values, and a mask
   * of the bits that are used.
   */
  private readonly sizes = new Float64Array(mostCoordinates);
  private readonly strides = new Float64Array(mostCoordinates);
  private readonly masks = new Int32Array(mostCoordinates).fill(-1);
  /** The address of the bytes that are accessed instead of texels outside the surface. */
  private readonly nothing: number;

  /** @param handle the handle of the surface, which is the address of its description */
  constructor(place: SurfacePlace, handle: number, description: Texels, level: Level) {
    const { geometry, bytes, access } = place;
    const { width, height, depth, rowBytes, sliceBytes, layerBytes } = level;
    const ofTexel = texelBytes(description);
    this.place = place;
    this.description = description;
    this.start = Number(description.address);
    this.nothing = handle + (access === 'load' ? textureFields.nothing : textureFields.discarded);
    // An access that does not fit into the rest of a row counts as outside the surface.
    const rowSize = bytes === null ? width : Math.floor((width * ofTexel) / bytes) * bytes - bytes + 1;
    const layers = geometry.isArray ? [{ size: description.layers, stride: layerBytes }] : [];
    const directions = [
      { size: rowSize, stride: bytes === null ? ofTexel : 1 },
      { size: height, stride: rowBytes },
      { size: depth, stride: sliceBytes },
    ].slice(0, geometry.dimensions);
    const all = [...layers, ...directions];
    this.count = all.length;
    this.sizes.set(all.map(({ size }) => size));
    this.strides.set(all.map(({ stride }) => stride));
    // The layer index has 16 bits.
    if (geometry.isArray) this.masks[0] = 0xffff;
  }

  /**
   * The address of a texel or, if the texel is outside the surface, of the bytes that are accessed instead. Throws a
   * fault if the texel is outside and `outside` is `trap`.
   */
  addressOf(coordinates: Int32Array): number {
    const { sizes, strides, masks, count } = this;
    let address = this.start;
    let isInside = true;
    for (let i = 0; i < count; i++) {
      const at = (coordinates[i] ?? 0) & (masks[i] ?? 0);
      const last = (sizes[i] ?? 0) - 1;
      if (at < 0 || at > last) isInside = false;
      address += Math.max(0, Math.min(last, at)) * (strides[i] ?? 0);
    }
    const { outside, geometry, bytes } = this.place;
    if (isInside || outside === 'clamp') return address;
    if (outside === 'trap') throw outsideOf(this.description, geometry, coordinates, bytes === null);
    return this.nothing;
  }
}

/** The fault for an access outside a surface. */
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
