/**
 * Tests one PTX file of each CUDA source with all engine configurations. The other PTX files are run only on the fast
 * engine, and their results are compared with the recorded ones. The exhaustive test runs all PTX files with all
 * configurations.
 */
import { shortestBuilds, testCudaBuilds } from './cuda-runs.ts';

testCudaBuilds((way, { file, given }) => {
  if (way === 'jit') return true;
  // Workers divide the blocks of a grid among themselves, so a launch with only one block would not test them.
  return shortestBuilds.has(file) && (way === 'interp' || given.grid.some((extent) => extent > 1));
});
