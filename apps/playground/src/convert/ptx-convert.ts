/** `<ptx-convert>`: shows one PTX conversion, the bits of its source and result, and the reasons for the result. */
import { type CSSResultGroup, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { type FormatName, readNumber, type Bits, PtxlabError } from 'ptxlab/numbers';
import { Catalog, type Choice, isRounding } from './catalog.ts';
import { answerView } from './answer-view.ts';
import { bitsView } from './bits-view.ts';
import { cutView } from './cut-view.ts';
import { lineView } from './line-view.ts';
import { lanesView, randomView, registerView, scaleView } from './lanes-view.ts';
import { onStretch, type Stretch, stretchOf, valueAt } from './line.ts';
import { linkOf, openLink, readLink } from './link.ts';
import { damagedLink, unreadParts } from '../shell/link-problem.ts';
import { shortMessage } from '../shell/shorten.ts';
import { stacksView } from './stacks-view.ts';
import {
  type ConvertState,
  stepResult,
  stepSource,
  viewOf,
  type View,
  withChoice,
  withInput,
  withSource,
} from './state.ts';
import { convertStyle } from './style.ts';

/**
 * This example shows a value on which the stacks disagree: 470 becomes 448 in PTX, OCP and torch, but NaN in ml_dtypes.
 */
export const opening = '#from=f32&to=e4m3&v=0x43eb0000&mode=rn.satfinite';

export class PtxConvert extends LitElement {
  static override properties = {
    link: { type: String },
    view: { state: true },
    text: { state: true },
    problem: { state: true },
    dragged: { state: true },
    width: { state: true },
  };
  static override styles: CSSResultGroup = [...convertStyle];

  /**
   * The conversion, encoded as a link (see link.ts). Setting this property shows another conversion; `change` events
   * contain the new link.
   */
  declare link: string;
  declare view: View;
  /** The text that the user has typed into the value field; null if the field shows the value of the state. */
  declare text: string | null;
  declare problem: string;
  /** The stretch of the number line that was visible when the current drag began. */
  declare dragged: Stretch | null;
  declare width: number;

  private readonly catalog = new Catalog();
  private readonly observer = new ResizeObserver(([entry]) => {
    const width = Math.round(entry?.contentRect.width ?? 0);
    if (width > 0) this.width = Math.min(width, width > 1000 ? width - 360 : width);
  });

  constructor() {
    super();
    this.link = '';
    this.text = null;
    this.problem = '';
    this.dragged = null;
    this.width = 720;
    this.view = this.opening();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.observer.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.observer.disconnect();
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('link') && this.link !== '' && this.link !== this.ownLink()) {
      this.open(this.link);
    }
  }

  private open(link: string): void {
    const opened = openLink(link, this.catalog);
    this.view = opened === null ? this.opening() : viewOf(opened.state);
    this.text = null;
    this.problem = opened === null ? damagedLink('conversion') : linkProblem(opened.unread);
  }

  private opening(): View {
    const state = readLink(opening, this.catalog);
    if (state === null) throw new Error('the table lacks the conversion that the page shows initially');
    return viewOf(state);
  }

  private ownLink(): string {
    return linkOf(this.view.state, this.catalog);
  }

  private show(state: ConvertState, text: string | null = null): void {
    this.view = viewOf(state);
    this.text = text;
    this.problem = '';
    this.link = this.ownLink();
    this.dispatchEvent(new CustomEvent('change', { detail: this.link, bubbles: true, composed: true }));
  }

  private setSource(bits: Bits): void {
    this.show(withSource(this.view.state, this.view.state.lane, bits));
  }

  // --- user input ----------------------------------------------------------------------------------------------------

  private typed(text: string): void {
    const { state } = this.view;
    try {
      const { bits } = readNumber(text, state.entry.from);
      this.show(withSource(state, state.lane, bits), text);
    } catch (error) {
      if (!(error instanceof PtxlabError)) throw error;
      this.text = text;
      this.problem = shortMessage(error.message, text);
    }
  }

  private key(event: KeyboardEvent): void {
    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
    event.preventDefault();
    const up = event.key === 'ArrowUp';
    this.show((event.altKey ? stepResult : stepSource)(this.view.state, up));
  }

  private choose(change: Partial<Choice>, must?: string): void {
    const { entry } = this.view.state;
    const { from, to, lanes, modifiers } = entry;
    const choice = { from, to, lanes, modifiers, ...change };
    const isPossible = this.catalog.destinationsOf(choice.from).has(choice.to);
    const [first] = this.catalog.destinationsOf(choice.from);
    const wanted = isPossible ? choice : { ...choice, to: first ?? choice.to };
    const isNew = change.from !== undefined || change.to !== undefined;
    const fit = isNew ? { ...wanted, lanes: null } : wanted;
    const usual = modifiers.includes('rn') || !isNew ? modifiers : [...modifiers, 'rn', 'satfinite'];
    this.show(withChoice(this.catalog, this.view.state, { ...fit, modifiers: change.modifiers ?? usual }, must));
  }

  private toggle(modifier: string): void {
    const { modifiers } = this.view.state.entry;
    const has = modifiers.includes(modifier);
    const others = modifiers.filter((name) => name !== modifier && !(isRounding(modifier) && isRounding(name)));
    this.choose({ modifiers: has ? others : [...others, modifier] }, modifier);
  }

  /** While the dot is dragged, the visible stretch of the number line does not change, so that only the dot moves. */
  private drag(at: number | null, stretch: Stretch): void {
    if (at === null) {
      this.dragged = null;
      return;
    }
    this.dragged ??= stretch;
    const { from } = this.view.state.entry;
    const value = valueAt(this.dragged, Math.max(-0.4, Math.min(1.4, at)));
    try {
      this.setSource(readNumber(String(value), from).bits);
    } catch (error) {
      if (!(error instanceof PtxlabError)) throw error;
    }
  }

  // --- rendering -----------------------------------------------------------------------------------------------------

  override render(): TemplateResult {
    const { view } = this;
    return html`
      <div class="ask" @keydown=${(event: KeyboardEvent) => this.key(event)}>${this.valueField()} ${this.formatFields()}</div>
      ${this.modes()}
      <p class="problem" id="problem" role="status">${this.problem}</p>
      ${answerView(view, this.ownLink())}
      <div class="columns">
        <div>${this.numberLine()} ${bitsView(view, (bits) => this.setSource(bits))} ${cutView(view)}</div>
        <div class="side">
          ${stacksView(view)}
          ${lanesView(view, (lane) => this.show({ ...view.state, lane }))}
          ${randomView(view, (bits) => this.setInput('rbits', bits))}
          ${scaleView(view, (bits) => this.setInput('scale-factor', bits))}
          ${registerView(view)}
        </div>
      </div>
    `;
  }

  private setInput(name: string, bits: Bits): void {
    const { state } = this.view;
    const index = state.entry.inputs.findIndex((input) => input.name === name);
    this.show(withInput(state, index, bits));
  }

  private valueField(): TemplateResult {
    const shown = this.text ?? this.view.lane.explanation.source.value.replace(/ \(.*/, '');
    const isWrong = this.text !== null && this.problem !== '';
    return html`<label class="value"
      >Value
      <input
        .value=${shown}
        spellcheck="false"
        autocomplete="off"
        aria-invalid=${isWrong}
        aria-describedby="problem"
        title="A number, nan, inf, or bits as 0x…; ↑ ↓ next value, Alt ↑ ↓ next result"
        @input=${(event: Event) => event.currentTarget instanceof HTMLInputElement && this.typed(event.currentTarget.value)}
    /></label>`;
  }

  private formatFields(): TemplateResult {
    const { from, to } = this.view.state.entry;
    const possible = this.catalog.destinationsOf(from);
    return html`<div class="formats">
      ${this.formatField('From', from, this.catalog.sources, (name) => this.choose({ from: name }))}
      <span class="arrow" aria-hidden="true">→</span>
      ${this.formatField(
        'To',
        to,
        this.catalog.destinations.filter((name) => possible.has(name)),
        (name) => this.choose({ to: name }),
      )}
    </div>`;
  }

  private formatField(
    label: string,
    chosen: FormatName,
    names: readonly FormatName[],
    choose: (name: FormatName) => void,
  ): TemplateResult {
    const changed = (event: Event): void => {
      const { currentTarget } = event;
      const name = currentTarget instanceof HTMLSelectElement ? names[currentTarget.selectedIndex] : undefined;
      if (name !== undefined) choose(name);
    };
    return html`<label
      >${label}
      <select aria-label=${label} @change=${changed}>
        ${names.map((name) => html`<option .selected=${name === chosen}>${name}</option>`)}
      </select></label
    >`;
  }

  private modes(): TemplateResult {
    const { entry } = this.view.state;
    const all = this.catalog.modifiersOf(entry);
    const roundings = all.filter(isRounding);
    const others = all.filter((name) => !isRounding(name));
    const lanes = this.catalog.lanesOf(entry.from, entry.to);
    return html`<div class="modes">
      ${
        roundings.length === 0
          ? nothing
          : this.radios(
              'Rounding',
              roundings.map((name) => ({
                name: `.${name}`,
                isOn: entry.modifiers.includes(name),
                set: () => this.toggle(name),
              })),
            )
      }
      ${others.length === 0 ? nothing : html`<div class="group" role="group" aria-label="Modifiers"><span class="name" aria-hidden="true">Modifiers</span>${others.map((name) => this.toggleChip(name, entry.modifiers.includes(name)))}</div>`}
      ${
        lanes.length < 2
          ? nothing
          : this.radios(
              'Values per instruction',
              lanes.map((count) => ({
                name: `×${count}`,
                isOn: count === entry.lanes,
                set: () => this.choose({ lanes: count }),
              })),
            )
      }
    </div>`;
  }

  private radios(label: string, choices: readonly { name: string; isOn: boolean; set: () => void }[]): TemplateResult {
    const move = (event: KeyboardEvent): void => {
      const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
      const here = choices.findIndex(({ isOn }) => isOn);
      const next = choices[here + step];
      if (step === 0 || next === undefined) return;
      event.preventDefault();
      next.set();
      const { currentTarget } = event;
      void this.updateComplete.then(() => {
        if (currentTarget instanceof HTMLElement)
          currentTarget.querySelector<HTMLElement>('[aria-checked=true]')?.focus();
      });
    };
    const none = choices.every(({ isOn }) => !isOn);
    return html`<div class="group" role="radiogroup" aria-label=${label} @keydown=${move}>
      <span class="name" aria-hidden="true">${label}</span>
      ${choices.map(
        ({ name, isOn, set }, i) =>
          html`<button class="chip" role="radio" aria-checked=${isOn} tabindex=${isOn || (none && i === 0) ? 0 : -1} @click=${set}>${name}</button>`,
      )}
    </div>`;
  }

  private toggleChip(name: string, isOn: boolean): TemplateResult {
    return html`<button class="chip" aria-pressed=${isOn} @click=${() => this.toggle(name)}>.${name}</button>`;
  }

  private numberLine(): TemplateResult | typeof nothing {
    const { lane, state } = this.view;
    const now = stretchOf(state.entry.to, lane.explanation);
    if (now === null) return nothing;
    const stretch = this.dragged === null ? now : { ...onStretch(this.dragged, now), sourceText: now.sourceText };
    return lineView({
      stretch,
      width: this.width,
      source: lane.explanation.source.value,
      drag: lane.conversion.scaled === null ? (at) => this.drag(at, now) : null,
      key: (event) => this.key(event),
    });
  }
}

function linkProblem(unread: readonly string[]): string {
  const isBits = !unread.some((part) => part.startsWith('v='));
  return isBits ? unreadParts(unread) : `${unreadParts(unread)} Inputs are written as bits: v=0x43eb0000.`;
}

customElements.define('ptx-convert', PtxConvert);
