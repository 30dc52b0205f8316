/** A recorded warp: which lanes execute, what their registers hold, and controls to go to any step. */
import { html, nothing, svg, type TemplateResult } from 'lit';
import { pageOf } from '../shell/site-root.ts';
import { isFormatName, numberText } from 'ptxlab/numbers';
import type { Recorded, StepState } from './lab-worker.ts';

export interface Steps {
  readonly recorded: Recorded;
  readonly index: number;
  /** The registers at this step; null until the worker has sent them. */
  readonly state: StepState | null;
}

export interface StepActions {
  readonly go: (index: number) => void;
  /** Goes to the step that wrote the given register in the given lane. */
  readonly origin: (register: string, lane: number) => void;
}

export function stepsView({ recorded, index, state }: Steps, { go, origin }: StepActions): TemplateResult {
  const { steps, lanes, fault, isCut } = recorded;
  const step = steps[index];
  if (step === undefined) return html`<p class="empty">The warp executed nothing.</p>`;
  const last = steps.length - 1;
  const key = (event: KeyboardEvent): void => {
    const move = { ArrowLeft: -1, ArrowRight: 1, Home: -last, End: last }[event.key];
    if (move === undefined || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    go(Math.max(0, Math.min(last, index + move)));
  };
  return html`<div class="steps" @keydown=${key}>
    <div class="transport" role="group" aria-label="Steps of the recording">
      <button class="plain" ?disabled=${index === 0} @click=${() => go(0)}>First</button>
      <button class="plain" ?disabled=${index === 0} @click=${() => go(index - 1)}>Back</button>
      <button class="plain" ?disabled=${index === last} @click=${() => go(index + 1)}>Next</button>
      <button class="plain" ?disabled=${index === last} @click=${() => go(last)}>Last</button>
      <input type="range" aria-label="Position in the recording" aria-valuetext="step ${index + 1} of ${steps.length}" min="0" max=${last} .value=${String(index)} @input=${(event: Event) => event.currentTarget instanceof HTMLInputElement && go(Number(event.currentTarget.value))} />
      <span class="count">step ${index + 1} of ${steps.length}</span>
    </div>
    ${timeline(recorded, index)}
    <p class="current"><span class="quiet">line ${step.line}</span> <code>${step.text}</code></p>
    ${lanesView(step.mask, lanes)}
    ${fault !== null && index === last ? html`<p class="state bad">${fault.message}. <a href=${pageOf(`why/${fault.code}`)}>${fault.code}</a></p>` : nothing}
    ${isCut && index === last ? html`<p class="empty">The recording ends here because it has reached its maximum length.</p>` : nothing}
    ${state === null ? nothing : registersView(state, lanes, step.mask, origin)}
  </div>`;
}

function lanesView(mask: number, lanes: number): TemplateResult {
  const active = Array.from({ length: lanes }, (_, lane) => ((mask >>> lane) & 1) === 1);
  const count = active.filter(Boolean).length;
  return html`<div class="mask" role="img" aria-label="${count} of ${lanes} lanes execute">
    ${active.map((isOn, lane) => html`<span class=${isOn ? 'on' : ''}>${lane}</span>`)}
  </div>`;
}

const width = 1000;

/** One column for each step and one row for each lane; a cell is empty if the lane does not execute the step. */
function timeline({ steps, lanes }: Recorded, index: number): TemplateResult {
  const columns = Math.min(steps.length, width);
  const bars = Array.from({ length: columns }, (_, column) => {
    const step = steps[Math.floor((column * steps.length) / columns)];
    return runsOf(step?.mask ?? 0, lanes).map(
      ([first, count]) =>
        svg`<rect x=${(column * width) / columns} y=${first} width=${width / columns} height=${count}></rect>`,
    );
  });
  const at = ((index + 0.5) * width) / steps.length;
  return html`<svg class="timeline" viewBox="0 0 ${width} ${lanes}" preserveAspectRatio="none" aria-hidden="true">
    ${bars}<line x1=${at} y1="0" x2=${at} y2=${lanes}></line>
  </svg>`;
}

/** Finds groups of consecutive lanes whose bits are set, and returns the first lane and the length of each group. */
function runsOf(mask: number, lanes: number): readonly (readonly [number, number])[] {
  const runs: [number, number][] = [];
  for (let lane = 0; lane < lanes; lane++) {
    if (((mask >>> lane) & 1) === 0) continue;
    const last = runs.at(-1);
    if (last !== undefined && last[0] + last[1] === lane) last[1]++;
    else runs.push([lane, 1]);
  }
  return runs;
}

function registersView(
  { registers, written }: StepState,
  lanes: number,
  mask: number,
  origin: StepActions['origin'],
): TemplateResult {
  const isChanged = (name: string, lane: number): boolean => written.includes(name) && ((mask >>> lane) & 1) === 1;
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Registers by lane">
    <table class="lanes">
      <tr><th scope="col">register</th>${Array.from({ length: lanes }, (_, lane) => html`<th scope="col">${lane}</th>`)}</tr>
      ${registers.map(
        ({ name, type, values }) =>
          html`<tr><th scope="row">${name}<small>${type}</small></th>${values.map((bits, lane) =>
            bits === null
              ? html`<td></td>`
              : html`<td class=${isChanged(name, lane) ? 'changed' : ''}><button title="Go to the step that wrote this value" @click=${() => origin(name, lane)}>${valueText(type, bits)}</button></td>`,
          )}</tr>`,
      )}
    </table>
  </div>`;
}

/** Prints a value according to its type: numbers in decimal, and values of bit-size types in hexadecimal. */
function valueText(type: string, bits: number | bigint): string {
  const name = type.slice(1);
  if (name === 'pred') return String(bits);
  if (!isFormatName(name)) return `0x${bits.toString(16)}`;
  return numberText(name, bits).replace(/ \(.*/, '');
}
