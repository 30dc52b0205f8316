/** Steps that read textures, and that find texels of surfaces. */
import type { AccessSpace } from '../spaces.ts';
import type { SurfacePlace, TextureRead } from '../texture-read.ts';
import { alone, type FactsOf } from './facts.ts';
import type { Ref } from './ref.ts';

export interface TextureSteps {
  /**
   * Reads a texture. `texture` is its handle, and `sampler` the handle of the sampler or, if there is none, of the
   * texture again. All other operands are 32 bits wide. `coordinates` begin with the index of the layer if there is
   * one. `level` is the level of detail, or the derivatives of the coordinates along x and then those along y. `offset`
   * is added to the coordinates of texels.
   */
  readonly 'texture-read': {
    readonly read: TextureRead;
    readonly space: AccessSpace;
    readonly texture: Ref;
    readonly sampler: Ref;
    readonly coordinates: readonly Ref[];
    readonly level: readonly Ref[];
    readonly offset: readonly Ref[];
    /** Four results of 32 bits. */
    readonly to: readonly Ref[];
  };
  /**
   * Computes the address of a texel of the surface with the handle `surface`. `coordinates` are 32-bit integers, which
   * begin with the index of the layer if there is one.
   */
  readonly 'surface-address': {
    readonly place: SurfacePlace;
    readonly space: AccessSpace;
    readonly surface: Ref;
    readonly coordinates: readonly Ref[];
    readonly to: Ref;
  };
  /**
   * Stores a texel in the surface with the handle `surface`. The 32-bit values `from` are converted to the format of the
   * surface, and those that are missing are 0. `coordinates` are like those of `surface-address`.
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
    // The description is read, and the texel is looked at before it is written.
    memory: [
      { access: 'read', space: 'space', address: 'surface' },
      { access: 'update', space: 'space', address: 'surface' },
    ],
  },
};
