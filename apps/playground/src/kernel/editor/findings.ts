/** Underlines the text that findings refer to, and offers their fixes as buttons. */
import { type Diagnostic, forEachDiagnostic, setDiagnostics } from '@codemirror/lint';
import type { EditorView } from '@codemirror/view';
import type { Change, Finding } from '../document-worker.ts';

/** Underlines findings about the current text. */
export function setFindings(view: EditorView, findings: readonly Finding[]): void {
  const { length } = view.state.doc;
  const marks = findings.map(({ start, end, severity, message, code, fixes, help }): Diagnostic => {
    const from = Math.min(start, length);
    return {
      from,
      to: Math.max(from, Math.min(end, length)),
      severity: severity === 'note' ? 'info' : severity,
      source: code,
      message: help === null ? message : `${message}\n${help}`,
      actions: fixes.map(({ title, edits }) => ({ name: title, apply: () => apply(view, edits) })),
    };
  });
  view.dispatch(setDiagnostics(view.state, marks));
}

export function apply(view: EditorView, changes: readonly Change[]): void {
  view.dispatch({ changes: changes.map(({ start, end, text }) => ({ from: start, to: end, insert: text })) });
}

/**
 * Applies the first fix of the finding at the cursor. If no finding at the cursor has a fix, uses the nearest finding
 * on the same line that has one.
 */
export function firstFix(view: EditorView): boolean {
  const { doc, selection } = view.state;
  const { head } = selection.main;
  const line = doc.lineAt(head);
  let best: { readonly diagnostic: Diagnostic; readonly from: number; readonly distance: number } | null = null;
  forEachDiagnostic(view.state, (diagnostic, from, to) => {
    if (from > line.to || to < line.from || (diagnostic.actions?.length ?? 0) === 0) return;
    const distance = Math.max(0, from - head, head - to);
    if (best === null || distance < best.distance) best = { diagnostic, from, distance };
  });
  return applyFirst(view, best);
}

function applyFirst(
  view: EditorView,
  found: { readonly diagnostic: Diagnostic; readonly from: number } | null,
): boolean {
  const action = found?.diagnostic.actions?.[0];
  if (found === null || action === undefined) return false;
  action.apply(view, found.from, found.from);
  return true;
}
