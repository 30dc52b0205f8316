import type { LaunchShape } from '../../src/machine/launch.ts';

/** Returns the shape of a one-dimensional launch that has neither clusters nor dynamic shared memory. */
export function shapeOf(blocks: number, threads: number): LaunchShape {
  return {
    grid: [blocks, 1, 1],
    block: [threads, 1, 1],
    sharedBytes: 0,
    cluster: [1, 1, 1],
    hasClusters: false,
    gridWorkspace: 0,
  };
}
