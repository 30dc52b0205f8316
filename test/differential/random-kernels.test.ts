/** Random kernels: the first hundred seeds in `npm test`, twenty thousand in the exhaustive run. */
import { compareRandomKernels } from './run-random-kernels.ts';

compareRandomKernels(1, 100, 20, [{ simd: false }, { simd: true }]);
