/** Lists the tensors of the file, each with a small histogram. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Summary } from 'ptxlab/tensors';
import type { OpenedTensor } from './bench.ts';
import { histogramView } from './histogram-view.ts';
import { sizeText } from './words.ts';

/** The summary of a tensor; null if its elements are not numbers, a string if they could not be read. */
export type Known = Summary | string | null;

export function listView(
  tensors: readonly OpenedTensor[],
  summaries: ReadonlyMap<number, Known>,
  chosen: number,
  choose: (index: number) => void,
): TemplateResult {
  const row = (tensor: OpenedTensor, i: number): TemplateResult => html`<li>
    <button class="tensor" aria-pressed=${i === chosen} @click=${() => choose(i)}>
      <span class="name">${tensor.name}</span>
      <span class="facts">${tensor.dtype} · ${tensor.shape.length === 0 ? 'scalar' : tensor.shape.join(' × ')} · ${sizeText(tensor.bytes)}</span>
      <span class="small">${small(summaries.get(i))}</span>
    </button>
  </li>`;
  return html`<ul class="tensors">${tensors.map(row)}</ul>`;
}

function small(known: Known | undefined): TemplateResult | typeof nothing {
  if (known === undefined) return nothing;
  if (known === null) return html`<span class="none">not numbers</span>`;
  if (typeof known === 'string') return html`<span class="none">unreadable</span>`;
  return histogramView(known, { width: 120, height: 32 });
}
