/** `<ptx-tensors>`: the tensors of a file, and what each recipe does to them. */
import { type CSSResultGroup, html, LitElement, nothing, type TemplateResult } from 'lit';
import { convertStyle } from '../convert/style.ts';
import type { Measured, Opened, OpenedTensor, Outlook, Refused } from './bench.ts';
import { distributionView } from './histogram-view.ts';
import { type Known, listView } from './list-view.ts';
import { recipes } from './recipe-names.ts';
import { recipesView } from './recipes-view.ts';
import { RemoteBench } from './remote-bench.ts';
import { tensorsStyle } from './style.ts';
import { bitsText, decibels, numberText, sizeText } from './words.ts';

interface Busy {
  readonly words: string;
  /** From 0 to 1. */
  readonly share: number;
}

/** The maximum number of bytes to read for the histograms of tensors that the user has not chosen. */
const mostUnasked = 2 ** 28;

export class PtxTensors extends LitElement {
  static override properties = {
    name: { state: true },
    opened: { state: true },
    chosen: { state: true },
    recipe: { state: true },
    outlook: { state: true },
    summaries: { state: true },
    errors: { state: true },
    busy: { state: true },
    note: { state: true },
    problem: { state: true },
    isOver: { state: true },
  };
  static override styles: CSSResultGroup = [...convertStyle, tensorsStyle];

  /** The name of the file; an empty string if the sample is open. */
  declare name: string;
  declare opened: Opened | null;
  declare chosen: number;
  declare recipe: string;
  /**
   * A description of the file that would be saved with the recipe; null if it is unknown, or if the recipe cannot be
   * used.
   */
  declare outlook: Outlook | null;
  declare summaries: ReadonlyMap<number, Known>;
  /** The errors that recipes cause, keyed by the index of the tensor and by the name of the recipe. */
  declare errors: ReadonlyMap<number, ReadonlyMap<string, Measured | Refused>>;
  declare busy: Busy | null;
  declare note: string;
  declare problem: string;
  /** Whether the user is dragging a file over the page. */
  declare isOver: boolean;

  private readonly bench = new RemoteBench();
  /**
   * The number of requests that the user has made. When this number changes, work for earlier requests is no longer
   * needed and stops.
   */
  private turn = 0;

  constructor() {
    super();
    this.name = '';
    this.opened = null;
    this.chosen = 0;
    this.recipe = 'nvfp4';
    this.outlook = null;
    this.summaries = new Map();
    this.errors = new Map();
    this.busy = null;
    this.note = '';
    this.problem = '';
    this.isOver = false;
  }

  override firstUpdated(): void {
    void this.open([]);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.bench.close();
  }

  // --- work -----------------------------------------------------------------------------------------------------------

  private async open(files: readonly File[]): Promise<void> {
    const turn = ++this.turn;
    await this.bench.stop();
    this.busy = { words: 'Reading the header', share: 0 };
    this.note = '';
    this.problem = '';
    const answer = await this.bench.open(files);
    if (turn !== this.turn) return;
    this.busy = null;
    this.summaries = new Map();
    this.errors = new Map();
    this.chosen = 0;
    this.name = (files.find(({ name }) => name.endsWith('.index.json')) ?? files[0])?.name ?? '';
    if (answer.kind === 'refused') {
      this.opened = null;
      this.problem = answer.message;
      return;
    }
    this.opened = answer;
    void this.choose(this.recipe);
    const largest = answer.tensors.findIndex(({ shape }) => shape.length > 1);
    await this.study(Math.max(0, largest));
  }

  private async choose(recipe: string): Promise<void> {
    this.recipe = recipe;
    const answer = await this.bench.outlook(recipe);
    if (this.recipe === recipe) this.outlook = answer.kind === 'outlook' ? answer : null;
  }

  /** Reads the chosen tensor, measures the error that each recipe causes in it, and then reads the other tensors. */
  private async study(index: number): Promise<void> {
    const turn = ++this.turn;
    this.chosen = index;
    this.note = '';
    const tensors = this.opened?.tensors ?? [];
    const tensor = tensors[index];
    if (tensor === undefined) return;
    const isOn = (): boolean => turn === this.turn;
    if (await this.read(index, tensor, isOn)) await this.tryRecipes(index, tensor, isOn);
    let bytes = 0;
    for (const [i, other] of tensors.entries()) {
      bytes += other.bytes;
      if (!isOn() || bytes > mostUnasked) break;
      await this.read(i, other, isOn);
    }
    if (isOn()) this.busy = null;
  }

