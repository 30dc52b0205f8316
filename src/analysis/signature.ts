/** The operands of an instruction that is being written. */
import type { Span } from '../base/span.ts';
import { resolveMnemonic } from '../check/instructions/resolve.ts';
import { opcodeIn } from '../isa/notation.ts';
import { ptxForms } from '../isa/table.ts';
import type { StatementPlace } from './statement-place.ts';

export interface Signature {
  /** The mnemonic and its operands. */
  readonly label: string;
  readonly summary: string;
  /** The range of text in `label` that each operand occupies. */
  readonly operands: readonly Span[];
}

export interface Signatures {
  /** One signature for each form that the mnemonic can have. Forms with enough operands come first. */
  readonly signatures: readonly Signature[];
  /** The index of the operand at the cursor. */
  readonly operand: number;
}

/** The signatures to show at a place in a statement; null if no operand can be written there. */
export function signaturesAt(place: StatementPlace): Signatures | null {
  if (place.kind !== 'operand') return null;
  const { mnemonic, index } = place;
  const found = resolveMnemonic(mnemonic);
  const forms =
    found.kind === 'variants'
      ? found.variants.map((variant) => ({ mnemonic: variant.mnemonic, form: variant.form }))
      : ptxForms.forms(opcodeIn(mnemonic)).map(({ form }) => ({ mnemonic: written(form.syntax), form }));
  const signatures = forms.map(({ mnemonic: name, form }) => signature(name, form.syntax, form.summary));
  const fitting = signatures.toSorted((a, b) => Number(b.operands.length > index) - Number(a.operands.length > index));
  return fitting.length === 0 ? null : { signatures: fitting, operand: index };
}

function written(syntax: string): string {
  return syntax.split(/\s/, 1)[0] ?? syntax;
}

function signature(mnemonic: string, syntax: string, summary: string): Signature {
  const list = syntax.slice(written(syntax).length).trim().replace(/;$/, '');
  const label = list === '' ? mnemonic : `${mnemonic} ${list}`;
  const operands: Span[] = [];
  let depth = 0;
  let start = mnemonic.length + 1;
  for (let i = start; i <= label.length; i++) {
    const mark = label.charAt(i);
    if ('([{'.includes(mark) && mark !== '') depth++;
    else if (')]}'.includes(mark) && mark !== '') depth--;
    const isEnd = mark === '' || (mark === ',' && depth === 0);
    if (!isEnd) continue;
    if (label.slice(start, i).trim() !== '') operands.push({ start, end: i });
    start = i + (label.charAt(i + 1) === ' ' ? 2 : 1);
  }
  return { label, summary, operands };
}
