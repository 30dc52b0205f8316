/**
 * `<ptx-kernel>`: edit, check and run a kernel on one screen. It opens the kernel in the first of these sources that is
 * present: the property `project`, the property `link`, the file `src`, the text of a `<pre>` or `<script>` inside the
 * element, or an example.
 */
import { type CSSResultGroup, html, LitElement, type PropertyValues, type TemplateResult } from 'lit';
import type { ArgumentPlan } from './arguments.ts';
import { type DockTab, dockView } from './dock-view.ts';
import { Editor } from './editor.ts';
import { inspectorView } from './inspector-view.ts';
import { firstLaunch, follow, type Launch } from './launch.ts';
import type { Facts, Finding, Inspected } from './document-worker.ts';
import type { RunRequest } from './lab-worker.ts';
import { copyText } from '../shell/copy.ts';
import { pageOf } from '../shell/site-root.ts';
import { linkOf, type Project } from './link.ts';
import { openingOf, unknownNames, withExtents, writtenIn } from './opening.ts';
import { RemoteDocument } from './remote-document.ts';
import { scrollToTarget, stripView } from './strip-view.ts';
import { Runs } from './runs.ts';
import { kernelStyle } from './style.ts';

/** The maximum duration of a run, in seconds. */
const timeout = 10;

export class PtxKernel extends LitElement {
  static override properties = {
    link: { type: String },
    src: { type: String },
    // Assigning a project discards what the user has typed, even if the same project was assigned before.
    project: { attribute: false, hasChanged: () => true },
    entry: { type: String },
    grid: { type: String },
    block: { type: String },
    tabIndents: { type: Boolean, attribute: 'tab-indents' },
    facts: { state: true },
    findings: { state: true },
    target: { type: String, reflect: true },
    inspected: { state: true },
    launch: { state: true },
    dock: { state: true },
    findsRaces: { state: true },
    note: { state: true },
  };
  static override styles: CSSResultGroup = [...kernelStyle];

  /** A kernel and its launch, encoded as a link (see link.ts). Setting this property opens the kernel. */
  declare link: string;
  /** The URL of a PTX file, relative to the page; null if there is none. */
  declare src: string | null;
  /** The kernel that is selected initially; null for the first one in the text. */
  declare entry: string | null;
  /** The number of blocks to launch along each axis, such as `32` or `8,4`; null for the default. */
  declare grid: string | null;
  /** The number of threads in each block, in the same notation as `grid`. */
  declare block: string | null;
  /** Whether Tab indents lines in the editor. Otherwise it moves the focus, as everywhere else on a page. */
  declare tabIndents: boolean;
  /**
   * The project to open; it takes precedence over `link` and `src`. Assigning this property, even null, opens the
   * kernel again.
   */
  declare project: Project | null;
  /** The findings, targets and kernels of the text; null until the worker has determined them for the first time. */
  declare facts: Facts | null;
  declare findings: readonly Finding[];
  /** The target to check for; null for the target that the module declares. */
  declare target: string | null;
  declare inspected: Inspected | null;
  declare launch: Launch;
  declare dock: DockTab;
  /** Whether a run also looks for data races. */
  declare findsRaces: boolean;
  /** A sentence that tells the user what the last click on a button did. */
  declare note: string;

  private readonly runs = new Runs(this);
  private editor: Editor | null = null;
  /**
   * The number of times that a kernel has been opened. If another kernel is opened while one is loading, the first one
   * is abandoned.
   */
  private openings = 0;
  /**
   * The text that was on the screen when the element was removed from the document. This text is opened again if the
   * element is put back. Null if no text was kept.
   */
  private keptText: string | null = null;

  constructor() {
    super();
    this.link = '';
    this.src = null;
    this.project = null;
    this.entry = null;
    this.grid = null;
    this.block = null;
    this.tabIndents = false;
    this.facts = null;
    this.findings = [];
    this.target = null;
    this.inspected = null;
    this.launch = firstLaunch;
    this.dock = 'run';
    this.findsRaces = false;
    this.note = '';
  }

  override updated(changed: PropertyValues<this>): void {
    if (this.openings === 0) void this.open();
    else this.followAttributes(changed);
    if (changed.has('target') && changed.get('target') !== undefined) this.editor?.setTarget(this.target);
    if (changed.has('facts') || changed.has('target')) scrollToTarget(this.renderRoot);
  }

