import type { SourcePlace } from '../../base/source-place.ts';
import type { SourceText } from '../../base/source-text.ts';
import type { Diagnostic } from '../diagnostic.ts';

/** The findings about one text, in the order in which they are to be shown. */
export interface FileReport {
  readonly source: SourceText;
  readonly diagnostics: readonly Diagnostic[];
  /** The place in a compiler's source that an offset comes from, to be shown where it is known. */
  readonly placeOf?: (offset: number) => SourcePlace | null;
}
