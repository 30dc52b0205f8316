/** A half-open range of UTF-16 offsets into one source text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A position as people count it: line and column start at 1, and columns count UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}
