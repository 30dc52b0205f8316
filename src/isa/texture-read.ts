/** How instructions read textures, and find texels of surfaces. */

/** The shape of a texture or surface, as an instruction states it. */
export interface Geometry {
  readonly dimensions: 1 | 2 | 3;
  readonly isArray: boolean;
  readonly isCube: boolean;
}

/** The geometries that engines can access, by modifier. Those with several samples for each texel are missing. */
export const geometries: Readonly<Record<string, Geometry>> = {
  '.1d': { dimensions: 1, isArray: false, isCube: false },
  '.2d': { dimensions: 2, isArray: false, isCube: false },
  '.3d': { dimensions: 3, isArray: false, isCube: false },
  '.a1d': { dimensions: 1, isArray: true, isCube: false },
  '.a2d': { dimensions: 2, isArray: true, isCube: false },
  '.cube': { dimensions: 2, isArray: false, isCube: true },
  '.acube': { dimensions: 2, isArray: true, isCube: true },
};

/** The number of coordinates, including the index of the layer. A point of a cube has three coordinates. */
export function coordinatesOf({ dimensions, isArray, isCube }: Geometry): number {
  return (isCube ? 3 : dimensions) + (isArray ? 1 : 0);
}

/** What tex and tld4 do. */
export interface TextureRead {
  readonly geometry: Geometry;
  /** Whether the coordinates are f32 numbers; integers select a texel without filtering. */
  readonly isFloat: boolean;
  /** How the level of detail is determined: the finest level, the level of an operand, or by derivatives. */
  readonly level: 'finest' | 'given' | 'derivatives';
  /** Whether numbers are added to the coordinates of texels. */
  readonly hasOffset: boolean;
  /** For tld4, the component that it reads of four texels. */
  readonly gathers: 0 | 1 | 2 | 3 | null;
  /** Whether the results are of type f16, with zeros above them; otherwise, they are f32 numbers or integers. */
  readonly narrows: boolean;
}

/**
 * Where the operands of an instruction are in a list of 32-bit words, and how many words there are. The values are those
 * that are stored in a surface.
 */
export const operandStarts = { coordinates: 0, level: 4, values: 4, offset: 10, count: 13 } as const;

/** What suld, sust and sured do with coordinates. */
export interface SurfacePlace {
  readonly geometry: Geometry;
  /** The number of bytes that are accessed; the first coordinate counts bytes. If this is null, it counts texels. */
  readonly bytes: number | null;
  /** For texels outside of the surface: the launch ends, the nearest texel is used, or nothing is accessed. */
  readonly outside: 'trap' | 'clamp' | 'zero';
  readonly access: 'load' | 'store';
}
