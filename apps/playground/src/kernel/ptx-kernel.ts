/**
 * `<ptx-kernel>`: edit, check and run a kernel on one screen. It opens what its `link` says, otherwise `source`,
 * otherwise the text of a `<pre>` or `<script>` in it, otherwise an example.
 */
import { type CSSResultGroup, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { ArgumentPlan } from './arguments.ts';
import { guess } from './arguments.ts';
import { Editor } from './editor.ts';
import { example } from './example.ts';
import { inspectorView } from './inspector-view.ts';
import { Lab } from './lab.ts';
import type { KernelHeader } from 'ptxlab/analysis';
import type { Facts, Finding, Inspected } from './document-worker.ts';
import type { RunAnswer } from './lab-worker.ts';
import { pageOf } from '../shell/site-root.ts';
import { linkOf, type Project, readLink } from './link.ts';
import { problemsView } from './problems-view.ts';
import { RemoteDocument } from './remote-document.ts';
import { type Launch, launchView, resultView } from './run-view.ts';
import { stepsView, type Steps } from './steps-view.ts';
import { stripView } from './strip-view.ts';
import { kernelStyle } from './style.ts';

export class PtxKernel extends LitElement {
  static override properties = {
    link: { type: String },
    facts: { state: true },
    findings: { state: true },
    target: { type: String, reflect: true },
    inspected: { state: true },
    launch: { state: true },
    answer: { state: true },
    isRunning: { state: true },
    dock: { state: true },
    steps: { state: true },
    note: { state: true },
  };
  static override styles: CSSResultGroup = [...kernelStyle];

  /** A kernel and its launch (link.ts), read once. */
  declare link: string;
  /** PTX to open, read once; null to open the text inside the element. */
  source: string | null = null;
  /** Null until they are known for the first time. */
  declare facts: Facts | null;
  declare findings: readonly Finding[];
  /** The target to check for; null for the module's own. */
  declare target: string | null;
  declare inspected: Inspected | null;
  declare launch: Launch;
  declare answer: RunAnswer | 'stopped' | null;
  declare isRunning: boolean;
  declare dock: 'problems' | 'run' | 'steps';
  declare steps: Steps | null;
  /** A sentence about what the last button did. */
  declare note: string;

  private readonly lab = new Lab();
  private editor: Editor | null = null;

  constructor() {
    super();
    this.link = '';
    this.facts = null;
    this.findings = [];
    this.target = null;
    this.inspected = null;
    this.launch = { entry: '', grid: [32, 1, 1], block: [32, 1, 1], sharedBytes: 0, args: [] };
    this.answer = null;
    this.isRunning = false;
    this.dock = 'run';
    this.steps = null;
    this.note = '';
  }

  override firstUpdated(): void {
    void this.open();
  }

  override updated(changed: PropertyValues<this>): void {
    if (changed.has('target') && changed.get('target') !== undefined) this.editor?.setTarget(this.target);
    if (changed.has('facts') || changed.has('target')) this.showTarget();
  }

  /** On phones the targets are one row, which scrolls. */
  private showTarget(): void {
    const row = this.renderRoot.querySelector('.targets');
    const target = row?.querySelector<HTMLElement>('.target[aria-pressed="true"]');
    if (row !== null && target instanceof HTMLElement)
      row.scrollLeft += target.getBoundingClientRect().left - row.getBoundingClientRect().left - row.clientWidth / 2;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.lab.stop();
    this.editor?.destroy();
  }

  /** Opens the kernel. It never runs by itself. */
  private async open(): Promise<void> {
    const linked = await readLink(this.link);
    if (this.link.startsWith('#v1=') && linked === null)
      this.note = 'The link is damaged or too new, so this is another kernel.';
    const parent = this.renderRoot.querySelector<HTMLElement>('.editor');
    const root = this.renderRoot;
    if (parent === null || !(root instanceof ShadowRoot)) throw new Error('the editor has no place');
    const source = linked?.source ?? this.source ?? this.ownText() ?? example;
    if (linked !== null) this.launch = linked;
    this.editor = new Editor(parent, root, source, new RemoteDocument(), {
      changed: (text) => this.dispatchEvent(new CustomEvent('change', { detail: text, bubbles: true, composed: true })),
      found: (findings) => {
        this.findings = findings;
      },
      learned: (facts) => {
        this.facts = facts;
        this.follow(facts.kernels, this.editor?.text ?? '');
      },
      inspected: (inspected) => {
        this.inspected = inspected;
      },
    });
    this.editor.select(Math.max(0, source.search(/\bld\.param|\bcvt|\bmad\.lo|\bld\.global/)));
    if (this.target !== null) this.editor.setTarget(this.target);
  }

  /** The PTX written inside the element; null if there is none. */
  private ownText(): string | null {
    const text = this.querySelector('pre, script')?.textContent.trim() ?? '';
    return text === '' ? null : `${text}\n`;
  }

  // --- checking -------------------------------------------------------------------------------------------------------

  /** Keeps the launch in step with the kernel: what people chose stays as long as the parameters do. */
  private follow(kernels: readonly KernelHeader[], source: string): void {
    const kernel = kernels.find(({ name }) => name === this.launch.entry) ?? kernels[0];
    if (kernel === undefined) return;
    const isSame = kernel.name === this.launch.entry && kernel.parameters.length === this.launch.args.length;
    const args = isSame ? this.launch.args : kernel.parameters.map((parameter) => guess(parameter, source));
    this.launch = { ...this.launch, entry: kernel.name, args, block: kernel.requiredBlock ?? this.launch.block };
  }

  private setTarget(target: string | null): void {
    this.target = target;
  }

  // --- running --------------------------------------------------------------------------------------------------------

  private async run(): Promise<void> {
    if (this.editor === null) return;
    this.isRunning = true;
    this.dock = 'run';
    this.answer = null;
    const answer = await this.lab.run({ source: this.editor.text, timeout: 10, ...this.launch });
    this.isRunning = false;
    this.answer = answer ?? 'stopped';
    await this.updateComplete;
    if (this.clientWidth <= 900) this.renderRoot.querySelector('.result')?.scrollIntoView({ block: 'nearest' });
    if (answer?.kind === 'fault' && answer.fault.line !== null) this.editor.goToLine(answer.fault.line);
  }

  /** Records the first warp and shows its last step, which is the step at fault if there was a fault. */
  private async record(): Promise<void> {
    if (this.editor === null) return;
    this.isRunning = true;
    this.answer = null;
    this.steps = null;
    const answer = await this.lab.record({ source: this.editor.text, timeout: 10, ...this.launch }, 0);
    this.isRunning = false;
    if (answer === null || 'kind' in answer) {
      this.answer = answer ?? 'stopped';
      this.dock = 'run';
      return;
    }
    this.dock = 'steps';
    this.steps = { recorded: answer, index: -1, state: null };
    await this.goToStep(answer.fault === null ? 0 : answer.steps.length - 1);
  }

  private async goToStep(index: number): Promise<void> {
    if (this.steps === null) return;
    const { recorded, state } = this.steps;
    this.steps = { recorded, index, state };
    const line = recorded.steps[index]?.line;
    if (line !== undefined) this.editor?.showLine(line);
    const found = await this.lab.stateAt(index);
    if (this.steps.index === index) this.steps = { recorded, index, state: found };
  }

  private async goToOrigin(register: string, lane: number): Promise<void> {
    const found = await this.lab.writerOf(register, lane, this.steps?.index ?? 0);
    if (found !== null) await this.goToStep(found);
  }

  private async share(): Promise<void> {
    const project: Project = { source: this.editor?.text ?? '', ...this.launch };
    const link = await linkOf(project);
    if (link === null) {
      this.note = 'The text is too long for a link. Save it as a file instead.';
      return;
    }
    const isShown = !this.dispatchEvent(new CustomEvent('share', { detail: link, cancelable: true }));
    this.note = await navigator.clipboard.writeText(new URL(link, pageOf('kernel')).href).then(
      () => 'The link is copied.',
      () => (isShown ? 'The link is in the address bar.' : 'The browser did not let the link be copied.'),
    );
  }

  private set(change: Partial<Launch>): void {
    this.launch = { ...this.launch, ...change };
  }

  private choose(entry: string): void {
    this.launch = { ...this.launch, entry, args: [] };
    this.follow(this.facts?.kernels ?? [], this.editor?.text ?? '');
  }

  private setArgument(index: number, plan: ArgumentPlan): void {
    this.set({ args: this.launch.args.map((old, i) => (i === index ? plan : old)) });
  }

  // --- what people see ------------------------------------------------------------------------------------------------

  override render(): TemplateResult {
    const { facts } = this;
    const isEmpty = (facts?.kernels.length ?? 0) === 0;
    return html`
      ${facts === null ? html`<p class="strip">Checking…</p>` : stripView(facts, this.target, (target) => this.setTarget(target))}
      <div class="work">
        <div class="editor"></div>
        <aside class="inspector" aria-label="Instruction at the cursor">${inspectorView(this.inspected, (offset) => this.editor?.go(offset))}</aside>
      </div>
      <div class="dock">
        <div class="tabs">
          <div role="tablist" aria-label="Dock">
            ${this.tab('problems', `Problems ${this.countOfErrors()}`)} ${this.tab('run', 'Run')} ${this.tab('steps', 'Steps')}
          </div>
          <span class="note" role="status">${this.note}</span>
          <button class="plain" title="Shift-Alt-F" @click=${() => this.editor?.format()}>Format</button>
          <button class="plain" title="F2" @click=${() => this.editor?.rename()}>Rename</button>
          <button class="plain" @click=${() => void this.share()}>Copy link</button>
          ${
            this.isRunning
              ? html`<button class="go stop" @click=${() => this.lab.stop()}>Stop</button>`
              : html`<button class="go second" ?disabled=${isEmpty} @click=${() => void this.record()}>Step</button>
                <button class="go" ?disabled=${isEmpty} @click=${() => void this.run()}>Run</button>`
          }
        </div>
        <div class="panel" role="tabpanel">${this.panel()}</div>
      </div>
    `;
  }

  private tab(name: 'problems' | 'run' | 'steps', label: string): TemplateResult {
    return html`<button role="tab" aria-selected=${this.dock === name} @click=${() => (this.dock = name)}>${label}</button>`;
  }

  private countOfErrors(): string {
    const count = this.findings.length;
    return count === 0 ? '' : `(${count})`;
  }

  private panel(): TemplateResult | typeof nothing {
    switch (this.dock) {
      case 'problems':
        return this.problems();
      case 'run':
        return this.runPanel();
      case 'steps':
        return this.stepsPanel();
    }
  }

  private stepsPanel(): TemplateResult {
    if (this.isRunning) return html`<p class="state" role="status">Recording…</p>`;
    if (this.steps === null)
      return html`<p class="empty">Step records the first warp of the launch, to walk through forwards and back.</p>`;
    return stepsView(this.steps, {
      go: (index) => void this.goToStep(index),
      origin: (register, lane) => void this.goToOrigin(register, lane),
    });
  }

  private problems(): TemplateResult | typeof nothing {
    const { findings, editor } = this;
    if (editor === null) return nothing;
    return problemsView(findings, {
      lineOf: ({ start }: Finding) => editor.lineAt(start),
      go: ({ start }) => editor.go(start),
      fix: ({ fixes: [first] }) => first !== undefined && editor.apply(first),
    });
  }

  private runPanel(): TemplateResult {
    const { facts, launch } = this;
    const form = launchView(facts?.kernels ?? [], launch, {
      choose: (entry) => this.choose(entry),
      set: (change) => this.set(change),
      setArgument: (index, plan) => this.setArgument(index, plan),
    });
    const kernel = facts?.kernels.find(({ name }) => name === launch.entry);
    const names = kernel?.parameters.map(({ name }) => name) ?? [];
    const result = resultView(this.answer, this.isRunning, launch, names, (line) => this.editor?.goToLine(line));
    return html`<div class="halves"><div>${form}</div><div class="result">${result}</div></div>`;
  }
}

customElements.define('ptx-kernel', PtxKernel);
