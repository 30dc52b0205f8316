/**
 * A language server: receives the messages that the protocol defines, and sends replies and notifications. The server
 * depends neither on the transport of its messages nor on a file system.
 */
import { withDemangled } from '../base/demangle/demangle.ts';
import type { RelatedPlace } from '../analysis/related-places.ts';
import type { Span } from '../base/span.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Severity } from '../diagnostics/severity.ts';
import { answers, RequestRefused } from './answers.ts';
import { at, listAt, numberAt, textAt } from '../base/json-values.ts';
import { resolveCompletion } from './completion-words.ts';
import { answeredInside, EnclosingDocument, languageOf } from './enclosing-document.ts';
import { mayBePtx, OpenDocument, type Range } from './open-document.ts';
import type { Settings } from '../check/settings.ts';
import { encodeTokens, tokenEdits, tokenModifiers, tokenTypes } from './tokens.ts';

/** The functions that a program must provide in order to run the server. */
export interface ServerHost {
  readonly send: (message: object) => void;
  /** Calls `work` after the given number of milliseconds. */
  readonly later: (work: () => void, milliseconds: number) => void;
  /** The settings for a document. */
  readonly settingsFor: (uri: string) => Settings;
  readonly version: string;
}

/** How long the user must have stopped typing before findings are sent, in milliseconds. */
const pause = 100;

const severities: Readonly<Record<Severity, number>> = { error: 1, warning: 2, note: 3 };

const errors = {
  notInitialized: -32002,
  invalidRequest: -32600,
  methodNotFound: -32601,
  internal: -32603,
  cancelled: -32800,
  refused: -32803,
} as const;

interface Tokens {
  readonly id: string;
  readonly data: readonly number[];
}

export class LanguageServer {
  private readonly host: ServerHost;
  private readonly open = new Map<string, OpenDocument>();
  private readonly enclosing = new Map<string, EnclosingDocument>();
  private readonly tokens = new Map<string, Tokens>();
  private readonly cancelled = new Set<unknown>();
  private readonly waiting: unknown[] = [];
  private lastTokens = 0;
  /**
   * The exit code, which is set when the client sends `exit`. It is 1 if the client sends `exit` without having
   * requested a shutdown.
   */
  exitCode: 0 | 1 | null = null;
  private state: 'new' | 'running' | 'shut down' = 'new';

  constructor(host: ServerHost) {
    this.host = host;
  }

  /** Whether any messages are waiting to be processed. */
  get isBusy(): boolean {
    return this.waiting.length > 0;
  }

  /** Queues a message. Requests are answered in order; requests that are cancelled before their turn are skipped. */
  receive(message: unknown): void {
    if (textAt(message, 'method') === '$/cancelRequest') {
      this.cancelled.add(at(message, 'params', 'id'));
      return;
    }
    this.waiting.push(message);
    if (this.waiting.length === 1) this.host.later(() => this.work(), 0);
  }

  private work(): void {
    const message = this.waiting[0];
    this.handle(message);
    this.waiting.shift();
    if (this.waiting.length > 0) this.host.later(() => this.work(), 0);
  }

  private handle(message: unknown): void {
    const method = textAt(message, 'method');
    const params = at(message, 'params');
    const id = at(message, 'id');
    if (id === undefined || method === '') {
      this.tryNotified(method, params);
      return;
    }
    const answer = this.cancelled.delete(id) ? failure(errors.cancelled, 'cancelled') : this.answer(method, params);
    this.host.send({ jsonrpc: '2.0', id, ...answer });
  }

  private answer(method: string, params: unknown): object {
    if (this.state === 'new' && method !== 'initialize')
      return failure(errors.notInitialized, 'the first request must be initialize');
    if (this.state === 'shut down') return failure(errors.invalidRequest, 'the server has been shut down');
    try {
      return { result: this.result(method, params) ?? null };
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      if (error instanceof UnknownMethod) return failure(errors.methodNotFound, words);
      return failure(error instanceof RequestRefused ? errors.refused : errors.internal, words);
    }
  }

  private result(method: string, params: unknown): unknown {
    if (method === 'initialize') {
      this.state = 'running';
      return { capabilities, serverInfo: { name: 'ptxlab', version: this.host.version } };
    }
    if (method === 'shutdown') {
      this.state = 'shut down';
      return null;
    }
    if (method === 'completionItem/resolve') return resolveCompletion(params);
    const uri = textAt(params, 'textDocument', 'uri');
    const document = this.open.get(uri);
    if (method === 'textDocument/semanticTokens/full') return document && this.allTokens(document);
    if (method === 'textDocument/semanticTokens/full/delta') return document && this.changedTokens(document, params);
    const answer = answers[method];
    if (answer === undefined) throw new UnknownMethod(`ptxlab does not know ${method}`);
    if (document !== undefined) return answer(document, params);
    const inside = answeredInside.has(method) ? this.enclosing.get(uri)?.inside(at(params, 'position')) : null;
    return inside == null ? null : answer(inside, params);
  }