  /** Whether the tensor's elements are numbers. */
  private async read(index: number, { name }: OpenedTensor, isOn: () => boolean): Promise<boolean> {
    if (!isOn()) return false;
    const known = this.summaries.get(index);
    if (known !== undefined) return known !== null && typeof known !== 'string';
    const answer = await this.bench.summarize(index, this.progress(`Reading ${name}`, isOn));
    if (!isOn() || (answer !== null && 'kind' in answer && answer.kind === 'stopped')) return false;
    const found = answer !== null && 'kind' in answer ? answer.message : answer;
    this.summaries = new Map(this.summaries).set(index, found);
    return found !== null && typeof found !== 'string';
  }

  private async tryRecipes(index: number, { name }: OpenedTensor, isOn: () => boolean): Promise<void> {
    for (const recipe of recipes) {
      if (!isOn()) return;
      if (this.errors.get(index)?.has(recipe.name) === true) continue;
      const answer = await this.bench.measure(
        index,
        recipe.name,
        this.progress(`Trying ${recipe.name} on ${name}`, isOn),
      );
      if (!isOn() || answer.kind === 'stopped') return;
      this.errors = new Map(this.errors).set(index, new Map(this.errors.get(index)).set(recipe.name, answer));
    }
  }

  private progress(words: string, isOn: () => boolean): (share: number) => void {
    if (isOn()) this.busy = { words, share: 0 };
    return (share) => {
      if (isOn() && this.busy?.words === words) this.busy = { words, share };
    };
  }

  private async save(): Promise<void> {
    const turn = ++this.turn;
    const isOn = (): boolean => turn === this.turn;
    this.note = '';
    const answer = await this.bench.save(this.recipe, this.progress(`Converting the file with ${this.recipe}`, isOn));
    if (!isOn() || answer.kind === 'stopped') return;
    this.busy = null;
    if (answer.kind === 'refused') {
      this.note = `${answer.message} Choose another recipe.`;
      return;
    }
    download(answer.blob, answer.name);
    await this.study(this.chosen);
    this.note = `Saved ${answer.name}, ${sizeText(answer.blob.size)}.`;
  }

  private async stop(): Promise<void> {
    this.turn++;
    this.busy = null;
    this.note = 'Stopped. Choose a tensor to continue.';
    await this.bench.stop();
  }

