/** Commands on names and on the whole text: go to the definition, rename, format. */
import type { Extension } from '@codemirror/state';
import { EditorView, keymap, showDialog } from '@codemirror/view';
import type { Range, Renamed } from '../document-worker.ts';
import type { RemoteDocument } from '../remote-document.ts';
import { apply } from './findings.ts';

export function nameCommands(document: RemoteDocument): Extension {
  const define = (view: EditorView): boolean => {
    void goToDefinition(view, document, view.state.selection.main.head);
    return true;
  };
  return [
    keymap.of([
      { key: 'F12', run: define },
      { key: 'F2', run: (view) => (void rename(view, document), true) },
      { key: 'Shift-Alt-f', run: (view) => (void format(view, document), true) },
    ]),
    EditorView.domEventHandlers({
      click(event, view) {
        const offset = event.ctrlKey || event.metaKey ? view.posAtCoords(event) : null;
        if (offset === null) return false;
        void goToDefinition(view, document, offset);
        return true;
      },
    }),
  ];
}

/** Puts the cursor on the definition of the name, or on the next definition if there are several. */
async function goToDefinition(view: EditorView, document: RemoteDocument, offset: number): Promise<void> {
  const places = (await document.current(document.ask.definitions(offset))) ?? [];
  const next = places.find(({ start }) => start > offset) ?? places[0];
  if (next === undefined) return;
  view.dispatch({
    selection: { anchor: next.start },
    effects: EditorView.scrollIntoView(next.start, { y: 'nearest', yMargin: 60 }),
  });
}

export async function format(view: EditorView, document: RemoteDocument): Promise<void> {
  const changes = await document.current(document.ask.format());
  if (changes !== null && changes.length > 0) apply(view, changes);
}

/** Asks for a new name and renames the name at the cursor, or explains why it cannot be renamed. */
export async function rename(view: EditorView, document: RemoteDocument): Promise<void> {
  const { head } = view.state.selection.main;
  const found = await document.current<Range | string | null>(document.ask.renameable(head));
  if (found === null || typeof found === 'string') {
    say(view, found ?? 'Put the cursor on a name to rename it.');
    return;
  }
  const old = view.state.sliceDoc(found.start, found.end);
  const { result } = showDialog(view, {
    label: 'New name',
    input: { name: 'name', value: old, autocomplete: 'off' },
    submitLabel: 'Rename',
    focus: true,
  });
  const form = await result;
  const name = form === null ? null : new FormData(form).get('name');
  view.focus();
  if (typeof name !== 'string' || name === old) return;
  const renamed = await document.current<Renamed>(document.ask.rename(head, name));
  if (renamed === null) return;
  if ('changes' in renamed) apply(view, renamed.changes);
  else say(view, renamed.refusal);
}

function say(view: EditorView, words: string): void {
  showDialog(view, { label: words });
}
