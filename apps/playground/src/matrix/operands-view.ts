/** The products that add up to one element of D, with editable values. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Bits } from 'ptxlab';
import { type FormatName, numberValue } from 'ptxlab/numbers';
import { boxAt, type Grid, lanesText, registerText } from './fragments.ts';
import { type ElementFormat, elementText, formatOf, type ListName, type MatrixState, type View } from './state.ts';

export type SetElement = (list: ListName | 'c', index: number, text: string) => void;

export function operandsView({ state }: View, grids: readonly Grid[], set: SetElement): TemplateResult {
  const { entry, row, column, c } = state;
  const isSparse = entry.count < entry.k;
  return html`<section aria-labelledby="products-title">
    <h2 id="products-title">The products of D[${row}][${column}]</h2>
    <div class="scroll" tabindex="0" role="region" aria-label="Products">
      <table class="operands">
        <thead><tr><th scope="col">${isSparse ? 'kept' : 'k'}</th><th scope="col">A[${row}][k]</th><th scope="col">B[k][${column}]</th><th scope="col">product</th></tr></thead>
        <tbody>
          ${state.a.map((_, k) => productRow(state, grids, k, set))}
          <tr><th scope="row">C</th><td>${field(`C[${row}][${column}]`, entry.c, c, (text) => set('c', 0, text))}</td><td class="where" colspan="2">${whereText(grids, 'C', row, column)}</td></tr>
        </tbody>
      </table>
    </div>
    ${entry.scales === null ? nothing : scalesView(state, set)}
    ${isSparse ? html`<p class="note">A is sparse: half of each row is left out. The column numbers count only the elements that are kept.</p>` : nothing}
  </section>`;
}

function productRow(state: MatrixState, grids: readonly Grid[], k: number, set: SetElement): TemplateResult {
  const { row, column, a, b, entry } = state;
  const [x, y] = [a[k] ?? 0, b[k] ?? 0];
  return html`<tr>
    <th scope="row">${k}</th>
    <td>${field(`A[${row}][${k}]`, entry.a, x, (text) => set('a', k, text))}<span class="where">${whereText(grids, 'A', row, k)}</span></td>
    <td>${field(`B[${k}][${column}]`, entry.b, y, (text) => set('b', k, text))}<span class="where">${entry.count < entry.k ? '' : whereText(grids, 'B', k, column)}</span></td>
    <td class="value">${productText(entry, x, y)}</td>
  </tr>`;
}

function productText({ a, b, mnemonic }: MatrixState['entry'], x: Bits, y: Bits): string {
  if (a === 'b1' || b === 'b1') return String(Number(mnemonic.includes('.and.') ? x === 1 && y === 1 : x !== y));
  return shortNumber(numberValue(a, x) * numberValue(b, y));
}

export function shortNumber(value: number): string {
  const text = String(value);
  return text.length <= 10 ? text : String(Number(value.toPrecision(6)));
}

/** The lanes and the register that hold an element, such as `lane 5, a.0`; empty if no grid contains the element. */
function whereText(grids: readonly Grid[], matrix: 'A' | 'B' | 'C', row: number, column: number): string {
  const grid = grids.find(
    ({ fragment }) => fragment.matrix === matrix || (matrix === 'C' && fragment.matrix === 'C and D'),
  );
  const box = grid === undefined ? undefined : boxAt(grid, row, column);
  return grid === undefined || box === undefined
    ? ''
    : `${lanesText(box.lanes)}, ${registerText(grid.fragment, box.cell)}`;
}

function field(label: string, format: ElementFormat, bits: Bits, set: (text: string) => void): TemplateResult {
  const changed = (event: Event): void => {
    if (event.currentTarget instanceof HTMLInputElement) set(event.currentTarget.value);
  };
  return html`<input aria-label=${label} spellcheck="false" autocomplete="off" .value=${elementText(bits, format)} @change=${changed} />`;
}

function scalesView(state: MatrixState, set: SetElement): TemplateResult {
  const list = (name: 'scaleA' | 'scaleB', label: string): TemplateResult => {
    const format: FormatName | 'b1' = formatOf(state, name);
    return html`<tr><th scope="row">${label}</th>${state[name].map((bits, i) => html`<td>${field(`${label}, block ${i}`, format, bits, (text) => set(name, i, text))}</td>`)}</tr>`;
  };
  return html`<h3>Scales of the blocks along k</h3>
    <div class="scroll" tabindex="0" role="region" aria-label="Scales"><table class="operands">${list('scaleA', 'A')}${list('scaleB', 'B')}</table></div>`;
}
