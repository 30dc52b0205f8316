/**
 * One build of each CUDA source in every way; the other builds on the fast engine only, against the recorded results.
 * The exhaustive test runs all of them in every way.
 */
import { shortestBuilds, testCudaBuilds } from './cuda-runs.ts';

testCudaBuilds((way, { file, given }) => {
  if (way === 'jit') return true;
  // Workers share a grid by blocks, so a launch of one block would not test them.
  return shortestBuilds.has(file) && (way === 'interp' || given.grid.some((extent) => extent > 1));
});
