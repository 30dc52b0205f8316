import { Document } from '../analysis/document.ts';
import type { Span } from '../base/span.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { at, isObject, numberAt, textAt } from '../base/json-values.ts';
import { type Settings, withSettings } from '../check/settings.ts';

/** A position in a document. The line and the character are counted from 0; a character is a UTF-16 code unit. */
export interface Position {
  readonly line: number;
  readonly character: number;
}

export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/**
 * Whether a document may be PTX. This has to be tested because other formats use the same file extension: PreTeXt,
 * which is based on XML, and point clouds, which are lists of numbers.
 */
export function mayBePtx(text: string): boolean {
  return !/^[\ufeff\s]*[<\d\0]/.test(text);
}

/** The span of a range. Some clients send ranges whose end comes before their start. */
export function spanOf(range: unknown, offsetOf: (position: unknown) => number): Span {
  const [a, b] = [offsetOf(at(range, 'start')), offsetOf(at(range, 'end'))];
  return { start: Math.min(a, b), end: Math.max(a, b) };
}

/** A document that a client has open. */
export class OpenDocument {
  readonly uri: string;
  readonly document: Document;
  readonly settings: Settings;
  version: number;

  constructor(uri: string, version: number, text: string, settings: Settings) {
    this.uri = uri;
    this.version = version;
    this.settings = settings;
    this.document = new Document(text, settings.options);
  }

  /**
   * Applies a change that the client has sent: either a range and its new text, or the new text of the whole document.
   */
  change(change: unknown): void {
    const { document } = this;
    const range = at(change, 'range');
    const { start, end } = isObject(range) ? this.span(range) : { start: 0, end: document.length };
    document.edit(start, end, textAt(change, 'text'));
  }

  findings(): readonly Diagnostic[] {
    const { document } = this;
    return withSettings(document.diagnostics(), document.text(), this.settings);
  }

  offset(position: unknown): number {
    return this.document.offset({ line: numberAt(position, 'line') + 1, column: numberAt(position, 'character') + 1 });
  }

  span(range: unknown): Span {
    return spanOf(range, (position) => this.offset(position));
  }

  position(offset: number): Position {
    const { line, column } = this.document.position(offset);
    return { line: line - 1, character: column - 1 };
  }

  range({ start, end }: Span): Range {
    return { start: this.position(start), end: this.position(end) };
  }
}
