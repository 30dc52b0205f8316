/** The products that add up to one element of D, with editable values. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Bits } from 'ptxlab';
import { type FormatName, numberValue } from 'ptxlab/numbers';
import { boxAt, type Grid, lanesText, registerText } from './fragments.ts';
import { type ElementFormat, elementText, formatOf, type ListName, type MatrixState, type View } from './state.ts';

/** Identifies an editable value; the index of C is 0. */
export interface Place {
  readonly list: ListName | 'c';
  readonly index: number;
}

/** Text that was entered but cannot be read as a value, and the reason. */
export interface Mistake extends Place {
  readonly text: string;
  readonly message: string;
}

interface Edit {
  readonly set: (place: Place, text: string) => void;
  /** Null if the text in every field can be read as a value. */
  readonly mistake: Mistake | null;
}

export function operandsView({ state }: View, grids: readonly Grid[], edit: Edit): TemplateResult {
  const { entry, row, column, c } = state;
  const isSparse = entry.count < entry.k;
  return html`<section aria-labelledby="products-title">
    <h2 id="products-title">The products of D[${row}][${column}]</h2>
    <div class="scroll" tabindex="0" role="region" aria-label="Products">
      <table class="operands">
        <thead><tr><th scope="col">${isSparse ? 'kept' : 'k'}</th><th scope="col">A[${row}][k]</th><th scope="col">B[k][${column}]</th><th scope="col">product</th></tr></thead>
        <tbody>
          ${state.a.map((_, k) => productRow(state, grids, k, edit))}
          <tr><th scope="row">C</th><td>${field(`C[${row}][${column}]`, entry.c, c, { list: 'c', index: 0 }, edit)}</td><td class="where" colspan="2">${whereText(grids, 'C', row, column)}</td></tr>
          ${mistakeRow(edit, ['c'], 0)}
        </tbody>
      </table>
    </div>
    ${entry.scales === null ? nothing : scalesView(state, edit)}
    ${isSparse ? html`<p class="note">A is sparse: half of each row is left out. The column numbers count only the elements that are kept.</p>` : nothing}
  </section>`;
}

function productRow(state: MatrixState, grids: readonly Grid[], k: number, edit: Edit): TemplateResult {
  const { row, column, a, b, entry } = state;
  const [x, y] = [a[k] ?? 0, b[k] ?? 0];
  return html`<tr>
    <th scope="row">${k}</th>
    <td>${field(`A[${row}][${k}]`, entry.a, x, { list: 'a', index: k }, edit)}<span class="where">${whereText(grids, 'A', row, k)}</span></td>
    <td>${field(`B[${k}][${column}]`, entry.b, y, { list: 'b', index: k }, edit)}<span class="where">${entry.count < entry.k ? '' : whereText(grids, 'B', k, column)}</span></td>
    <td class="value">${productText(entry, x, y)}</td>
  </tr>
  ${mistakeRow(edit, ['a', 'b'], k)}`;
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

function field(label: string, format: ElementFormat, bits: Bits, place: Place, { set, mistake }: Edit): TemplateResult {
  const changed = (event: Event): void => {
    if (event.currentTarget instanceof HTMLInputElement) set(place, event.currentTarget.value);
  };
  const isWrong = mistake?.list === place.list && mistake.index === place.index;
  const shown = isWrong ? mistake.text : elementText(bits, format);
  return html`<input aria-label=${label} spellcheck="false" autocomplete="off" aria-invalid=${isWrong}
    aria-describedby=${isWrong ? 'mistake' : nothing} .value=${shown} @change=${changed} />`;
}

/** The table row below a field that shows the message about this field. */
function mistakeRow({ mistake }: Edit, lists: readonly Place['list'][], index: number | null): Maybe {
  if (mistake === null || !lists.includes(mistake.list)) return nothing;
  if (index !== null && index !== mistake.index) return nothing;
  return html`<tr><td class="problem" colspan="99"><span id="mistake" role="alert">${mistake.message}</span></td></tr>`;
}

type Maybe = TemplateResult | typeof nothing;

function scalesView(state: MatrixState, edit: Edit): TemplateResult {
  const list = (name: 'scaleA' | 'scaleB', label: string): TemplateResult => {
    const format: FormatName | 'b1' = formatOf(state, name);
    const cell = (bits: Bits, index: number): TemplateResult =>
      html`<td>${field(`${label}, block ${index}`, format, bits, { list: name, index }, edit)}</td>`;
    return html`<tr><th scope="row">${label}</th>${state[name].map(cell)}</tr>${mistakeRow(edit, [name], null)}`;
  };
  return html`<h3>Scales of the blocks along k</h3>
    <div class="scroll" tabindex="0" role="region" aria-label="Scales"><table class="operands">${list('scaleA', 'A')}${list('scaleB', 'B')}</table></div>`;
}
