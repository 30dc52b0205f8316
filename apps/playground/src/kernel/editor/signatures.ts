/**
 * Shows the operands of the instruction that is being written. They appear above the line, with the current operand in
 * bold.
 */
import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state';
import { EditorView, keymap, showTooltip, type Tooltip, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { html, render, type TemplateResult } from 'lit';
import type { Signatures } from 'ptxlab/analysis';
import type { RemoteDocument } from '../remote-document.ts';

/** The operands are shown after this many milliseconds without a key press. */
const pause = 150;

interface Shown {
  readonly signatures: Signatures;
  readonly offset: number;
}

const found = StateEffect.define<Shown | null>();

const shown = StateField.define<Shown | null>({
  create: () => null,
  update(known, { effects, changes, state, docChanged }) {
    for (const effect of effects) if (effect.is(found)) return effect.value;
    if (known === null) return null;
    const offset = docChanged ? changes.mapPos(known.offset, 1) : known.offset;
    const { doc, selection } = state;
    return doc.lineAt(offset).number === doc.lineAt(selection.main.head).number ? { ...known, offset } : null;
  },
  provide: (field) => showTooltip.from(field, tooltipOf),
});

function tooltipOf(known: Shown | null): Tooltip | null {
  if (known === null) return null;
  return {
    pos: known.offset,
    above: true,
    create: () => {
      const dom = document.createElement('div');
      dom.className = 'cm-signature';
      render(signatureView(known.signatures), dom);
      return { dom };
    },
  };
}

function signatureView({ signatures, operand }: Signatures): TemplateResult {
  const [first] = signatures;
  if (first === undefined) return html``;
  const active = first.operands[operand];
  const [start, end] = active === undefined ? [first.label.length, first.label.length] : [active.start, active.end];
  const { label } = first;
  return html`<code>${label.slice(0, start)}<strong>${label.slice(start, end)}</strong>${label.slice(end)}</code>
    ${signatures.length > 1 ? html`<span class="quiet">1 of ${signatures.length} forms</span>` : ''}`;
}

export function signatureHelp(remote: RemoteDocument): Extension {
  const ask = async (view: EditorView): Promise<void> => {
    const { head } = view.state.selection.main;
    const answer = await remote.current(remote.ask.signatures(head));
    if (view.state.selection.main.head !== head) return;
    view.dispatch({ effects: found.of(answer === null ? null : { signatures: answer, offset: head }) });
  };
  const typing = ViewPlugin.define((view) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    return {
      update({ docChanged, state, transactions }: ViewUpdate) {
        if (!docChanged) return;
        clearTimeout(timer);
        const isTyped = transactions.some((one) => one.isUserEvent('input') || one.isUserEvent('delete'));
        if (isTyped && mayHaveOperands(state)) timer = setTimeout(() => void ask(view), pause);
      },
      destroy: () => clearTimeout(timer),
    };
  });
  const close = (view: EditorView): boolean => {
    if (view.state.field(shown) === null) return false;
    view.dispatch({ effects: found.of(null) });
    return true;
  };
  const keys = keymap.of([
    { key: 'Mod-Shift-Space', run: (view) => (void ask(view), true) },
    { key: 'Escape', run: close },
  ]);
  return [shown, typing, keys];
}

/** Whether the cursor is after the first space of a statement. */
function mayHaveOperands({ doc, selection }: EditorState): boolean {
  const { head } = selection.main;
  const line = doc.lineAt(head);
  return /\S\s[^;]*$/.test(line.text.slice(0, head - line.from));
}
