/** Tests every PTX file of every CUDA source with all engine configurations. */
import { testCudaBuilds } from './cuda-runs.ts';

testCudaBuilds(() => true);
