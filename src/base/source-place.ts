/** A place in the source that a compiler made PTX from, as `.loc` gives it (PTX ISA 9.1, 11.5.3). */
export interface SourcePlace {
  /** As `.file` names it. */
  readonly file: string;
  /** Both 1-based; column 0 where the compiler gave none. */
  readonly line: number;
  readonly column: number;
  /** Set where the function around this place was inlined: its name, mangled, and where it was called. */
  readonly inlined: { readonly function: string | null; readonly at: SourcePlace } | null;
}
