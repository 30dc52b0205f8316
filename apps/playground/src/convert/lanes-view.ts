/** The lanes of a packed conversion, its random bits and scales, and the registers that hold them. */
import { html, nothing, type TemplateResult } from 'lit';
import { type Bits, numberText } from 'ptxlab/numbers';
import { hex } from './words.ts';
import { sourceOf, type View } from './state.ts';

type Maybe = TemplateResult | typeof nothing;

export function lanesView({ state, evaluation }: View, show: (lane: number) => void): Maybe {
  if (state.entry.lanes < 2) return nothing;
  return html`<section>
    <h2>Values of the instruction</h2>
    <div class="lanes">
      ${evaluation.conversions.map(({ result, explanation }, lane) => {
        const source = shortText(numberText(state.entry.from, sourceOf(state, lane)));
        return html`<button class="lane" aria-pressed=${lane === state.lane} @click=${() => show(lane)}>
          <span>${result.replace(/^d\[?/, '').replace(']', '')}</span><span>${source}</span><span>→ ${shortText(explanation.result.value)}</span>
        </button>`;
      })}
    </div>
    <p class="note">Choose one to edit it.</p>
  </section>`;
}

export function randomView({ state, lane, evaluation }: View, set: (bits: Bits) => void): Maybe {
  const rbits = evaluation.inputs.find(({ name }) => name === 'rbits');
  if (rbits === undefined || lane.random === null) return nothing;
  const { randomBits } = lane.conversion;
  const count = 2 ** randomBits;
  const threshold = thresholdOf(lane.explanation.weights, randomBits);
  // Gives every lane the same random bits by repeating them in `rbits`, where each lane has an 8-bit or 16-bit field.
  const spread = (value: number): number => {
    const step = randomBits === 8 ? 8 : 16;
    return step === 8 ? Number(BigInt(value) * 0x01010101n) : Number(BigInt(value) * 0x00010001n);
  };
  return html`<section class="slider">
    <h2>Random bits of this value: 0x${hex(lane.random, randomBits)} of ${randomBits} bits</h2>
    <input
      type="range"
      aria-label="Random bits"
      min="0"
      max=${count - 1}
      .value=${String(lane.random)}
      @input=${(event: Event) => event.currentTarget instanceof HTMLInputElement && set(spread(Number(event.currentTarget.value)))}
    />
    <p class="note">${threshold === null ? 'Random bits cannot change this result, because all discarded bits to which they are added are 0.' : `Random bits of 0x${hex(threshold, randomBits)} or more round the magnitude up: ${percent((count - threshold) / count)} of all values.`}</p>
    <p class="note mono">rbits 0x${hex(rbits.bits, 32)} in ${state.entry.inputs.find(({ name }) => name === 'rbits')?.type ?? ''}</p>
  </section>`;
}

/** The smallest value of the random bits for which the magnitude is rounded up; null if it is never rounded up. */
export function thresholdOf(weights: View['lane']['explanation']['weights'], randomBits: number): number | null {
  if (weights === null) return null;
  const { significand, lowest, lastPlace } = weights;
  const cut = BigInt(Math.max(0, lastPlace - lowest));
  const dropped = significand & ((1n << cut) - 1n);
  const top = Number((dropped << BigInt(randomBits)) >> cut);
  return top === 0 ? null : 2 ** randomBits - top;
}

function percent(part: number): string {
  return `${(part * 100).toFixed(part > 0.0999 ? 1 : 3)}%`;
}

export function scaleView({ state, evaluation, lane }: View, set: (bits: Bits) => void): Maybe {
  const scale = evaluation.inputs.find(({ name }) => name === 'scale-factor');
  if (scale === undefined) return nothing;
  const isShared = state.entry.inputs.some(({ name, width }) => name === 'scale-factor' && width === 8);
  const shift = isShared ? 0 : 8 * (1 - state.lane);
  const byte = (Number(scale.bits) >> shift) & 0xff;
  const change = (value: number): void => set((Number(scale.bits) & ~(0xff << shift)) | (value << shift));
  return html`<section class="slider">
    <h2>Scale of this value: 0x${hex(byte, 8)}, ${numberText('ue8m0', byte)}</h2>
    <input
      type="range"
      aria-label="Scale"
      min="0"
      max="255"
      .value=${String(byte)}
      @input=${(event: Event) => event.currentTarget instanceof HTMLInputElement && change(Number(event.currentTarget.value))}
    />
    <p class="note">${lane.conversion.scaled === 'divide' ? 'The source is divided by this scale before it is rounded.' : 'The converted value is multiplied by this scale.'}</p>
  </section>`;
}

export function registerView({ evaluation, state }: View): Maybe {
  const [d] = evaluation.outputs;
  if (d === undefined) return nothing;
  const text = (index: number): string => (state.entry.lanes < 2 ? d.value : shortText(d.lanes[index]?.value ?? ''));
  const lanes = d.lanes.length > 0 ? d.lanes : [{ high: d.width - 1, low: 0, bits: d.bits }];
  return html`<section>
    <h2>Register d, ${d.type}: 0x${hex(d.bits, d.width)}</h2>
    <div class="register">
      ${lanes.map(({ high, low }, i) => html`<span class=${i === state.lane ? 'here' : ''}>${shortText(text(i))}<small>${high}…${low}</small></span>`)}
    </div>
  </section>`;
}

function shortText(text: string): string {
  return text.replace(/ \(.*/, '');
}
