/** Answers the requests about open documents that a client sends to the server. */
import { demangle } from '../base/demangle/demangle.ts';
import type { CompletionKind } from '../analysis/completion.ts';
import type { OutlineSymbol } from '../analysis/outline.ts';
import type { Span } from '../base/span.ts';
import type { Edit, Fix } from '../diagnostics/fix.ts';
import { hoverText } from './hover-text.ts';
import { at, listAt, textAt } from '../base/json-values.ts';
import type { OpenDocument } from './open-document.ts';
import { encodeTokens } from './tokens.ts';

/** A request that cannot be fulfilled. The reason is shown to the user. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
}

type Answer = (open: OpenDocument, params: unknown) => unknown;

/**
 * Maps the name of each request to the function that answers it. All of these requests have `textDocument` in their
 * parameters.
 */
export const answers: Readonly<Record<string, Answer>> = {
  'textDocument/hover': hover,
  'textDocument/definition': definition,
  'textDocument/declaration': (open, params) =>
    locations(open, open.document.navigation.declarations(place(open, params))),
  'textDocument/references': references,
  'textDocument/documentHighlight': highlights,
  'textDocument/prepareRename': prepareRename,
  'textDocument/rename': rename,
  'textDocument/completion': completion,
  'textDocument/signatureHelp': signatureHelp,
  'textDocument/documentSymbol': (open) =>
    open.document.navigation.symbols().map((symbol) => documentSymbol(open, symbol)),
  'textDocument/foldingRange': folds,
  'textDocument/selectionRange': (open, params) =>
    listAt(params, 'positions').map((position) => selection(open, open.offset(position))),
  'textDocument/semanticTokens/range': (open, params) => {
    const { start, end } = open.span(at(params, 'range'));
    return { data: encodeTokens(open, start, end) };
  },
  'textDocument/formatting': (open) => edits(open, open.document.navigation.format()),
  'textDocument/rangeFormatting': (open, params) => {
    const within = open.span(at(params, 'range'));
    const inside = open.document.navigation
      .format()
      .filter(({ span }) => span.end >= within.start && span.start <= within.end);
    return edits(open, inside);
  },
  'textDocument/codeAction': codeActions,
  'textDocument/codeLens': codeLenses,
};

function place(open: OpenDocument, params: unknown): number {
  return open.offset(at(params, 'position'));
}

function locations(open: OpenDocument, spans: readonly Span[]): readonly object[] {
  return spans.map((span) => ({ uri: open.uri, range: open.range(span) }));
}

function edits(open: OpenDocument, list: readonly Edit[]): readonly object[] {
  return list.map(({ span, text }) => ({ range: open.range(span), newText: text }));
}

function hover(open: OpenDocument, params: unknown): object | null {
  const offset = place(open, params);
  const view = open.document.functionAt(offset);
  const found = view?.hover(offset) ?? null;
  if (view === null || found === null) return null;
  const value = hoverText(found, view.register(offset));
  return { contents: { kind: 'markdown', value }, range: open.range(found) };
}

/**
 * Finds the definition of the word at a position. For a register that is read at this position, the definition is the
 * instruction that wrote the value; for everything else, it is the declaration.
 */
function definition(open: OpenDocument, params: unknown): readonly object[] {
  const offset = place(open, params);
  const { navigation } = open.document;
  const word = navigation.references.wordAt(offset);
  const isRead = word !== null && navigation.roleAt(word.start) === 'read';
  const register = isRead ? open.document.functionAt(offset)?.register(offset) : null;
  const written = register?.definitions ?? [];
  return locations(open, written.length > 0 ? written : navigation.declarations(offset));
}

function references(open: OpenDocument, params: unknown): readonly object[] {
  const withDeclaration = at(params, 'context', 'includeDeclaration') !== false;
  const places = open.document.navigation.places(place(open, params));
  return locations(
    open,
    places.filter(({ isDeclaration }) => withDeclaration || !isDeclaration),
  );
}

const highlightKinds = { text: 1, read: 2, write: 3 } as const;

function highlights(open: OpenDocument, params: unknown): readonly object[] {
  return open.document.navigation
    .uses(place(open, params))
    .map((use) => ({ range: open.range(use), kind: highlightKinds[use.role ?? 'text'] }));
}

function prepareRename(open: OpenDocument, params: unknown): object | null {
  const found = open.document.navigation.renameable(place(open, params));
  if (typeof found === 'string') throw new RequestRefused(found);
  return found === null ? null : open.range(found);
}

