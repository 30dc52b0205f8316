/** Random kernels of two thousand seeds, on the calling thread, one worker and two. */
import { compareRandomKernels } from './run-random-kernels.ts';

compareRandomKernels(1, 2000, 100, [
  { simd: false },
  { simd: true },
  { simd: true, workers: 1 },
  { simd: true, workers: 2 },
  { simd: false, workers: 2 },
]);
