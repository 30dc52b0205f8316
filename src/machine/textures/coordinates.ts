/**
 * Finds the positions in a texture that coordinates refer to, in the same way as an H200: with fixed-point numbers, and
 * without subnormal numbers (see the section on textures in docs/spec-questions.md).
 */
import type { AddressMode } from '../../isa/texture-fields.ts';

/** The number of steps between two neighboring texels. Weights are multiples of `1 / steps`. */
export const steps = 256;

/** Normalized coordinates have 21 bits after the binary point. */
export const normalizedSteps: number = 2 ** 21;

/** The smallest normal f32 number. */
export const leastNormal: number = 2 ** -126;

/**
 * Converts a coordinate to units of texels.
 *
 * @param isNormalized whether the coordinate is multiplied by the size
 */
export function inTexels(coordinate: number, size: number, isNormalized: boolean, mode: AddressMode): number {
  // The comparison is also false for a NaN.
  if (!(Math.abs(coordinate) >= leastNormal)) return 0;
  if (!isNormalized) return coordinate;
  const cut = Math.floor(coordinate * normalizedSteps);
  const within = mode === 'wrap' || mode === 'mirror' ? remainder(cut, 2 * normalizedSteps) : cut;
  return (within / normalizedSteps) * size;
}

/** Converts a position in texels to its distance from the center of the first texel, measured in steps. */
export function stepsTo(at: number): number {
  return Math.floor(at * steps + 0.5) - steps / 2;
}

/**
 * Limits a distance to the range between the centers of the first and the last texel, because there are no texels
 * beyond them. Without this limit, results would differ from those of an H200, because weights are rounded.
 */
export function clampSteps(distance: number, size: number): number {
  return Math.max(0, Math.min((size - 1) * steps, distance));
}

/** The index of a texel along one dimension; -1 if the texel is outside the texture and the mode is `border`. */
export function indexIn(at: number, size: number, mode: AddressMode): number {
  if (at >= 0 && at < size) return at;
  switch (mode) {
    case 'clamp':
    case 'clamp-ogl':
      return at > 0 ? size - 1 : 0;
    case 'border':
      return -1;
    case 'wrap':
      return remainder(at, size);
    case 'mirror': {
      const within = remainder(at, 2 * size);
      return within < size ? within : 2 * size - 1 - within;
    }
  }
}

/**
 * Returns the remainder of a division, with the sign of the divisor. Returns 0 if the remainder is undefined, as for
 * infinities.
 */
function remainder(dividend: number, divisor: number): number {
  const found = dividend - divisor * Math.floor(dividend / divisor);
  return Number.isFinite(found) ? found : 0;
}

/** A position on one of the faces of a cube, with coordinates from 0 to 1. */
export interface Spot {
  face: number;
  s: number;
  t: number;
}

/** The distance from the middle of a face to an edge, in steps. */
const faceSteps = normalizedSteps / 2;

/**
 * Finds where a ray from the center of a cube intersects a face. The faces are +x, -x, +y, -y, +z and -z. If the ray
 * intersects several faces at once, the face on the last axis is chosen.
 */
export function cubeSpot(x: number, y: number, z: number, spot: Spot): void {
  const most = Math.max(sizeOrLess(x), sizeOrLess(y), sizeOrLess(z), 0);
  // The reciprocal treats subnormal operands as zeros, and flushes subnormal results.
  const scale = most < leastNormal ? Number.POSITIVE_INFINITY : flushed(Math.fround(1 / most));
  chooseFace(flushed(Math.fround(x * scale)), flushed(Math.fround(y * scale)), flushed(Math.fround(z * scale)), spot);
}

function chooseFace(x: number, y: number, z: number, spot: Spot): void {
  const [ofX, ofY, ofZ] = [sizeOrLess(x), sizeOrLess(y), sizeOrLess(z)];
  if (ofZ >= ofX && ofZ >= ofY) place(spot, z < 0 ? 5 : 4, z < 0 ? -x : x, -y);
  else if (ofY >= ofX) place(spot, y < 0 ? 3 : 2, x, y < 0 ? -z : z);
  else place(spot, x < 0 ? 1 : 0, x < 0 ? z : -z, -y);
}

/** The magnitude of a number. For a NaN, it is -1, which is less than any magnitude. */
const sizeOrLess = (value: number): number => (Number.isNaN(value) ? -1 : Math.abs(value));
const flushed = (value: number): number => (Math.abs(value) < leastNormal ? 0 : value);

function place(spot: Spot, face: number, s: number, t: number): void {
  spot.face = face;
  spot.s = fromMiddle(s);
  spot.t = fromMiddle(t);
}

/** Converts a point's distance from the middle of a face to a coordinate. A NaN is treated as the middle. */
function fromMiddle(distance: number): number {
  const moved = Number.isNaN(distance) ? 0 : Math.floor(distance * faceSteps);
  return (moved + faceSteps) / normalizedSteps;
}