function rename(open: OpenDocument, params: unknown): object | null {
  const found = open.document.navigation.rename(place(open, params), textAt(params, 'newName'));
  if (found === null) return null;
  if (!found.ok) throw new RequestRefused(found.error);
  return { changes: { [open.uri]: edits(open, found.value) } };
}

const completionKinds: Readonly<Record<CompletionKind, number>> = {
  opcode: 14,
  modifier: 20,
  type: 25,
  directive: 14,
  register: 6,
  'special register': 21,
  variable: 6,
  label: 18,
  function: 3,
  value: 12,
};

function completion(open: OpenDocument, params: unknown): object {
  const { span, items } = open.document.completions(place(open, params));
  const range = open.range(span);
  return {
    isIncomplete: false,
    items: items.map(({ kind, text, detail }, i) => ({
      label: text,
      kind: completionKinds[kind],
      ...(detail === '' ? {} : { detail }),
      sortText: String(i).padStart(4, '0'),
      filterText: text,
      textEdit: { range, newText: text },
    })),
  };
}

function signatureHelp(open: OpenDocument, params: unknown): object | null {
  const found = open.document.signatures(place(open, params));
  if (found === null) return null;
  const signatures = found.signatures.map(({ label, summary, operands }) => ({
    label,
    documentation: summary,
    parameters: operands.map(({ start, end }) => ({ label: [start, end] })),
  }));
  return { signatures, activeSignature: 0, activeParameter: found.operand };
}

const symbolKinds: Readonly<Record<OutlineSymbol['kind'], number>> = {
  kernel: 12,
  function: 12,
  variable: 13,
  label: 20,
};

function documentSymbol(open: OpenDocument, symbol: OutlineSymbol): object {
  const { kind, name, detail, selection: named, children } = symbol;
  return {
    name,
    detail,
    kind: symbolKinds[kind],
    range: open.range(symbol),
    selectionRange: open.range(named),
    children: children.map((child) => documentSymbol(open, child)),
  };
}

function folds(open: OpenDocument): readonly object[] {
  return open.document.navigation.folds().flatMap(({ start, end, kind }) => {
    const [startLine, endLine] = [open.position(start).line, open.position(end).line];
    return endLine > startLine ? [{ startLine, endLine, kind }] : [];
  });
}

function selection(open: OpenDocument, offset: number): object | null {
  return open.document.navigation
    .selections(offset)
    .reduceRight<object | null>(
      (parent, span) => ({ range: open.range(span), ...(parent === null ? {} : { parent }) }),
      null,
    );
}

function codeActions(open: OpenDocument, params: unknown): readonly object[] {
  const { start, end } = open.span(at(params, 'range'));
  return open
    .findings()
    .filter(({ span }) => span.start <= end && span.end >= start)
    .flatMap((finding) => {
      const diagnostics = [
        { range: open.range(finding.span), message: finding.message, code: finding.code, source: 'ptxlab' },
      ];
      return open.document.fixes(finding).map((fix, i) => ({ ...codeAction(open, fix, i === 0), diagnostics }));
    });
}

function codeAction(open: OpenDocument, { title, applicability, edits: changes }: Fix, isFirst: boolean): object {
  const isPreferred = isFirst && applicability === 'certain';
  return { title, kind: 'quickfix', isPreferred, edit: { changes: { [open.uri]: edits(open, changes) } } };
}

/**
 * Returns two kinds of code lenses: one shows the C++ name of a function, and the other marks where the code for a
 * source line starts.
 */
function codeLenses(open: OpenDocument): readonly object[] {
  return [...nameLenses(open), ...sourceLenses(open)];
}

function nameLenses(open: OpenDocument): readonly object[] {
  return open.document.functions().flatMap(({ name, selection: named }) => {
    const title = demangle(name);
    return title === null ? [] : [{ range: open.range(named), command: { title, command: '' } }];
  });
}

function sourceLenses(open: OpenDocument): readonly object[] {
  return open.document.sourceLines().flatMap(({ file, line, instructions, ranges }) => {
    const [first] = ranges;
    if (first === undefined) return [];
    const counted = instructions === 1 ? '1 instruction' : `${instructions} instructions`;
    const title = `${file.replace(/^.*[\\/]/, '')}:${line} · ${counted}`;
    const { start } = open.range(first);
    return [{ range: { start, end: start }, command: { title, command: '' } }];
  });
}
