/** The launch form and the result of the launch. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Race } from 'ptxlab/device';
import { pageOf } from '../shell/site-root.ts';
import { wholeNumberField } from '../shell/whole-number.ts';
import { type ArgumentPlan, type Element, elements, elementsOf, type Fill, fills, mostElements } from './arguments.ts';
import type { Facts, NamedKernel } from './document-worker.ts';
import type { BufferAfter, RunAnswer } from './lab-worker.ts';
import type { Launch } from './launch.ts';
import { plotView } from './plot-view.ts';

export interface LaunchActions {
  readonly choose: (entry: string) => void;
  readonly set: (change: Partial<Launch>) => void;
  readonly setArgument: (index: number, plan: ArgumentPlan) => void;
  readonly findRaces: (isWanted: boolean) => void;
}

/** @param facts Null until the worker has computed them. */
export function launchView(
  facts: Facts | null,
  launch: Launch,
  findsRaces: boolean,
  changes: LaunchActions,
): TemplateResult {
  if (facts === null) return html`<p class="empty">The kernel is being checked.</p>`;
  const { kernels } = facts;
  const kernel = kernels.find(({ name }) => name === launch.entry);
  if (kernel === undefined) return html`<p class="empty">${whyNothingRuns(facts)}</p>`;
  return html`<form class="launch" @submit=${(event: Event) => event.preventDefault()}>
    <div class="row">
      <label>Kernel ${kernelSelect(kernels, kernel, changes.choose)}</label>
      <label>Shared bytes ${wholeNumberField({ value: launch.sharedBytes, least: 0, set: (sharedBytes) => changes.set({ sharedBytes }) })}</label>
    </div>
    <div class="row">
      ${extent('Grid', launch.grid, (grid) => changes.set({ grid }))} ${extent('Block', launch.block, (block) => changes.set({ block }))}
      ${racesChoice(findsRaces, changes.findRaces)}
    </div>
    <div class="arguments">
      ${launch.args.map((plan, i) => argumentRow(kernel.parameters[i]?.name ?? '', plan, (next) => changes.setArgument(i, next)))}
    </div>
  </form>`;
}

function whyNothingRuns({ findings }: Facts): string {
  const hasErrors = findings.some(({ severity }) => severity === 'error');
  return hasErrors ? 'There is no kernel to run while the module has errors.' : 'The module has no kernel to run.';
}

function racesChoice(isChosen: boolean, choose: (isWanted: boolean) => void): TemplateResult {
  const changed = ({ currentTarget }: Event): void =>
    choose(currentTarget instanceof HTMLInputElement && currentTarget.checked);
  return html`<label class="choice" title="Looks for accesses that no barrier, fence or atomic operation orders. Runs step by step, which is slower.">
    <input type="checkbox" .checked=${isChosen} @change=${changed} /> Find data races</label>`;
}

function argumentRow(name: string, plan: ArgumentPlan, set: (plan: ArgumentPlan) => void): TemplateResult {
  const kinds = ['buffer', 'value'] as const;
  const change = (kind: string): void => {
    if (kind === plan.kind) return;
    set(
      kind === 'buffer'
        ? { kind, element: 'f32', count: 1024, fill: 'ramp' }
        : { kind: 'value', type: '.u64', text: '0' },
    );
  };
  const fields =
    plan.kind === 'value'
      ? html`<input aria-label="Value of ${name}" .value=${plan.text} @input=${(event: Event) => set({ ...plan, text: textOf(event) })} />`
      : html`${select<Fill>(fills, plan.fill, (fill) => set({ ...plan, fill }), `Contents of ${name}`)}
          ${wholeNumberField({ value: plan.count, least: 0, most: mostElements, label: `Elements of ${name}`, set: (count) => set({ ...plan, count }) })} ×
          ${select<Element>(elements, plan.element, (element) => set({ ...plan, element }), `Element type of ${name}`)}`;
  return html`<div class="argument"><code>${name}</code> ${select(kinds, plan.kind, change, `What ${name} is`)} ${fields}</div>`;
}

/** A list of the kernels by their C++ names. A tooltip shows the mangled name of the chosen kernel. */
function kernelSelect(
  kernels: readonly NamedKernel[],
  chosen: NamedKernel,
  choose: (name: string) => void,
): TemplateResult {
  const changed = ({ currentTarget }: Event): void => {
    const kernel = currentTarget instanceof HTMLSelectElement ? kernels[currentTarget.selectedIndex] : undefined;
    if (kernel !== undefined) choose(kernel.name);
  };
  return html`<select title=${chosen.name} @change=${changed}>${kernels.map(
    (kernel) => html`<option .selected=${kernel === chosen}>${kernel.title}</option>`,
  )}</select>`;
}

function select<T extends string>(
  names: readonly T[],
  chosen: T,
  choose: (name: T) => void,
  label = '',
): TemplateResult {
  const changed = ({ currentTarget }: Event): void => {
    const name = currentTarget instanceof HTMLSelectElement ? names[currentTarget.selectedIndex] : undefined;
    if (name !== undefined) choose(name);
  };
  return html`<select aria-label=${label === '' ? nothing : label} @change=${changed}>${names.map((name) => html`<option .selected=${name === chosen}>${name}</option>`)}</select>`;
}

