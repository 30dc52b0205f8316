/** Shows the bits of the source and of the result as cells; clicking a bit of the source flips it. */
import { html, type TemplateResult } from 'lit';
import { type Bits, type FormatName, formats } from 'ptxlab/numbers';
import { type BitCell, cellsOf, type FieldKind, fieldsOf, fieldText } from './fields.ts';
import { withPowers } from './powers.ts';
import type { View } from './state.ts';

export function bitsView({ state, source, lane }: View, set: (bits: Bits) => void): TemplateResult {
  const { from, to } = state.entry;
  const flip = (index: number): void => {
    const flipped = BigInt(source) ^ (1n << BigInt(index));
    set(formats[from].width > 32 ? flipped : Number(flipped));
  };
  const { bits } = lane.explanation.result;
  return html`<section>
      <h2>Source bits, ${from}. Click one to flip it.</h2>
      ${row(from, source, (cell) => button(cell, () => flip(cell.index)))}
    </section>
    <section>
      <h2>Result bits, ${to}</h2>
      ${row(to, bits, fixedCell)}
    </section>`;
}

function row(format: FormatName, bits: Bits, cellView: (cell: BitCell) => TemplateResult): TemplateResult {
  const isNarrow = formats[format].width > 32;
  return html`<div class="bits ${isNarrow ? 'narrow' : ''}">
    ${fieldsOf(cellsOf(format, bits)).map(
      ({ kind, cells }) =>
        html`<div class="field ${kind}">
          <div class="cells">${cells.map(cellView)}</div>
          <span class="caption">${withPowers(captionOf(format, kind, cells))}</span>
        </div>`,
    )}
  </div>`;
}

function captionOf(format: FormatName, kind: FieldKind, cells: readonly BitCell[]): string {
  const text = fieldText(format, kind, cells);
  return kind === 'exponent' ? `exponent ${text}` : text;
}

function button({ index, kind, isSet }: BitCell, flip: () => void): TemplateResult {
  const label = `bit ${index}, ${kind}`;
  return html`<button class="cell" aria-pressed=${isSet} aria-label="${label}: ${isSet ? '1' : '0'}" title=${label} @click=${flip}>${isSet ? '1' : '0'}</button>`;
}

function fixedCell({ isSet }: BitCell): TemplateResult {
  return html`<span class="cell fixed ${isSet ? 'set' : ''}">${isSet ? '1' : '0'}</span>`;
}
