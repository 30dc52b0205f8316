/** The extents of grids, blocks and clusters, and how blocks and threads are numbered. */

/** Three numbers for x, y and z: the index of a block or thread, or the size of a grid or block. */
export type Dim3 = readonly [x: number, y: number, z: number];

export interface Extents {
  /** Number of blocks in x, y, z. */
  readonly grid: Dim3;
  /** Number of threads per block in x, y, z. */
  readonly block: Dim3;
  /**
   * Number of blocks per cluster in x, y, z. In each dimension, the number of blocks in the grid must be a multiple of
   * the number of blocks in a cluster.
   */
  readonly cluster: Dim3;
}

export function threadsOf({ block }: Pick<Extents, 'block'>): number {
  return block[0] * block[1] * block[2];
}

export function blocksOf({ grid }: Pick<Extents, 'grid'>): number {
  return grid[0] * grid[1] * grid[2];
}

export function blocksPerCluster({ cluster }: Pick<Extents, 'cluster'>): number {
  return cluster[0] * cluster[1] * cluster[2];
}

/** Number of clusters in x, y, z. */
function clustersOf({ grid, cluster }: Extents): Dim3 {
  return [grid[0] / cluster[0], grid[1] / cluster[1], grid[2] / cluster[2]];
}

/** Whether two blocks, given by their numbers, belong to the same cluster of `size` blocks. */
export function sameCluster(a: number, b: number, size: number): boolean {
  return Math.floor(a / size) === Math.floor(b / size);
}

/**
 * Returns the 3D index of a block in the grid, given its number. All blocks of a cluster have consecutive numbers,
 * because they run together. If clusters have only one block, x varies fastest.
 */
export function blockIndexOf(number: number, shape: Extents): Dim3 {
  const { cluster } = shape;
  const size = blocksPerCluster(shape);
  const at = indexOf(Math.floor(number / size), clustersOf(shape));
  const inside = indexOf(number % size, cluster);
  return [at[0] * cluster[0] + inside[0], at[1] * cluster[1] + inside[1], at[2] * cluster[2] + inside[2]];
}

/** Returns the number of a block, given its index in the grid. */
export function blockNumberOf([x, y, z]: Dim3, shape: Extents): number {
  const { cluster } = shape;
  const at: Dim3 = [Math.floor(x / cluster[0]), Math.floor(y / cluster[1]), Math.floor(z / cluster[2])];
  const rank = linearOf([x % cluster[0], y % cluster[1], z % cluster[2]], cluster);
  return blocksPerCluster(shape) * linearOf(at, clustersOf(shape)) + rank;
}

/** Converts a linear index to a 3D index in a grid or block of the given size; x varies fastest. */
export function indexOf(linear: number, extent: Dim3): Dim3 {
  const [x, y] = extent;
  return [linear % x, Math.floor(linear / x) % y, Math.floor(linear / (x * y))];
}

/** Converts a 3D index in a grid or block of the given size to a linear index; x varies fastest. */
export function linearOf([x, y, z]: Dim3, extent: Dim3): number {
  return x + extent[0] * (y + extent[1] * z);
}
