/** The first quarter of twenty thousand random kernels. Four files let several cores share the work. */
import { compareRandomKernels, everyWay } from './run-random-kernels.ts';

compareRandomKernels(1, 5_000, 100, everyWay);
