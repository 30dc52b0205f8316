/**
 * What is needed to find and read texels in one level of a texture, and nothing else. Most reads of textures need no
 * more, so compiled code does this by itself.
 */
import type { AddressMode, TexelType } from '../../isa/texture-fields.ts';

export interface LevelTexels {
  /** The address of the level's first texel in global memory. */
  readonly address: number;
  readonly texel: TexelType;
  readonly channels: number;
  /** Whether integers are read as numbers from 0 or -1 to 1. */
  readonly isFraction: boolean;
  /** Whether the texels around a place are mixed. Otherwise, the nearest one is read. */
  readonly isLinear: boolean;
  /** Whether coordinates are multiplied by sizes. */
  readonly scales: boolean;
  readonly axes: readonly Axis[];
}

/** A dimension along which the texel is found. */
export interface Axis {
  /** In texels. */
  readonly size: number;
  /** The distance between neighbors in bytes. */
  readonly stride: number;
  /** Where a texel is found instead of one outside. For `border`, no texel is. */
  readonly mode: AddressMode;
}
