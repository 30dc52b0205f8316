/** The parts that the forms of textures and surfaces have in common. */
import type { AvailabilityRow } from '../../conditions.ts';
import type { CoordinatesPattern } from '../../operand-patterns.ts';
import { at } from '../../targets.ts';
import type { TypeName } from '../../types.ts';
import { row } from '../availability-rows.ts';

/** The minimum number of elements in a list of coordinates. */
export const coordinateCounts: Readonly<Record<string, number>> = {
  '.1d': 1,
  '.2d': 2,
  '.3d': 4,
  '.a1d': 2,
  '.a2d': 4,
  '.cube': 4,
  '.acube': 4,
  '.2dms': 4,
  '.a2dms': 4,
};

export const integers: readonly TypeName[] = ['.b32', '.u32', '.s32'];

/** Integer coordinates. If the texture or surface is an array, the array index has the same type as the coordinates. */
export const integerCoordinates: CoordinatesPattern = {
  kind: 'coordinates',
  name: 'c',
  least: coordinateCounts,
  types: integers,
};

/** The requirements for handles in registers. */
export const indirectTextures: AvailabilityRow = row('indirect texture access', at('3.1'));
export const indirectSurfaces: AvailabilityRow = row('indirect surface access', at('3.1'));
/**
 * The requirements for a separate sampler operand, unless `.target` contains `texmode_independent` and both the texture
 * and the sampler are variables.
 */
export const separateSamplers: AvailabilityRow = row('texture access with a sampler', at('4.3'));
/** The requirements for moving a handle into a register, by the type of the variable. */
export const indirectHandles: readonly (readonly [type: string, needs: AvailabilityRow])[] = [
  ['.texref', indirectTextures],
  ['.surfref', indirectSurfaces],
  ['.samplerref', row('indirect sampler access', at('4.3'))],
];
