/** Random kernels: `npm test` runs the first hundred seeds, the exhaustive run twenty thousand. */
import { compareRandomKernels } from './run-random-kernels.ts';

compareRandomKernels(1, 100, 20, [{ simd: false }, { simd: true }]);
