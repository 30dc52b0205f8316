/** A half-open range of UTF-16 offsets into one source text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A place as people count: both numbers start at 1, the column in UTF-16 units. */
export interface Position {
  readonly line: number;
  readonly column: number;
}