  private drop(event: DragEvent): void {
    event.preventDefault();
    this.isOver = false;
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length > 0) void this.open(files);
  }

  private drag(event: DragEvent, isOver: boolean): void {
    event.preventDefault();
    this.isOver = isOver;
  }

  // --- rendering -----------------------------------------------------------------------------------------------------

  override render(): TemplateResult {
    return html`<div
      @dragover=${(event: DragEvent) => this.drag(event, true)}
      @dragleave=${(event: DragEvent) => this.drag(event, false)}
      @drop=${(event: DragEvent) => this.drop(event)}
    >
      ${this.source()} ${this.problem === '' ? nothing : this.refusal()} ${this.opened === null ? nothing : this.results(this.opened)}
    </div>`;
  }

  private refusal(): TemplateResult {
    return html`<p class="busy bad" role="alert"><span class="words">${this.problem} Choose another file.</span></p>`;
  }

  private source(): TemplateResult {
    const chosen = ({ currentTarget }: Event): void => {
      if (!(currentTarget instanceof HTMLInputElement)) return;
      const files = [...(currentTarget.files ?? [])];
      currentTarget.value = '';
      if (files.length > 0) void this.open(files);
    };
    const field = (): HTMLInputElement | null => this.renderRoot.querySelector('input[type=file]');
    return html`<div class="source ${this.isOver ? 'over' : ''}">
      <p><strong>${this.heading()}</strong>Choose or drop a safetensors, .npy, .npz or GGUF file. It stays on this machine.</p>
      <input type="file" multiple aria-label="Tensor file" @change=${chosen} />
      ${this.name === '' ? nothing : html`<button class="go second" @click=${() => void this.open([])}>Open the sample</button>`}
      <button class="go ${this.name === '' ? '' : 'second'}" @click=${() => field()?.click()}>Choose a file</button>
    </div>`;
  }

  private heading(): string {
    const { opened, name } = this;
    if (opened === null) return name;
    const { length } = opened.tensors;
    const bytes = opened.tensors.reduce((sum, tensor) => sum + tensor.bytes, 0);
    const title = name === '' ? 'A generated sample' : name;
    return `${title}: ${length} ${length === 1 ? 'tensor' : 'tensors'}, ${sizeText(bytes)}`;
  }

  private results({ tensors }: Opened): TemplateResult {
    const tensor = tensors[this.chosen];
    if (tensor === undefined) return html`<p class="busy">The file has no tensors. Choose another file.</p>`;
    return html`${this.answer(tensor)} ${this.state()}
      <div class="columns">
        <div>
          <section><h2>Tensors</h2>${listView(tensors, this.summaries, this.chosen, (index) => void this.study(index))}</section>
          <section><h2>Magnitudes in ${tensor.name}</h2>${this.distribution(tensor)}</section>
        </div>
        <section><h2>Recipes for ${tensor.name}: select one</h2>
          ${recipesView(this.errors.get(this.chosen) ?? new Map(), this.recipe, (name) => void this.choose(name))}</section>
      </div>`;
  }

  private distribution({ dtype }: OpenedTensor): TemplateResult {
    const known = this.summaries.get(this.chosen);
    if (known === undefined) return html`<p class="note">Not read yet.</p>`;
    if (known === null)
      return html`<p class="note">Elements of type ${dtype} are not numbers. Choose another tensor.</p>`;
    if (typeof known === 'string') return html`<p class="note">${known} Choose another tensor.</p>`;
    return distributionView(known);
  }

  private answer(tensor: OpenedTensor): TemplateResult {
    const found = this.errors.get(this.chosen)?.get(this.recipe);
    return html`<div class="answer">
      <div class="result">
        <output class="number">${found?.kind === 'measured' ? decibels(found) : '–'}</output>
        <span class="code">${this.recipe} in ${tensor.name}${found?.kind === 'measured' ? ` · signal-to-error ratio, higher is better · ${bitsText(found)} bits per element` : ''}</span>
      </div>
      <p class="why">${this.sentence(tensor, found)}</p>
      <div class="save"><button class="go ${this.name === '' ? 'second' : ''}" ?disabled=${found?.kind !== 'measured'} @click=${() => void this.save()}>Save the whole file as ${this.recipe}</button>
        <span>${this.promise()}</span></div>
    </div>`;
  }

  private promise(): string {
    const { outlook, opened } = this;
    if (outlook === null || opened === null) return 'Converts the matrices; vectors are copied.';
    const { container, bytes, converted, copied } = outlook;
    const before = opened.tensors.reduce((sum, tensor) => sum + tensor.bytes, 0);
    const share = before === 0 ? '' : `, ${numberText((100 * bytes) / before)}% of the original`;
    return `Writes a ${container} file of ${sizeText(bytes)}${share}: ${tensorsText(converted)} converted, ${tensorsText(copied)} copied unchanged.`;
  }

  private sentence({ name }: OpenedTensor, found: Measured | Refused | undefined): string {
    if (found === undefined) return `The error of ${this.recipe} in ${name} has not been measured yet.`;
    if (found.kind === 'refused') return `${found.message} Choose another recipe.`;
    if (!Number.isFinite(found.sqnr)) return `${this.recipe} leaves every element of ${name} unchanged.`;
    const odd =
      found.mismatches === 0
        ? ''
        : ` ${found.mismatches} ${found.mismatches === 1 ? 'element changes' : 'elements change'} to or from NaN or infinity.`;
    const percent = numberText(100 * 10 ** (-found.sqnr / 20));
    return `In ${name}, the RMS error is ${percent}% of the RMS value, and the largest error is ${numberText(found.maxAbs)}.${odd}`;
  }

  private state(): TemplateResult {
    const { busy, note } = this;
    if (busy === null) return html`<p class="busy" role="status"><span class="words">${note}</span></p>`;
    const percent = Math.round(busy.share * 100);
    return html`<div class="busy"><span class="words" role="status">${busy.words}…</span>
      <span class="track" role="progressbar" aria-label="Progress" aria-valuenow=${percent}><span .style=${`width: ${percent}%`}></span></span>
      <button class="plain" @click=${() => void this.stop()}>Stop</button></div>`;
  }
}

function tensorsText(count: number): string {
  return `${count} ${count === 1 ? 'tensor' : 'tensors'}`;
}

/** Starts a download of the file, as if the user had clicked a link to it. */
function download(blob: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

customElements.define('ptx-tensors', PtxTensors);
