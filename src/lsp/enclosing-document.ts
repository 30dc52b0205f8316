/** A document of another language in which PTX is embedded. */
import { SourceText } from '../base/source-text.ts';
import type { Span } from '../base/span.ts';
import { at, isObject, numberAt, textAt } from '../base/json-values.ts';
import { type Settings, withSettings } from '../check/settings.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { type AsmModule, sourceSpan } from '../embedded/asm-module.ts';
import type { EnclosingLanguage } from '../embedded/asm-statement.ts';
import { asmStatements, checkEmbedded, moduleOf } from '../embedded/check-embedded.ts';
import { OpenDocument, type Position, type Range, spanOf } from './open-document.ts';

/** The requests that the server answers if they refer to a position inside an asm statement. */
export const answeredInside: ReadonlySet<string> = new Set([
  'textDocument/hover',
  'textDocument/definition',
  'textDocument/declaration',
  'textDocument/references',
  'textDocument/documentHighlight',
  'textDocument/completion',
  'textDocument/signatureHelp',
]);

const byLanguageId: Readonly<Record<string, EnclosingLanguage>> = {
  cuda: 'cuda',
  'cuda-cpp': 'cuda',
  cpp: 'cuda',
  c: 'cuda',
  'c++': 'cuda',
  python: 'triton',
};

/** Finds the enclosing language for the language id that the client sends. Null if the document is PTX itself. */
export function languageOf(languageId: string): EnclosingLanguage | null {
  return Object.hasOwn(byLanguageId, languageId) ? (byLanguageId[languageId] ?? null) : null;
}

export class EnclosingDocument {
  readonly uri: string;
  readonly language: EnclosingLanguage;
  readonly settings: Settings;
  version: number;
  private source: SourceText;

  constructor(uri: string, version: number, text: string, language: EnclosingLanguage, settings: Settings) {
    this.uri = uri;
    this.version = version;
    this.language = language;
    this.settings = settings;
    this.source = new SourceText(text);
  }

  /**
   * Applies a change that a client has sent: either a range and its new text, or the new text of the whole document.
   */
  change(change: unknown): void {
    const range = at(change, 'range');
    const { text } = this.source;
    const { start, end } = isObject(range)
      ? spanOf(range, (position) => this.offset(position))
      : { start: 0, end: text.length };
    this.source = new SourceText(text.slice(0, start) + textAt(change, 'text') + text.slice(end));
  }

  findings(): readonly Diagnostic[] {
    const { text } = this.source;
    return withSettings(checkEmbedded(text, this.language, this.settings.options).diagnostics, text, this.settings);
  }

  /**
   * The PTX code at a position, as a document whose positions refer to the enclosing document. Null if there is no PTX
   * code at this position.
   */
  inside(position: unknown): OpenDocument | null {
    const offset = this.offset(position);
    for (const statement of asmStatements(this.source.text, this.language)) {
      if (offset < statement.start || offset > statement.end) continue;
      const made = moduleOf(statement, this.settings.options);
      if (made.kind === 'unknown' || made.module.body.offsetOf(offset) < 0) return null;
      return new AsmDocument(this, made.module);
    }
    return null;
  }

  offset(position: unknown): number {
    const line = numberAt(position, 'line') + 1;
    const length = this.source.line(line).length;
    return this.source.lineStart(line) + Math.min(numberAt(position, 'character'), length);
  }

  range({ start, end }: Span): Range {
    return { start: this.position(start), end: this.position(end) };
  }

  private position(offset: number): Position {
    const { line, column } = this.source.position(offset);
    return { line: line - 1, character: column - 1 };
  }
}

/** The module made from an asm statement. Positions are converted to positions in the enclosing document. */
class AsmDocument extends OpenDocument {
  private readonly enclosing: EnclosingDocument;
  private readonly module: AsmModule;

  constructor(enclosing: EnclosingDocument, module: AsmModule) {
    super(enclosing.uri, enclosing.version, module.text, enclosing.settings);
    this.enclosing = enclosing;
    this.module = module;
  }

  override offset(position: unknown): number {
    return this.module.start + Math.max(this.module.body.offsetOf(this.enclosing.offset(position)), 0);
  }

  override range(span: Span): Range {
    return this.enclosing.range(sourceSpan(this.module, span));
  }
}
