/** Runs every build of every CUDA source in every way. */
import { testCudaBuilds } from './cuda-runs.ts';

testCudaBuilds(() => true);
