/** A half-open range of UTF-16 offsets into one source text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A human-readable position: line and column start at 1, and columns are counted in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}
