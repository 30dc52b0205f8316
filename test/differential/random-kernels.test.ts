/** Runs the random kernels of the first sixty seeds. The exhaustive tests run those of twenty thousand seeds. */
import { compareRandomKernels } from './run-random-kernels.ts';

compareRandomKernels(1, 60, 20, [{ simd: false }, { simd: true }]);
