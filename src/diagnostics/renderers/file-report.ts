import type { SourceText } from '../../base/source-text.ts';
import type { Diagnostic } from '../diagnostic.ts';

/** The findings about one text, in the order in which they are to be shown. */
export interface FileReport {
  readonly source: SourceText;
  readonly diagnostics: readonly Diagnostic[];
}
