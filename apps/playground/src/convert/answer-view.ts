/** Shows the result in large type, the reason for it, and the instruction that computes it. */
import { html, type TemplateResult } from 'lit';
import { formats } from 'ptxlab/numbers';
import type { View } from './state.ts';
import { shareView } from './share.ts';
import { hex, splitValue, whyText } from './words.ts';

export function answerView(view: View, link: string): TemplateResult {
  const { lane, evaluation, state } = view;
  const { result } = lane.explanation;
  const { to } = state.entry;
  const [value = '', rest = ''] = splitValue(result.value);
  return html`<div class="answer" aria-live="polite">
    <div class="result">
      <output class="number ${value.length > 14 ? 'long' : ''}">${value}</output>
      <span class="code">0x${hex(result.bits, formats[to].width)} ${to}${rest === '' ? '' : html` · ${rest}`}</span>
    </div>
    <p class="why">${whyText(view)}</p>
    <div class="instruction">
      <code>${evaluation.mnemonic}</code>
      ${shareView(view, link)}
    </div>
  </div>`;
}
