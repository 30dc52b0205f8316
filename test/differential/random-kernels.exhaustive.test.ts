/** Runs random kernels from twenty thousand seeds on the calling thread, on one worker and on two workers. */
import { compareRandomKernels } from './run-random-kernels.ts';

compareRandomKernels(1, 20_000, 200, [
  { simd: false },
  { simd: true },
  { simd: true, workers: 1 },
  { simd: true, workers: 2 },
  { simd: false, workers: 2 },
  { simd: false, unchecked: true },
  { simd: true, unchecked: true },
]);
