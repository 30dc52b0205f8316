/**
 * Replaces NaNs. If arithmetic produces a NaN, the bits of the NaN depend on the processor, but the results of ptxlab
 * must be the same on every processor.
 */
import { formats } from '../../numerics/formats.ts';
import { singleAt } from '../../base/typed-reads.ts';

const canonical = Number(formats.f32.canonicalNan);

/** Replaces every NaN with the canonical NaN of f32, which is the NaN that conversions to f32 produce. */
export function canonicalizeNans(values: Float32Array): void {
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  for (let i = 0; i < values.length; i++) if (Number.isNaN(singleAt(values, i))) bits[i] = canonical;
}
