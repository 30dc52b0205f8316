/** Tests every PTX file of every CUDA source, and runs it in every way. */
import { testCudaBuilds } from './cuda-runs.ts';

testCudaBuilds(() => true);
