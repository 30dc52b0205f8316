/** Random kernels of two thousand seeds, on the calling thread, one worker and two. */
import { compareRandomKernels } from './run-random-kernels.ts';

compareRandomKernels(1, 2000, 100, [0, 1, 2]);
