/**
 * The information that is needed to find and read texels in one level of a texture. Most texture reads need nothing
 * else, so compiled code performs them by itself.
 */
import type { AddressMode, TexelType } from '../../isa/texture-fields.ts';

export interface LevelTexels {
  /** The address of the level's first texel in global memory. */
  readonly address: number;
  readonly texel: TexelType;
  readonly channels: number;
  /** Whether integers are read as numbers from 0 to 1 or, if they are signed, from -1 to 1. */
  readonly isFraction: boolean;
  /** Whether the texels around a position are mixed. Otherwise, the nearest texel is read. */
  readonly isLinear: boolean;
  /** Whether each coordinate is multiplied by the size of its dimension. */
  readonly scales: boolean;
  readonly axes: readonly Axis[];
}

/** A dimension of a level. */
export interface Axis {
  /** The number of texels along the dimension. */
  readonly size: number;
  /** The distance in bytes between neighboring texels. */
  readonly stride: number;
  /** Determines which texel is read in place of one outside the texture. With `border`, no texel is read. */
  readonly mode: AddressMode;
}