function extent(label: string, value: Launch['grid'], set: (value: Launch['grid']) => void): TemplateResult {
  const [x, y, z] = value;
  const field = (axis: string, length: number, setLength: (length: number) => void): TemplateResult =>
    wholeNumberField({ value: length, least: 1, label: `${label} ${axis}`, set: setLength });
  return html`<fieldset><legend>${label}</legend>
    ${field('x', x, (next) => set([next, y, z]))} ${field('y', y, (next) => set([x, next, z]))} ${field('z', z, (next) => set([x, y, next]))}
  </fieldset>`;
}

function textOf({ currentTarget }: Event): string {
  return currentTarget instanceof HTMLInputElement ? currentTarget.value : '';
}

// --- results ------------------------------------------------------------------------------------------------------------

type Outcome = RunAnswer | 'stopped' | null;

/**
 * The element that shows the state of the run is updated in place, never replaced, so that screen readers announce each
 * change.
 */
export function resultView(
  answer: Outcome,
  isRunning: boolean,
  launch: Launch,
  names: readonly string[],
  go: (line: number) => void,
): TemplateResult {
  const { tone, sentence } = isRunning ? { tone: '', sentence: 'Running…' } : stateOf(answer);
  return html`<p class="state ${tone}" role="status">${sentence}</p>
    ${isRunning ? nothing : details(answer, launch, names, go)}`;
}

interface State {
  readonly tone: '' | 'good' | 'bad';
  readonly sentence: string;
}

function stateOf(answer: Outcome): State {
  if (answer === null) return { tone: '', sentence: '' };
  if (answer === 'stopped') return { tone: 'bad', sentence: 'The run was stopped before it ended.' };
  switch (answer.kind) {
    case 'refused':
      return { tone: 'bad', sentence: answer.message };
    case 'fault': {
      const { message, block, thread } = answer.fault;
      const where =
        thread === null || block === null ? '' : ` Block (${block.join(', ')}), thread (${thread.join(', ')}).`;
      return { tone: 'bad', sentence: `${message}.${where}` };
    }
    case 'done': {
      const { threads, milliseconds, races } = answer;
      if (races.length > 0) return { tone: 'bad', sentence: `Found ${many(races.length, 'data race')}.` };
      const time = `${milliseconds.toFixed(1)}\u00a0ms`;
      return { tone: 'good', sentence: `Done: ${many(threads, 'thread')} in ${time}, in this browser.` };
    }
  }
}

function details(
  answer: Outcome,
  { entry, args }: Launch,
  names: readonly string[],
  go: (line: number) => void,
): TemplateResult | typeof nothing {
  if (answer === null) return entry === '' ? nothing : invitation();
  if (answer === 'stopped' || answer.kind === 'refused') return nothing;
  if (answer.kind === 'fault') return faultView(answer, go);
  const buffers = answer.buffers.map((buffer, i) => ({ buffer, plan: args[i], name: names[i] ?? `Argument ${i + 1}` }));
  // Buffers that the kernel has changed are shown first.
  const [results, inputs] = [true, false].map((wanted) => buffers.filter(({ buffer }) => buffer?.isChanged === wanted));
  return html`${answer.races.map((race) => raceView(race, go))} ${printedView(answer.printed)}
    <div class="buffers">${[...(results ?? []), ...(inputs ?? [])].map(({ buffer, plan, name }) => bufferView(buffer, plan, name))}</div>`;
}

function many(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${what}${count === 1 ? '' : 's'}`;
}

function invitation(): TemplateResult {
  return html`<p class="invitation"><strong>Not run yet.</strong> Run computes the kernel in this browser, bit for bit as a GPU
    does, and shows what its buffers hold afterwards. Step walks through its first warp.</p>`;
}

function faultView(
  { fault: { code, line }, printed }: Extract<RunAnswer, { kind: 'fault' }>,
  go: (line: number) => void,
): TemplateResult {
  return html`<p class="after-fault">
      ${line === null ? nothing : html`<button class="plain" @click=${() => go(line)}>Go to line ${line}</button>`}
      <a href=${pageOf(`why/${code}`)}>${code}</a>
    </p>
    ${printedView(printed)}`;
}

function raceView({ code, message, first, second }: Race, go: (line: number) => void): TemplateResult {
  const lines = [...new Set([first.line, second.line])];
  return html`<p class="after-fault">${message}.
      ${lines.map((line) => html`<button class="plain" @click=${() => go(line)}>Go to line ${line}</button> `)}
      <a href=${pageOf(`why/${code}`)}>${code}</a>
    </p>`;
}

function printedView(printed: string): TemplateResult | typeof nothing {
  return printed === '' ? nothing : html`<pre class="printed" aria-label="Output of printf">${printed}</pre>`;
}

/** The maximum number of elements of a buffer that are shown as numbers. */
const shown = 16;

function bufferView(
  buffer: BufferAfter | null,
  plan: ArgumentPlan | undefined,
  name: string,
): TemplateResult | typeof nothing {
  if (buffer === null || plan?.kind !== 'buffer') return nothing;
  const { bytes, isChanged } = buffer;
  const first = elementsOf(bytes, plan.element, 0, shown);
  const sample = elementsOf(bytes, plan.element, 0, 4096).map(Number);
  return html`<figure>
    <figcaption><code>${name}</code>: ${isChanged ? html`<strong>changed</strong>` : 'unchanged'}, ${plan.count.toLocaleString('en')} × ${plan.element}</figcaption>
    ${plotView(sample)}
    <p class="numbers">${first.map(String).join('  ')}${plan.count > shown ? ' …' : ''}</p>
  </figure>`;
}
