/** A position in the source that the PTX was compiled from, as given by `.loc` (section 11.5.4 of PTX ISA 9.1). */
export interface SourcePlace {
  /** The name given in `.file`. */
  readonly file: string;
  /** Line and column are both 1-based; the column is 0 if the compiler did not specify one. */
  readonly line: number;
  readonly column: number;
  /**
   * If the function that contains this position was inlined, the function's mangled name and the place where it was
   * called; otherwise null.
   */
  readonly inlined: { readonly function: string | null; readonly at: SourcePlace } | null;
}
