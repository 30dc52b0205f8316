/** Folds functions, blocks, code after labels, and comments. The worker finds the ranges that can be folded. */
import { codeFolding, foldGutter, foldKeymap, foldService } from '@codemirror/language';
import { type Extension, StateEffect, StateField } from '@codemirror/state';
import { type EditorView, keymap } from '@codemirror/view';
import type { Range } from '../document-worker.ts';

const found = StateEffect.define<readonly Range[]>();

/** The ranges that can be folded. Their positions are updated when the text is edited. */
const folds = StateField.define<readonly Range[]>({
  create: () => [],
  update(known, { effects, changes, docChanged }) {
    for (const effect of effects) if (effect.is(found)) return effect.value;
    if (!docChanged) return known;
    return known.map(({ start, end }) => ({ start: changes.mapPos(start, 1), end: changes.mapPos(end, -1) }));
  },
});

export function setFolds(view: EditorView, ranges: readonly Range[]): void {
  view.dispatch({ effects: found.of(ranges) });
}

const byLine = foldService.of((state, lineStart, lineEnd) => {
  const { doc } = state;
  const fold = state
    .field(folds)
    .find(({ start, end }) => start >= lineStart && start <= lineEnd && end > lineEnd && end <= doc.length);
  if (fold === undefined) return null;
  // The line that contains the closing brace stays visible.
  const isClosed = doc.sliceString(fold.end - 1, fold.end) === '}';
  const end = isClosed ? doc.lineAt(fold.end).from - 1 : fold.end;
  return end > lineEnd ? { from: lineEnd, to: end } : null;
});

const gutter = foldGutter({
  foldingChanged: ({ startState, state }) => startState.field(folds) !== state.field(folds),
});

export function folding(): Extension {
  return [folds, byLine, codeFolding(), gutter, keymap.of(foldKeymap)];
}