  /** A notification gets no response, so errors in it are shown in the editor's log. */
  private tryNotified(method: string, params: unknown): void {
    if (this.state !== 'running' && method !== 'exit') return;
    try {
      this.notified(method, params);
    } catch (error) {
      const message = `${method}: ${error instanceof Error ? error.message : String(error)}`;
      this.host.send({ jsonrpc: '2.0', method: 'window/logMessage', params: { type: 1, message } });
    }
  }

  private notified(method: string, params: unknown): void {
    const uri = textAt(params, 'textDocument', 'uri');
    switch (method) {
      case 'textDocument/didOpen':
        this.opened(uri, params);
        return;
      case 'textDocument/didChange':
        this.changed(uri, params);
        return;
      case 'textDocument/didClose':
        if (this.open.delete(uri) || this.enclosing.delete(uri)) this.publish(uri, null, []);
        this.tokens.delete(uri);
        return;
      case 'exit':
        this.exitCode = this.state === 'shut down' ? 0 : 1;
        return;
      default:
    }
  }

  private opened(uri: string, params: unknown): void {
    const version = numberAt(params, 'textDocument', 'version');
    const text = textAt(params, 'textDocument', 'text');
    const language = languageOf(textAt(params, 'textDocument', 'languageId'));
    if (language !== null) {
      const document = new EnclosingDocument(uri, version, text, language, this.host.settingsFor(uri));
      this.enclosing.set(uri, document);
      this.check(document);
    } else if (mayBePtx(text)) {
      const document = new OpenDocument(uri, version, text, this.host.settingsFor(uri));
      this.open.set(uri, document);
      this.check(document);
    }
  }

  private changed(uri: string, params: unknown): void {
    const find = (): OpenDocument | EnclosingDocument | undefined => this.open.get(uri) ?? this.enclosing.get(uri);
    const document = find();
    if (document === undefined) return;
    for (const change of listAt(params, 'contentChanges')) document.change(change);
    const version = numberAt(params, 'textDocument', 'version');
    document.version = version;
    this.host.later(() => {
      if (find() === document && document.version === version) this.check(document);
    }, pause);
  }

  private check(document: OpenDocument | EnclosingDocument): void {
    const found = document.findings().map((finding) => this.diagnostic(document, finding));
    this.publish(document.uri, document.version, found);
  }

  private publish(uri: string, version: number | null, diagnostics: readonly object[]): void {
    const params = { uri, ...(version === null ? {} : { version }), diagnostics };
    this.host.send({ jsonrpc: '2.0', method: 'textDocument/publishDiagnostics', params });
  }

  private diagnostic(document: OpenDocument | EnclosingDocument, finding: Diagnostic): object {
    const { code, severity, message, help, span } = finding;
    const { pages } = document.settings;
    const related = document instanceof OpenDocument ? document.document.related(finding) : [];
    return {
      range: document.range(span),
      severity: severities[severity],
      code,
      ...(pages === null ? {} : { codeDescription: { href: `${pages}/${code}/` } }),
      ...(related.length === 0 ? {} : { relatedInformation: related.map((place) => relatedPlace(document, place)) }),
      source: 'ptxlab',
      message: withDemangled(help === null ? message : `${message}\n${help}`),
    };
  }

  private allTokens(document: OpenDocument): object {
    const data = encodeTokens(document, 0, document.document.length);
    const id = String(++this.lastTokens);
    this.tokens.set(document.uri, { id, data });
    return { resultId: id, data };
  }

  private changedTokens(document: OpenDocument, params: unknown): object {
    const known = this.tokens.get(document.uri);
    const fresh = this.allTokens(document);
    const now = this.tokens.get(document.uri);
    if (known === undefined || now === undefined || known.id !== textAt(params, 'previousResultId')) return fresh;
    return { resultId: now.id, edits: tokenEdits(known.data, now.data) };
  }
}

interface Placed {
  readonly uri: string;
  readonly range: (span: Span) => Range;
}

class UnknownMethod extends Error {
  override readonly name = 'UnknownMethod';
}

function relatedPlace(document: Placed, { span, message }: RelatedPlace): object {
  return { location: { uri: document.uri, range: document.range(span) }, message };
}

function failure(code: number, message: string): object {
  return { error: { code, message } };
}

const capabilities = {
  positionEncoding: 'utf-16',
  textDocumentSync: { openClose: true, change: 2 },
  hoverProvider: true,
  definitionProvider: true,
  declarationProvider: true,
  referencesProvider: true,
  documentHighlightProvider: true,
  renameProvider: { prepareProvider: true },
  completionProvider: { triggerCharacters: ['.', '%', '@', '['], resolveProvider: true },
  signatureHelpProvider: { triggerCharacters: [' ', ','] },
  documentSymbolProvider: true,
  foldingRangeProvider: true,
  selectionRangeProvider: true,
  semanticTokensProvider: { legend: { tokenTypes, tokenModifiers }, full: { delta: true }, range: true },
  documentFormattingProvider: true,
  documentRangeFormattingProvider: true,
  codeActionProvider: { codeActionKinds: ['quickfix'] },
  codeLensProvider: {},
} as const;
