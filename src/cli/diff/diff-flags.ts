/** The flags of `ptxlab diff`. */
import type { CommonFlags } from '../options.ts';
import type { TensorFlags } from '../tensor-input.ts';

export interface DiffFlags extends CommonFlags, TensorFlags {
  readonly maxAbs?: string;
  readonly maxRel?: string;
  readonly minSqnr?: string;
  readonly worst?: string;
  readonly details?: string;
  readonly html?: string;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly ascii?: boolean;
}
