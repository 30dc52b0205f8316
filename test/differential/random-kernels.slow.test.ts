/** Runs random kernels generated from the first sixty seeds. The exhaustive tests use twenty thousand seeds. */
import { compareRandomKernels } from './run-random-kernels.ts';

compareRandomKernels(1, 60, 20, [{ simd: false }, { simd: true }]);
