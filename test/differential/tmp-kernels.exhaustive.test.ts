import { compareRandomKernels } from './run-random-kernels.ts';

compareRandomKernels(50_001, 51_500, 100, [{ simd: true }, { simd: true, workers: 2 }, { simd: false, workers: 2 }, { simd: true, unchecked: true }]);
