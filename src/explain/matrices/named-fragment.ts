import type { Fragment } from '../../isa/fragments.ts';

/** A fragment and what it is called. */
export interface NamedFragment {
  readonly matrix: string;
  readonly operands: readonly string[];
  readonly format: string;
  readonly fragment: Fragment;
  /** Elements of a register that count, if the instruction selects them and the lanes that hold them. */
  readonly selected?: number;
  readonly notes?: readonly string[];
}
