/** The fields that the initial value of an opaque variable can set in ptxas 13.0 (PTX ISA 9.1, section 5.3). */
import type { AvailabilityRow } from './conditions.ts';
import { row } from './forms/availability-rows.ts';
import { at } from './targets.ts';
import type { AddressMode } from './texture-fields.ts';

const size = ['width', 'height', 'depth', 'array_size', 'channel_data_type', 'channel_order'] as const;
const sampling = ['filter_mode', 'addr_mode_0', 'addr_mode_1', 'addr_mode_2'] as const;

/** For each opaque type, the names of the fields that a variable of this type has. */
export const opaqueFields: ReadonlyMap<string, readonly string[]> = new Map([
  ['.texref', [...size, 'num_mipmap_levels', 'num_samples', 'normalized_coords', ...sampling]],
  ['.samplerref', ['force_unnormalized_coords', ...sampling]],
  ['.surfref', [...size, 'memory_layout']],
]);

/** The requirements of fields that were introduced later than opaque variables. */
export const availabilityOfField: ReadonlyMap<string, AvailabilityRow> = new Map(
  [
    row('channel_order', at('2.1')),
    row('channel_data_type', at('2.1')),
    row('force_unnormalized_coords', at('2.2')),
  ].map((field) => [field.subject, field]),
);

/** The words for the values of `addr_mode_0` to `addr_mode_2`. */
export const addressModeWords: ReadonlyMap<string, AddressMode> = new Map([
  ['wrap', 'wrap'],
  ['mirror', 'mirror'],
  ['clamp_ogl', 'clamp-ogl'],
  ['clamp_to_edge', 'clamp'],
  ['clamp_to_border', 'border'],
]);

/** The words that can be values of fields. ptxas accepts each of these words for every field. */
export const fieldWords: readonly string[] = [...addressModeWords.keys(), 'nearest', 'linear'];
