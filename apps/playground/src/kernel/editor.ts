/** The text field of `<ptx-kernel>`. It is a CodeMirror editor whose text is analyzed in a worker. */
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { lintGutter, lintKeymap } from '@codemirror/lint';
import { searchKeymap } from '@codemirror/search';
import { EditorState, type Extension, type Transaction } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { completions } from './editor/completions.ts';
import { folding, setFolds } from './editor/folding.ts';
import { apply, firstFix, setFindings } from './editor/findings.ts';
import { hovers } from './editor/hovers.ts';
import { editorLook } from './editor/look.ts';
import { format, nameCommands, rename } from './editor/names.ts';
import { signatureHelp } from './editor/signatures.ts';
import { markUses, useMarks } from './editor/uses.ts';
import type { Change, Facts, Finding, FindingFix, Inspected } from './document-worker.ts';
import { ptxColors } from './ptx-colors.ts';
import type { RemoteDocument } from './remote-document.ts';

/** Slow requests are sent only after this many milliseconds without a key press. */
const pause = 250;

/** The place of an editor in the page, and its initial text and settings. */
export interface EditorPlace {
  readonly parent: HTMLElement;
  readonly root: ShadowRoot;
  readonly text: string;
  /** The target to check for; null for the target that the module declares. */
  readonly target: string | null;
  /** Whether Tab indents lines; otherwise it moves the focus. */
  readonly tabIndents: boolean;
}

export interface EditorEvents {
  readonly changed: (text: string) => void;
  readonly found: (findings: readonly Finding[]) => void;
  readonly learned: (facts: Facts) => void;
  readonly inspected: (inspected: Inspected) => void;
}

export class Editor {
  private readonly view: EditorView;
  private readonly document: RemoteDocument;
  private readonly events: EditorEvents;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private target: string | null;

  constructor(place: EditorPlace, document: RemoteDocument, events: EditorEvents) {
    const { parent, root, text, target, tabIndents } = place;
    this.document = document;
    this.events = events;
    this.target = target;
    const tab = tabIndents ? keymap.of([indentWithTab]) : [];
    const state = EditorState.create({ doc: text, extensions: [extensions(document), tab, this.listener()] });
    this.view = new EditorView({ parent, root, state });
    void this.open();
  }

  get text(): string {
    return this.view.state.doc.toString();
  }

  /** Checks the text for a different target; null selects the target that the module declares. */
  setTarget(target: string | null): void {
    this.target = target;
    void this.open();
  }

  /** The 1-based number of the line at an offset. */
  lineAt(offset: number): number {
    const { doc } = this.view.state;
    return doc.lineAt(Math.min(offset, doc.length)).number;
  }

  /** Scrolls to a position and puts the cursor there. */
  go(offset: number): void {
    this.show(Math.min(offset, this.view.state.doc.length));
    this.view.focus();
  }

  /** Puts the cursor at an offset without focusing the editor or scrolling to the cursor. */
  select(offset: number): void {
    this.view.dispatch({ selection: { anchor: offset } });
  }

  /** Puts the cursor on a line without focusing the editor. */
  showLine(line: number): void {
    const { doc } = this.view.state;
    this.show(doc.line(Math.max(1, Math.min(line, doc.lines))).from);
  }

  goToLine(line: number): void {
    this.showLine(line);
    this.view.focus();
  }

  apply({ edits }: FindingFix): void {
    apply(this.view, edits);
  }

  format(): void {
    void format(this.view, this.document);
  }

  rename(): void {
    void rename(this.view, this.document);
  }

  destroy(): void {
    clearTimeout(this.timer);
    this.view.destroy();
    this.document.close();
  }

  private show(anchor: number): void {
    this.view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
  }

  private async open(): Promise<void> {
    this.mark(await this.document.open(this.text, this.target));
    await this.learn();
  }

  private async edit(changes: readonly Change[]): Promise<void> {
    this.mark(await this.document.edit(changes));
  }

  private mark(findings: readonly Finding[] | null): void {
    if (findings === null) return;
    setFindings(this.view, findings);
    this.events.found(findings);
  }

  private async learn(): Promise<void> {
    const facts = await this.document.facts();
    if (facts === null) return;
    this.mark(facts.findings);
    setFolds(this.view, facts.folds);
    this.events.learned(facts);
    await this.inspect();
  }

  private async inspect(): Promise<void> {
    const { doc, selection } = this.view.state;
    const { head } = selection.main;
    const line = doc.lineAt(head);
    const first = line.from + line.text.search(/\S|$/);
    const inspected = await this.document.current(this.document.ask.inspect(head, first));
    if (inspected === null || this.view.state.selection.main.head !== head) return;
    markUses(this.view, inspected.uses);
    this.events.inspected(inspected);
  }

  private listener(): Extension {
    return EditorView.updateListener.of(({ docChanged, selectionSet, state, transactions }) => {
      if (!docChanged && !selectionSet) return;
      if (docChanged) {
        for (const changes of changesOf(transactions)) void this.edit(changes);
        this.events.changed(state.doc.toString());
      }
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void (docChanged ? this.learn() : this.inspect()), docChanged ? pause : pause / 2);
    });
  }
}

/** The changes in each transaction; their offsets refer to the text before that transaction. */
function changesOf(transactions: readonly Transaction[]): readonly (readonly Change[])[] {
  return transactions.flatMap(({ changes, docChanged }) => {
    if (!docChanged) return [];
    const found: Change[] = [];
    changes.iterChanges((start, end, _from, _to, inserted) => {
      found.push({ start, end, text: inserted.toString() });
    });
    return [found];
  });
}

function extensions(document: RemoteDocument): Extension {
  return [
    lineNumbers(),
    folding(),
    lintGutter(),
    history(),
    drawSelection(),
    highlightActiveLine(),
    ptxColors,
    editorLook,
    completions(document),
    signatureHelp(document),
    hovers(document),
    useMarks,
    nameCommands(document),
    EditorView.contentAttributes.of({ 'aria-label': 'PTX', tabindex: '0' }),
    keymap.of([{ key: 'Mod-.', run: firstFix }, ...lintKeymap, ...defaultKeymap, ...historyKeymap, ...searchKeymap]),
  ];
}
