/** Where in a texture coordinates are. */
import type { AddressMode } from '../../isa/texture-fields.ts';

/** The index of a texel along one dimension; -1 if the texel is outside and the mode is `border`. */
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

/** The remainder has the sign of the divisor. It is 0 if there is none, as for infinities. */
function remainder(dividend: number, divisor: number): number {
  const found = dividend - divisor * Math.floor(dividend / divisor);
  return Number.isFinite(found) ? found : 0;
}

/** A place on one of the faces of a cube, with coordinates from 0 to 1. */
export interface Spot {
  face: number;
  s: number;
  t: number;
}

/** Finds where a ray from the center of a cube meets a face. The faces are +x, -x, +y, -y, +z and -z. */
export function cubeSpot(x: number, y: number, z: number, spot: Spot): void {
  const [ofX, ofY, ofZ] = [Math.abs(x), Math.abs(y), Math.abs(z)];
  if (ofX >= ofY && ofX >= ofZ) place(spot, x < 0 ? 1 : 0, ofX, x < 0 ? z : -z, -y);
  else if (ofY >= ofZ) place(spot, y < 0 ? 3 : 2, ofY, x, y < 0 ? -z : z);
  else place(spot, z < 0 ? 5 : 4, ofZ, z < 0 ? -x : x, -y);
}

function place(spot: Spot, face: number, size: number, s: number, t: number): void {
  spot.face = face;
  spot.s = (s / size + 1) / 2;
  spot.t = (t / size + 1) / 2;
}

/** The fractions by which texels and levels are mixed have 8 bits after the point. */
export function weightOf(fraction: number): number {
  const weight = Math.round(fraction * 256) / 256;
  return Number.isNaN(weight) ? 0 : weight;
}
