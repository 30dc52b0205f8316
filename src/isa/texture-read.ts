/** Describes how instructions read textures and locate texels of surfaces. */

/** The shape of a texture or surface, as specified by an instruction. */
export interface Geometry {
  readonly dimensions: 1 | 2 | 3;
  readonly isArray: boolean;
  readonly isCube: boolean;
}

/** The geometries that engines can access, by modifier. Geometries with several samples per texel are not supported. */
export const geometries: Readonly<Record<string, Geometry>> = {
  '.1d': { dimensions: 1, isArray: false, isCube: false },
  '.2d': { dimensions: 2, isArray: false, isCube: false },
  '.3d': { dimensions: 3, isArray: false, isCube: false },
  '.a1d': { dimensions: 1, isArray: true, isCube: false },
  '.a2d': { dimensions: 2, isArray: true, isCube: false },
  '.cube': { dimensions: 2, isArray: false, isCube: true },
  '.acube': { dimensions: 2, isArray: true, isCube: true },
};

/** The number of coordinates, including the index of the layer. A position in a cube has three coordinates. */
export function coordinatesOf({ dimensions, isArray, isCube }: Geometry): number {
  return (isCube ? 3 : dimensions) + (isArray ? 1 : 0);
}

/** What tex and tld4 do. */
export interface TextureRead {
  readonly geometry: Geometry;
  /** Whether the coordinates are f32 numbers; integers select a texel without filtering. */
  readonly isFloat: boolean;
  /**
   * How the level of detail is chosen: it is always the finest one, or an operand specifies it, or it is computed from
   * derivatives.
   */
  readonly level: 'finest' | 'given' | 'derivatives';
  /** Whether an offset is added to the texel coordinates. */
  readonly hasOffset: boolean;
  /** For tld4, the component that is read from each of the four texels; null for tex. */
  readonly gathers: 0 | 1 | 2 | 3 | null;
  /** Whether the results are f16 numbers, zero-extended to 32 bits; otherwise, they are f32 numbers or integers. */
  readonly narrows: boolean;
}

/**
 * The positions of an instruction's operands in a list of 32-bit words, and the number of words (`count`). `values` are
 * the values that are stored in a surface.
 */
export const operandStarts = { coordinates: 0, level: 4, values: 4, offset: 10, count: 13 } as const;

/** How suld, sust and sured use coordinates. */
export interface SurfacePlace {
  readonly geometry: Geometry;
  /**
   * The number of bytes that are accessed if the first coordinate is in bytes; null if this coordinate is in texels.
   */
  readonly bytes: number | null;
  /**
   * What happens if a texel is outside the surface: the launch ends with a fault, the nearest texel is used, or nothing
   * is accessed.
   */
  readonly outside: 'trap' | 'clamp' | 'zero';
  readonly access: 'load' | 'store';
}
