/** The text field of the Kernel page: CodeMirror with PTX's words colored and findings underlined. */
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { HighlightStyle, StreamLanguage, type StreamParser, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { searchKeymap } from '@codemirror/search';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Finding, FindingFix } from './lab-worker.ts';

interface Inside {
  comment: boolean;
  /** Whether the next word is an opcode. */
  start: boolean;
}

const ptx: StreamParser<Inside> = {
  name: 'ptx',
  startState: () => ({ comment: false, start: true }),
  token(stream, state) {
    if (state.comment || stream.match('/*')) {
      state.comment = !stream.match(/^.*?\*\//);
      if (state.comment) stream.skipToEnd();
      return 'comment';
    }
    if (stream.eatSpace()) return null;
    if (stream.match(/^\/\/.*/)) return 'comment';
    if (stream.match(/^"[^"]*"?/)) return 'string';
    if (stream.match(/^[;{}]/)) {
      state.start = true;
      return 'punctuation';
    }
    if (stream.match(/^@!?%?[\w$]+/)) return 'keyword';
    if (stream.match(/^%[\w$.]+/)) return 'variableName';
    if (stream.match(/^\.[\w:]+/)) return 'typeName';
    if (stream.match(/^(?:0[xXfFdDbB][\da-fA-F]+U?|\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)/)) return 'number';
    if (stream.match(/^[\w$]+\s*:(?!:)/)) return 'labelName';
    const isStart = state.start;
    if (stream.match(/^[a-z_$][\w$.:]*/i)) {
      state.start = false;
      return isStart ? 'operatorKeyword' : null;
    }
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: '//' } },
};

const colors = HighlightStyle.define([
  { tag: tags.comment, color: 'var(--quiet)', fontStyle: 'italic' },
  { tag: tags.operatorKeyword, color: 'var(--ink)', fontWeight: '650' },
  { tag: tags.keyword, color: 'var(--sign)' },
  { tag: tags.variableName, color: 'var(--significand)' },
  { tag: tags.typeName, color: 'var(--accent)' },
  { tag: [tags.number, tags.string], color: 'var(--exponent)' },
  { tag: tags.labelName, color: 'var(--sign)', fontWeight: '650' },
]);

const look = EditorView.theme({
  '&': { height: '100%', fontSize: '14px', backgroundColor: 'var(--surface)', color: 'var(--ink)' },
  '.cm-content': { fontFamily: 'var(--mono)', caretColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--quiet)', border: 'none', fontFamily: 'var(--mono)' },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'color-mix(in srgb, var(--accent-wash) 60%, transparent)',
  },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': { backgroundColor: 'var(--accent-wash) !important' },
  '.cm-tooltip': {
    backgroundColor: 'var(--surface)',
    color: 'var(--ink)',
    border: '1px solid var(--strong-line)',
    maxWidth: '480px',
  },
  '.cm-diagnostic': { fontFamily: 'var(--sans)' },
});

export interface EditorEvents {
  readonly changed: (text: string) => void;
  /** The cursor moved to this offset. */
  readonly moved: (offset: number) => void;
}

export class Editor {
  private readonly view: EditorView;

  constructor(parent: HTMLElement, root: ShadowRoot, text: string, events: EditorEvents) {
    this.view = new EditorView({
      parent,
      root,
      state: EditorState.create({ doc: text, extensions: extensions(events) }),
    });
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  set text(text: string) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
  }

  /** The line at an offset: its text, and its 1-based number. */
  lineAt(offset: number): { readonly text: string; readonly number: number } {
    return this.view.state.doc.lineAt(Math.min(offset, this.view.state.doc.length));
  }

  /** Shows a place and puts the cursor there. */
  go(offset: number): void {
    const anchor = Math.min(offset, this.view.state.doc.length);
    this.view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
    this.view.focus();
  }

  /** Puts the cursor on a line without taking the focus. */
  showLine(line: number): void {
    const { doc } = this.view.state;
    const anchor = doc.line(Math.max(1, Math.min(line, doc.lines))).from;
    this.view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
  }

  goToLine(line: number): void {
    const { doc } = this.view.state;
    this.go(doc.line(Math.max(1, Math.min(line, doc.lines))).from);
  }

  apply({ edits }: FindingFix): void {
    this.view.dispatch({ changes: edits.map(({ start, end, text }) => ({ from: start, to: end, insert: text })) });
  }

  /** Underlines findings; those of an older text are dropped by the caller. */
  mark(findings: readonly Finding[]): void {
    const { length } = this.view.state.doc;
    const marks = findings.map(({ start, end, severity, message, code, fixes, help }): Diagnostic => {
      const from = Math.min(start, length);
      const base = {
        from,
        to: Math.max(from, Math.min(end, length)),
        severity: severity === 'note' ? 'info' : severity,
        source: code,
      } as const;
      const text = help === null ? message : `${message}\n${help}`;
      if (fixes.length === 0) return { ...base, message: text };
      return {
        ...base,
        message: text,
        actions: fixes.map((fix) => ({ name: fix.title, apply: () => this.apply(fix) })),
      };
    });
    this.view.dispatch(setDiagnostics(this.view.state, marks));
  }

  destroy(): void {
    this.view.destroy();
  }
}

function extensions({ changed, moved }: EditorEvents): Extension {
  return [
    lineNumbers(),
    lintGutter(),
    history(),
    drawSelection(),
    highlightActiveLine(),
    StreamLanguage.define(ptx),
    syntaxHighlighting(colors),
    look,
    EditorView.contentAttributes.of({ 'aria-label': 'PTX', tabindex: '0' }),
    keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, indentWithTab]),
    EditorView.updateListener.of(({ docChanged, selectionSet, state }) => {
      if (docChanged) changed(state.doc.toString());
      if (docChanged || selectionSet) moved(state.selection.main.head);
    }),
  ];
}
