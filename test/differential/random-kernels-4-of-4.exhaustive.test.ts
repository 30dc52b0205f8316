/** The last quarter of twenty thousand random kernels. Four files let several cores share the work. */
import { compareRandomKernels, everyWay } from './run-random-kernels.ts';

compareRandomKernels(15_001, 5_000, 100, everyWay);
