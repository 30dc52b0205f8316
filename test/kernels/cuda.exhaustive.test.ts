/** Tests every PTX file compiled from every CUDA source with all engine configurations. */
import { testCudaBuilds } from './cuda-runs.ts';

testCudaBuilds(() => true);
