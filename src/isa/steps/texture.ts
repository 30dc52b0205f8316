/** Steps that read textures or access texels of surfaces. */
import type { AccessSpace } from '../spaces.ts';
import type { SurfacePlace, TextureRead } from '../texture-read.ts';
import { alone, type FactsOf } from './facts.ts';
import type { Ref } from './ref.ts';

export interface TextureSteps {
  /**
   * Reads a texture. `texture` is the handle of the texture. `sampler` is the handle of the sampler or, if there is no
   * separate sampler, the handle of the texture. All other operands are 32 bits wide. If the texture has layers, the
   * first of the `coordinates` is the index of the layer. `level` contains either the level of detail, or the
   * derivatives of the coordinates along x, followed by those along y. `offset` is added to the texel coordinates.
   */
  readonly 'texture-read': {
    readonly read: TextureRead;
    readonly space: AccessSpace;
    readonly texture: Ref;
    readonly sampler: Ref;
    readonly coordinates: readonly Ref[];
    readonly level: readonly Ref[];
    readonly offset: readonly Ref[];
    /** Four 32-bit results. */
    readonly to: readonly Ref[];
  };
  /**
   * Computes the address of a texel of the surface with the handle `surface`. `coordinates` are 32-bit integers. If the
   * surface has layers, the first coordinate is the index of the layer.
   */
  readonly 'surface-address': {
    readonly place: SurfacePlace;
    readonly space: AccessSpace;
    readonly surface: Ref;
    readonly coordinates: readonly Ref[];
    readonly to: Ref;
  };
  /**
   * Stores a texel in the surface with the handle `surface`. The 32-bit values `from` are converted to the format of
   * the surface, and missing values are 0. `coordinates` has the same form as in `surface-address`.
   */
  readonly 'surface-store': {
    readonly place: SurfacePlace;
    readonly space: AccessSpace;
    readonly surface: Ref;
    readonly coordinates: readonly Ref[];
    readonly from: readonly Ref[];
  };
}

export const textureFacts: FactsOf<TextureSteps> = {
  'texture-read': {
    ...alone,
    flow: 'next',
    values: {
      texture: 'in',
      sampler: 'in',
      coordinates: 'in',
      level: 'in',
      offset: 'in',
      to: 'out',
    },
    memory: [{ access: 'read', space: 'space', address: 'texture' }],
  },
  'surface-address': {
    ...alone,
    flow: 'next',
    values: { surface: 'in', coordinates: 'in', to: 'out' },
    memory: [{ access: 'read', space: 'space', address: 'surface' }],
  },
  'surface-store': {
    ...alone,
    flow: 'next',
    values: { surface: 'in', coordinates: 'in', from: 'in' },
    // The step reads the description of the surface, and then updates the texel.
    memory: [
      { access: 'read', space: 'space', address: 'surface' },
      { access: 'update', space: 'space', address: 'surface' },
    ],
  },
};
