/** The results of other stacks for the same value; those that differ from PTX are highlighted. */
import { html, nothing, type TemplateResult } from 'lit';
import { type Bits, compareSemantics, formats, numberValue, type StackResult } from 'ptxlab/numbers';
import { hex } from './words.ts';
import type { View } from './state.ts';

const names = { ptx: 'PTX', ocp: 'OCP', ml_dtypes: 'ml_dtypes', torch: 'torch' } as const;

/**
 * A conversion is compared with other stacks only if it has no modifiers other than these. The other stacks always
 * round to nearest, and each has its own default for saturation.
 */
const shared = new Set(['rn', 'satfinite']);

export function stacksView({ state, source, lane }: View): TemplateResult | typeof nothing {
  const { from, to, modifiers } = state.entry;
  if (formats[from].kind !== 'float' || formats[to].kind !== 'float') return nothing;
  const value = numberValue(from, source);
  if (!modifiers.every((name) => shared.has(name))) return nothing;
  const { bits, value: text } = lane.explanation.result;
  const others = compareSemantics(value, { from, to }).results.filter(({ semantics }) => semantics !== 'ptx');
  return html`<section>
    <h2>PTX and other stacks, each by its default</h2>
    <dl class="stacks">
      <div class="stack"><dt>${names.ptx}</dt><dd>${text}</dd></div>
      ${others.map((result) => stackView(result, bits, formats[to].width))}
    </dl>
  </section>`;
}

function stackView({ semantics, bits, value, cause }: StackResult, ours: Bits, width: number): TemplateResult {
  const differs = bits !== null && bits !== ours;
  const shown = bits === null ? 'no such conversion' : value;
  return html`<div class="stack ${differs ? 'differs' : ''}">
    <dt>${names[semantics]}</dt>
    <dd>${shown}${differs && !value.includes('0x') ? ` (0x${hex(bits, width)})` : ''}</dd>
    ${differs || bits === null ? html`<dd class="cause">${differs ? 'Differs: ' : ''}${cause.rule}</dd>` : nothing}
  </div>`;
}
