/**
 * Shows the chunks of a dot product. For each chunk, it shows the terms aligned by binary weight, the bits that are
 * discarded, the sum, and the rounded result.
 */
import { html, nothing, type TemplateResult } from 'lit';
import type { ExplainedChunk, ExplainedTerm } from 'ptxlab';
import { numberText } from 'ptxlab/numbers';
import { shortNumber } from './operands-view.ts';
import type { View } from './state.ts';

/** The maximum number of discarded digits that are shown. */
const mostCut = 16;

export function sumView({ explanation, matrices, state }: View): TemplateResult {
  if (explanation === null) {
    return html`<section aria-labelledby="sum-title"><h2 id="sum-title">How the products are added</h2>
      ${matrices.product.rules.map((rule) => html`<p>${rule}</p>`)}</section>`;
  }
  const { chunks, addsLast } = explanation;
  const products = chunks.flatMap(({ terms }) => terms).filter(({ index }) => index !== null).length;
  const word = products < state.entry.count ? 'group' : 'k =';
  const [start] = chunks;
  const nameOf: NameOf = (term, chunk) =>
    term.index !== null ? `${word} ${term.index}` : chunk !== start ? 'so far' : addsLast ? 'start' : 'c';
  return html`<section aria-labelledby="sum-title">
    <h2 id="sum-title">Aligned to the greatest exponent, cut off, and added</h2>
    ${chunks.map((chunk, i) => chunkView(chunk, i, chunks.length, state.entry, nameOf))}
    ${addsLast ? html`<p class="note">Then c is added, and the sum is rounded to nearest even.</p>` : nothing}
  </section>`;
}

type Entry = View['state']['entry'];
type NameOf = (term: ExplainedTerm, chunk: ExplainedChunk) => string;

function chunkView(chunk: ExplainedChunk, index: number, count: number, entry: Entry, nameOf: NameOf): TemplateResult {
  const { greatest, unit, sum, terms, result } = chunk;
  const heading = count === 1 ? 'All products in one chunk' : `Chunk ${index + 1} of ${count}`;
  const names = (term: ExplainedTerm): string => nameOf(term, chunk);
  const shown = html`<p class="chunk-result">→ <strong>${numberText(entry.d, result)}</strong></p>`;
  if (greatest === null || unit === null || sum === null) {
    return html`<h3>${heading}</h3><p>A term is not finite: ${terms.map((term) => `${names(term)} is ${term.value}`).join(', ')}.</p>${shown}`;
  }
  const digits = Math.abs(sum).toString(2);
  const fraction = greatest - unit;
  const width = Math.max(fraction + 1, digits.length, ...terms.map(({ kept }) => kept.length));
  return html`<h3>${heading}: greatest exponent ${greatest}, cut off below 2<sup>${unit}</sup></h3>
    <div class="scroll" tabindex="0" role="region" aria-label="${heading}, terms in binary">
      <table class="terms">
        <thead><tr><th scope="col">term</th><th scope="col">value</th><th scope="col">kept, from 2<sup>${unit + width - 1}</sup> to 2<sup>${unit}</sup></th><th scope="col" class="cut">cut off</th></tr></thead>
        <tbody>${terms.map((term) => termRow(term, names(term), width, fraction))}</tbody>
        <tfoot><tr><th scope="row">sum</th><td>${shortNumber(sum * 2 ** unit)}</td><td class="digits">${sum < 0 ? '−' : '+'}${pointed(digits, width, fraction)}</td><td class="cut"></td></tr></tfoot>
      </table>
    </div>
    ${shown}`;
}

function termRow(
  { value, sign, kept, cut }: ExplainedTerm,
  name: string,
  width: number,
  fraction: number,
): TemplateResult {
  const text = cut.length > mostCut ? `${cut.slice(0, mostCut)}…` : cut;
  return html`<tr class=${cut === '' ? '' : 'is-cut'}><th scope="row">${name}</th><td>${shortNumber(Number(value))}</td>
    <td class="digits">${sign === '-' ? '−' : '+'}${pointed(kept, width, fraction)}</td><td class="digits cut">${text}</td></tr>`;
}

/**
 * Shows the digits of a binary number, with the last `fraction` of them after the binary point. Leading zeros are
 * dimmed.
 */
function pointed(digits: string, width: number, fraction: number): TemplateResult {
  const all = digits.padStart(width, '0');
  const lead = Math.max(0, all.indexOf('1') === -1 ? width : all.indexOf('1'));
  const point = width - fraction;
  const part = (from: number, to: number): TemplateResult =>
    lead >= to
      ? html`<span class="lead">${all.slice(from, to)}</span>`
      : html`<span class="lead">${all.slice(from, Math.max(from, lead))}</span><b>${all.slice(Math.max(from, lead), to)}</b>`;
  return fraction === 0 ? part(0, width) : html`${part(0, point)}.${part(point, width)}`;
}
