import type { Fragment } from '../../isa/fragments.ts';

/** A fragment and its name. */
export interface NamedFragment {
  readonly matrix: string;
  readonly operands: readonly string[];
  readonly format: string;
  readonly fragment: Fragment;
  /** How many of the elements in each register are used; present only if the instruction selects elements and lanes. */
  readonly selected?: number;
  readonly notes?: readonly string[];
}