  /** Opens the text again when the element has been moved to another place in the page. */
  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated) void this.open();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.keptText = this.editor?.text ?? this.keptText;
    this.close();
  }

  private close(): void {
    this.runs.stop();
    this.editor?.destroy();
    this.editor = null;
  }

  /** Applies attributes and properties that a script changed after the kernel was opened. */
  private followAttributes(changed: PropertyValues<this>): void {
    if (changed.has('link') || changed.has('src') || changed.has('project')) {
      this.openAnother();
      return;
    }
    if (this.editor === null) return;
    if (changed.has('grid') || changed.has('block')) this.launch = withExtents(this.launch, this);
    if (changed.has('entry') && this.entry !== null) this.choose(this.entry);
  }

  private openAnother(): void {
    this.close();
    this.runs.forget();
    this.keptText = null;
    this.facts = null;
    this.findings = [];
    this.inspected = null;
    void this.open();
  }

  /** Opens the kernel, but does not run it; only the user can start it. */
  private async open(): Promise<void> {
    const { keptText, launch, note } = this;
    const turn = ++this.openings;
    const opening = keptText === null ? await openingOf(this, writtenIn(this)) : { text: keptText, launch, note };
    if (!this.isConnected || turn !== this.openings) return;
    this.launch = opening.launch;
    this.note = opening.note;
    this.editor = this.editorOf(opening.text);
    if (keptText === null)
      this.editor.select(Math.max(0, opening.text.search(/\bld\.param|\bcvt|\bmad\.lo|\bld\.global/)));
  }

  private editorOf(text: string): Editor {
    const parent = this.renderRoot.querySelector<HTMLElement>('.editor');
    const root = this.renderRoot;
    if (parent === null || !(root instanceof ShadowRoot)) throw new Error('the editor has no place');
    const { target, tabIndents } = this;
    return new Editor({ parent, root, text, target, tabIndents }, new RemoteDocument(), {
      changed: (changed) =>
        this.dispatchEvent(new CustomEvent('change', { detail: changed, bubbles: true, composed: true })),
      found: (findings) => {
        this.findings = findings;
      },
      learned: (facts) => this.learn(facts),
      inspected: (inspected) => {
        this.inspected = inspected;
      },
    });
  }

  // --- checking -------------------------------------------------------------------------------------------------------

  private learn(facts: Facts): void {
    const isFirst = this.facts === null;
    this.facts = facts;
    this.launch = follow(this.launch, facts.kernels, this.text);
    if (isFirst) this.note += unknownNames(this.entry, this.target, facts);
  }

  private get text(): string {
    return this.editor?.text ?? '';
  }

  // --- running --------------------------------------------------------------------------------------------------------

  /** The project that is on the screen. */
  get current(): Project {
    return { ...this.launch, source: this.text };
  }

  private get request(): RunRequest {
    return { ...this.current, timeout, findsRaces: this.findsRaces };
  }

  /** Whether all numbers in the launch form are valid. If a number is not valid, the browser shows a message. */
  private get isFormValid(): boolean {
    return this.renderRoot.querySelector('form')?.reportValidity() ?? true;
  }

  private async run(): Promise<void> {
    if (!this.isFormValid) return;
    this.dock = 'run';
    const answer = await this.runs.run(this.request);
    await this.updateComplete;
    if (this.clientWidth <= 900) this.renderRoot.querySelector('.result')?.scrollIntoView({ block: 'nearest' });
    if (answer?.kind === 'fault' && answer.fault.line !== null) this.editor?.goToLine(answer.fault.line);
  }

  /** Records the first warp, and then shows the first step or, if there was a fault, the last step. */
  private async record(): Promise<void> {
    if (!this.isFormValid) return;
    const isRecorded = await this.runs.record(this.request);
    this.dock = isRecorded ? 'steps' : 'run';
    const { recorded } = this.runs.steps ?? {};
    if (recorded !== undefined) await this.goToStep(recorded.fault === null ? 0 : recorded.steps.length - 1);
  }

  private async goToStep(index: number): Promise<void> {
    const line = this.runs.steps?.recorded.steps[index]?.line;
    if (line !== undefined) this.editor?.showLine(line);
    await this.runs.goToStep(index);
  }

  private async goToOrigin(register: string, lane: number): Promise<void> {
    const found = await this.runs.writerOf(register, lane);
    if (found !== null) await this.goToStep(found);
  }

  private async share(): Promise<void> {
    const link = await linkOf(this.current);
    if (link === null) {
      this.note = 'The text is too long for a link. Save it as a file instead.';
      return;
    }
    const isShown = !this.dispatchEvent(new CustomEvent('share', { detail: link, cancelable: true }));
    const isCopied = await copyText(new URL(link, pageOf('kernel')).href);
    if (isCopied) this.note = 'The link is copied.';
    else this.note = isShown ? 'The link is in the address bar.' : 'The browser did not allow the link to be copied.';
  }

  private set(change: Partial<Launch>): void {
    this.launch = { ...this.launch, ...change };
    this.dispatchEvent(new CustomEvent('launch', { bubbles: true, composed: true }));
  }

  private choose(entry: string): void {
    this.set(follow({ ...this.launch, entry, args: [] }, this.facts?.kernels ?? [], this.text));
  }

  private setArgument(index: number, plan: ArgumentPlan): void {
    this.set({ args: this.launch.args.map((old, i) => (i === index ? plan : old)) });
  }

  // --- rendering -----------------------------------------------------------------------------------------------------

  override render(): TemplateResult {
    return html`
      ${stripView(this.facts, this.target, (target) => (this.target = target))}
      <div class="work">
        <div class="editor"></div>
        <aside class="inspector" aria-label="Instruction at the cursor">${inspectorView(this.inspected, (offset) => this.editor?.go(offset))}</aside>
      </div>
      ${this.dockView()}
    `;
  }

  private dockView(): TemplateResult {
    const { dock: tab, facts, findings, launch, findsRaces, note, runs, editor } = this;
    return dockView(
      { tab, facts, findings, launch, findsRaces, note, runs, editor },
      {
        show: (next) => (this.dock = next),
        share: () => void this.share(),
        record: () => void this.record(),
        run: () => void this.run(),
        choose: (entry) => this.choose(entry),
        set: (change) => this.set(change),
        setArgument: (index, plan) => this.setArgument(index, plan),
        findRaces: (isWanted) => (this.findsRaces = isWanted),
        go: (index) => void this.goToStep(index),
        origin: (register, lane) => void this.goToOrigin(register, lane),
      },
    );
  }
}

customElements.define('ptx-kernel', PtxKernel);
