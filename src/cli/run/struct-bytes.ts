/** Composes the bytes of a parameter that is a structure. */
import { PtxlabError } from '../../base/error.ts';
import type { DeviceBuffer } from '../../device.ts';
import { scalarBytes } from './values.ts';

/** A part of a structure: raw bytes, or a buffer, which becomes its 64-bit address. `at` is its offset in bytes. */
export interface StructPart {
  readonly at: number;
  readonly value: DeviceBuffer | Uint8Array;
}

/**
 * Returns `whole` with the parts at their offsets.
 *
 * @throws PtxlabError `argument-size` if a part reaches beyond the end of the structure
 */
export function structBytes(whole: Uint8Array, parts: readonly StructPart[]): Uint8Array {
  const made = whole.slice();
  for (const { at, value } of parts) {
    const bytes = value instanceof Uint8Array ? value : scalarBytes('u64', String(value.address));
    if (at + bytes.length > made.length) {
      const end = at + bytes.length;
      throw new PtxlabError('argument-size', `the part at ${at} ends at ${end}, but the structure at ${made.length}`);
    }
    made.set(bytes, at);
  }
  return made;
}
