/**
 * One build of each CUDA source in every way; the other builds on the fast engine only, against the recorded results.
 * The exhaustive test runs all of them in every way.
 */
import { shortestBuilds, testCudaBuilds } from './cuda-runs.ts';

testCudaBuilds((way, { file, given }) => {
  if (way === 'jit') return true;
  // Workers divide the blocks of a grid among them, so a launch with only one block would not test them.
  return shortestBuilds.has(file) && (way === 'interp' || given.grid.some((extent) => extent > 1));
});
