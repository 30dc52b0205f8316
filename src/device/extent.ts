import type { Dim3 } from '../machine/extents.ts';
import type { Extent } from './options.ts';

/** The three extents of a grid or block; extents that are not given default to 1. */
export function extentsOf(given: Extent | readonly number[]): Dim3 {
  const [x = 1, y = 1, z = 1]: readonly number[] = typeof given === 'number' ? [given] : given;
  return [x, y, z];
}
