/** The third quarter of twenty thousand random kernels. Four files let several cores share the work. */
import { compareRandomKernels, everyWay } from './run-random-kernels.ts';

compareRandomKernels(10_001, 5_000, 100, everyWay);
