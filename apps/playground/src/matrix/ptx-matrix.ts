/** `<ptx-matrix>`: shows a matrix product, the lanes that hold its elements, and how each GPU computes one element. */
import { type CSSResultGroup, html, LitElement, type PropertyValues, type TemplateResult } from 'lit';
import { PtxlabError } from 'ptxlab';
import { numberText } from 'ptxlab/numbers';
import { convertStyle } from '../convert/style.ts';
import { hex } from '../convert/words.ts';
import { damagedLink, unreadParts } from '../shell/link-problem.ts';
import { shortMessage } from '../shell/shorten.ts';
import { wholeNumberField } from '../shell/whole-number.ts';
import { Catalog, type Field, textOf } from './catalog.ts';
import { fragmentsView } from './fragment-view.ts';
import { boxAt, gridsOf } from './fragments.ts';
import { alignedText, gpusView } from './gpus-view.ts';
import { linkOf, openLink, readLink } from './link.ts';
import { opening } from './opening.ts';
import { type Mistake, operandsView, type Place } from './operands-view.ts';
import {
  formatOf,
  type MatrixState,
  readElement,
  type View,
  viewOf,
  widthOf,
  withElement,
  withEntry,
} from './state.ts';
import { matrixStyle } from './style.ts';
import { sumView } from './sum-view.ts';

const labels: Readonly<Record<Field, string>> = {
  opcode: 'Instruction',
  shape: 'Shape',
  types: 'A × B + C → D',
  mnemonic: 'Variant',
};

export class PtxMatrix extends LitElement {
  static override properties = {
    link: { type: String },
    view: { state: true },
    lane: { state: true },
    problem: { state: true },
    mistake: { state: true },
  };
  static override styles: CSSResultGroup = [...convertStyle, matrixStyle];

  /**
   * A link (see link.ts) that encodes the element shown. Setting this property shows another element; `change` events
   * contain the new link.
   */
  declare link: string;
  declare view: View;
  /**
   * The lane under the pointer. The elements that this lane holds are marked. If `lane` is null, the elements of the
   * lane that holds the chosen element of D are marked instead.
   */
  declare lane: number | null;
  /** The message about a link that cannot be read; empty if there is none. */
  declare problem: string;
  declare mistake: Mistake | null;

  private readonly catalog = new Catalog();

  constructor() {
    super();
    this.link = '';
    this.lane = null;
    this.problem = '';
    this.mistake = null;
    this.view = this.opening();
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has('link') || this.link === '' || this.link === linkOf(this.view.state)) return;
    const opened = openLink(this.link, this.catalog);
    this.view = opened === null ? this.opening() : viewOf(opened.state);
    this.lane = null;
    this.mistake = null;
    this.problem = opened === null ? damagedLink('instruction') : unreadParts(opened.unread);
  }

  private opening(): View {
    const state = readLink(opening, this.catalog);
    if (state === null) throw new Error('the table lacks the instruction that the page shows initially');
    return viewOf(state);
  }

  private show(state: MatrixState): void {
    this.view = viewOf(state);
    this.problem = '';
    this.mistake = null;
    this.link = linkOf(state);
    this.dispatchEvent(new CustomEvent('change', { detail: this.link, bubbles: true, composed: true }));
  }

  private set({ list, index }: Place, text: string): void {
    const { state } = this.view;
    try {
      if (list === 'c') this.show({ ...state, c: readElement(text, state.entry.c) });
      else this.show(withElement(state, list, index, readElement(text, formatOf(state, list))));
    } catch (error) {
      if (!(error instanceof PtxlabError)) throw error;
      this.mistake = { list, index, text, message: shortMessage(error.message, text) };
    }
  }

  override render(): TemplateResult {
    const { view } = this;
    const { state, matrices } = view;
    const grids = gridsOf(matrices.fragments);
    const sums = grids.find(({ fragment }) => fragment.matrix.endsWith('D'));
    const own = sums === undefined ? undefined : boxAt(sums, state.row, state.column);
    return html`
      <div class="ask">${this.field('opcode')} ${this.field('shape')} ${this.field('types')} ${this.field('mnemonic')}
        ${this.place('Row', state.row, state.entry.m, (row) => this.show({ ...state, row }))}
        ${this.place('Column', state.column, state.entry.n, (column) => this.show({ ...state, column }))}
      </div>
      <p class="problem" role="status">${this.problem}</p>
      ${this.answer()}
      ${gpusView(view, (gpu) => this.show({ ...state, gpu }))}
      <div class="work">
        ${operandsView(view, grids, { mistake: this.mistake, set: (place, text) => this.set(place, text) })}
        ${sumView(view)}
      </div>
      ${fragmentsView(grids, state, this.lane ?? own?.cell.lane ?? 0, {
        pointAt: (lane) => (this.lane = lane),
        choose: (row, column) => this.show({ ...state, row, column }),
      })}
    `;
  }

  private answer(): TemplateResult {
    const { state, result, explanation, matrices } = this.view;
    const { d, count, mnemonic } = state.entry;
    const [shortest = '', rest = ''] = numberText(d, result).split(/ \((.*)\)$/);
    const own = matrices.product.byGpu.find(({ names }) => names.includes(state.gpu));
    const differing = explanation?.byGpu.filter(({ bits }) => bits !== result).map(({ gpus }) => gpus) ?? [];
    const value = differing.length === 0 ? shortest : alignedText(d, result);
    const others =
      explanation === null
        ? 'Every GPU gives the same result.'
        : differing.length === 0
          ? 'Other GPUs give the same result here.'
          : `The bits differ on ${differing.join(', ')}.`;
    return html`<div class="answer" aria-live="polite">
      <div class="result">
        <output class="number ${value.length > 14 ? 'long' : ''}">${value}</output>
        <span class="code">0x${hex(result, widthOf(d))} ${d}${rest === '' ? '' : html` · ${rest}`}</span>
      </div>
      <p class="why">D[${state.row}][${state.column}] is the sum of ${count} products and of C[${state.row}][${state.column}]${own === undefined ? '' : ` on ${own.gpus}`}. ${others}</p>
      <div class="instruction"><code>${mnemonic}</code></div>
    </div>`;
  }

  private field(field: Field): TemplateResult {
    const { state } = this.view;
    const values = this.catalog.valuesOf(field, state.entry);
    const own = textOf(state.entry, field);
    const changed = (event: Event): void => {
      const { currentTarget } = event;
      const value = currentTarget instanceof HTMLSelectElement ? values[currentTarget.selectedIndex] : undefined;
      if (value !== undefined) this.show(withEntry(state, this.catalog.withField(state.entry, field, value)));
    };
    return html`<label
      >${labels[field]}
      <select aria-label=${labels[field]} @change=${changed}>
        ${values.map((value) => html`<option .selected=${value === own}>${value}</option>`)}
      </select></label
    >`;
  }

  private place(label: string, value: number, size: number, set: (value: number) => void): TemplateResult {
    return html`<label class="place">${label} of D${wholeNumberField({ value, least: 0, most: size - 1, set })}</label>`;
  }
}

customElements.define('ptx-matrix', PtxMatrix);
