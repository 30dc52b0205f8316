/** Random kernels of two thousand seeds. */
import { compareRandomKernels } from './run-random-kernels.ts';

compareRandomKernels(1, 2000, 100);
