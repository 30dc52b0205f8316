import type { Fragment } from '../../isa/fragments.ts';

/** A fragment and its name. */
export interface NamedFragment {
  readonly matrix: string;
  readonly operands: readonly string[];
  readonly format: string;
  readonly fragment: Fragment;
  /**
   * The number of elements that are used in each register. Present only if the instruction has selectors that choose
   * the elements and the lanes.
   */
  readonly selected?: number;
  readonly notes?: readonly string[];
}
