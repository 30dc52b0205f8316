/** Highlights every use of the name at the cursor, with different styles for reads and writes. */
import { type Extension, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';
import type { NameUse } from 'ptxlab/analysis';

const found = StateEffect.define<readonly NameUse[]>();

const marks = {
  read: Decoration.mark({ class: 'cm-read' }),
  write: Decoration.mark({ class: 'cm-write' }),
  declaration: Decoration.mark({ class: 'cm-named' }),
};

const uses = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(known, { effects, changes, state }) {
    for (const effect of effects) {
      if (!effect.is(found)) continue;
      const inText = effect.value.filter(({ end }) => end <= state.doc.length);
      return Decoration.set(inText.map(({ start, end, role }) => marks[role ?? 'declaration'].range(start, end)));
    }
    return known.map(changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

export const useMarks: Extension = uses;

export function markUses(view: EditorView, places: readonly NameUse[]): void {
  view.dispatch({ effects: found.of(places) });
}
