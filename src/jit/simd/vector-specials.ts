/**
 * Reads special registers for four neighboring threads at once. This file handles registers whose values differ between
 * threads but can be computed from the first thread's value.
 */
import type { LaunchValue } from '../../isa/registers.ts';
import { warpSize } from '../../machine/launch.ts';
import type { SpecialRead } from '../../program/function-program.ts';
import type { Code } from '../../wasm/code.ts';
import type { RegionLocals } from '../lowering.ts';
import { splat } from './vector-words.ts';

/** Pushes the 32-bit values of the four threads. */
export type FourReader = (code: Code, locals: RegionLocals) => void;

/**
 * For each part of a special register, the reader for the values of all four threads; null if the part is read
 * separately for each lane.
 */
const readers: Readonly<Record<LaunchValue, readonly (FourReader | null)[] | null>> = {
  threadIndex: [(code, { index }) => countFrom(code, index[0]), null, null, null],
  lane: [
    (code, { thread }) => {
      countFrom(code, thread);
      splat(code, warpSize - 1).vector('v128.and');
    },
  ],
  blockSize: null,
  blockIndex: null,
  gridSize: null,
  warp: null,
  lanesEqual: null,
  lanesLess: null,
  lanesUpTo: null,
  lanesGreater: null,
  lanesFrom: null,
  clock: null,
  clockHigh: null,
  timer: null,
  timerHigh: null,
  sharedBytes: null,
  allSharedBytes: null,
  dynamicSharedBytes: null,
  hasClusters: null,
  clusterIndex: null,
  gridClusters: null,
  indexInCluster: null,
  clusterSize: null,
  rankInCluster: null,
  blocksPerCluster: null,
  threadsPerCluster: null,
  startInCluster: null,
  gridWorkspace: null,
};

/**
 * Returns a reader that reads the values for all four threads at once; null if each thread has to read its own value.
 */
export function fourReader({ register, part, width }: SpecialRead): FourReader | null {
  const { value } = register;
  if (width > 32) return null;
  return typeof value === 'number' ? null : (readers[value]?.[part] ?? null);
}

/** Pushes a vector of four consecutive numbers, the first of which is in the local `first`. */
function countFrom(code: Code, first: number): void {
  code.get(first).vector('i32x4.splat').words(0, 1, 2, 3).vector('i32x4.add');
}
