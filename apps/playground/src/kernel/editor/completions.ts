/** Completion: offers everything that can legally be written at the cursor. */
import {
  autocompletion,
  type Completion as Option,
  type CompletionContext,
  type CompletionResult,
} from '@codemirror/autocomplete';
import type { Extension } from '@codemirror/state';
import type { Completion } from 'ptxlab/analysis';
import type { RemoteDocument } from '../remote-document.ts';

/** Completion is offered when the text before the cursor ends in one of these characters. */
const begins = /[\w$%.@[]$/;

/**
 * Matches a single name or a single part of a mnemonic. As long as the typed text matches this expression, the list of
 * completions does not have to be requested again.
 */
const onePart = /^[.%@]?[\w$:]*$/;

export function completions(document: RemoteDocument): Extension {
  const source = async (context: CompletionContext): Promise<CompletionResult | null> => {
    const before = context.state.doc
      .lineAt(context.pos)
      .text.slice(0, context.pos - context.state.doc.lineAt(context.pos).from);
    if (!context.explicit && !begins.test(before)) return null;
    const found = await document.current(document.ask.completions(context.pos));
    if (found === null || found.items.length === 0) return null;
    return { from: found.span.start, options: found.items.map(optionOf), validFor: onePart };
  };
  return autocompletion({
    override: [source],
    icons: false,
    activateOnCompletion: ({ type }) => type === 'modifier' || type === 'opcode',
  });
}

/**
 * CodeMirror sorts options by how well they match the typed text. The boost, which follows the order of the list,
 * matters only for options that match equally well. It must be between -99 and 99.
 */
function optionOf({ text, detail, kind, isComplete }: Completion, index: number): Option {
  const end = kind === 'type' && isComplete ? 'type' : kind;
  return { label: text, type: end, boost: -Math.min(index, 99), ...(detail === '' ? {} : { detail }) };
}
