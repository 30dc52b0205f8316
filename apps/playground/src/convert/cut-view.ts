/**
 * Shows the significand of the source above that of the result. Both are aligned by binary weight, and a line marks
 * where the source is rounded.
 */
import { html, nothing, type TemplateResult } from 'lit';
import { type Column, columnsOf } from './cut.ts';
import type { View } from './state.ts';

export function cutView({ state, lane }: View): TemplateResult | typeof nothing {
  const { weights, result } = lane.explanation;
  if (weights === null) return nothing;
  const columns = columnsOf(weights, state.entry.to, result.bits);
  const isCut = columns.some(({ part }) => part !== 'kept');
  return html`<section>
    <h2>${isCut ? 'Where rounding cuts the significand' : 'The significand fits without rounding'}</h2>
    <div class="scroll" tabindex="0" role="region" aria-label="Significand by binary weight">
      <table class="cut">
        ${isCut ? html`<tr><td class="row"></td>${parts(columns)}</tr>` : nothing}
        <tr><th class="row" scope="row">source</th>${columns.map((column) => digit(column, column.source))}</tr>
        <tr><th class="row" scope="row">result</th>${columns.map((column) => digit(column, column.result))}</tr>
        <tr><td class="row"></td>${weightLabels(columns)}</tr>
      </table>
    </div>
  </section>`;
}

const partNames = { kept: 'kept', guard: 'guard', sticky: 'sticky' } as const;

/** Returns the column headings: one for each run of adjacent columns that belong to the same part. */
function parts(columns: readonly Column[]): readonly TemplateResult[] {
  const runs: { part: Column['part']; count: number }[] = [];
  for (const { part } of columns) {
    const last = runs.at(-1);
    if (last?.part === part) last.count++;
    else runs.push({ part, count: 1 });
  }
  return runs.map(
    ({ part, count }) =>
      html`<th class="part ${part === 'guard' ? 'edge' : ''}" scope="colgroup" colspan=${count}>${partNames[part]}</th>`,
  );
}

function digit({ part, bits }: Column, text: string): TemplateResult {
  const edge = part === 'guard' ? 'edge' : '';
  if (text === '') return html`<td class=${edge}></td>`;
  const shown = bits === 1 ? text : text === '1' ? `${bits} bits ≠ 0` : `${bits} bits = 0`;
  return html`<td class="digit ${part} ${edge} ${text === '1' ? 'one' : ''} ${bits > 1 ? 'rest' : ''}">${shown}</td>`;
}

/**
 * Labels some columns with their weights: the first column, the last column whose bit is kept, and every fourth column
 * that is not too close to the last kept column.
 */
function weightLabels(columns: readonly Column[]): readonly TemplateResult[] {
  const lastKept = columns.findLastIndex(({ part }) => part === 'kept');
  const isLabeled = (i: number): boolean => i === 0 || i === lastKept || (i % 4 === 0 && Math.abs(i - lastKept) > 3);
  return columns.map(
    ({ weight }, i) => html`<td class="weight">${isLabeled(i) ? html`2<sup>${weight}</sup>` : nothing}</td>`,
  );
}
