/** Random kernels: `npm test` runs the first sixty seeds, the exhaustive run twenty thousand. */
import { compareRandomKernels } from './run-random-kernels.ts';

compareRandomKernels(1, 60, 20, [{ simd: false }, { simd: true }]);
