/** A position in the source that a compiler made PTX from, as given by `.loc` (PTX ISA 9.1, 11.5.3). */
export interface SourcePlace {
  /** As `.file` names it. */
  readonly file: string;
  /** Both 1-based; column 0 where the compiler gave none. */
  readonly line: number;
  readonly column: number;
  /** Present if the function around this position was inlined: its mangled name, and where it was called. */
  readonly inlined: { readonly function: string | null; readonly at: SourcePlace } | null;
}
