/** Shows the recipes side by side, each with the number of bits that it needs and the error that it causes. */
import { html, type TemplateResult } from 'lit';
import type { Measured, Refused } from './bench.ts';
import { type Recipe, recipes } from './recipe-names.ts';
import { bitsText, decibels, numberText } from './words.ts';

export type Errors = ReadonlyMap<string, Measured | Refused>;

/** The signal-to-error ratio, in decibels, at which a bar takes up the whole width of its cell. */
const full = 80;

export function recipesView(errors: Errors, chosen: string, choose: (name: string) => void): TemplateResult {
  const cells = ({ name }: Recipe): TemplateResult => {
    const found = errors.get(name);
    if (found === undefined) return html`<td class="none" colspan="3">…</td>`;
    if (found.kind === 'refused') return html`<td class="none refused" colspan="3">${found.message}</td>`;
    const share = Math.max(0, Math.min(1, found.sqnr / full));
    return html`<td>${bitsText(found)}</td>
      <td class="measure"><span>${decibels(found)}</span><span class="bar" .style=${`width: ${share * 100}%`}></span></td>
      <td>${numberText(found.maxAbs)}</td>`;
  };
  const row = (recipe: Recipe): TemplateResult => html`<tr class=${recipe.name === chosen ? 'chosen' : ''}>
    <th scope="row"><button aria-pressed=${recipe.name === chosen} @click=${() => choose(recipe.name)}>
      <code>${recipe.name}</code> <small>${recipe.words}</small></button></th>
    ${cells(recipe)}
  </tr>`;
  return html`<table class="recipes">
    <thead><tr><th scope="col">Recipe</th><th scope="col">Bits</th><th scope="col" title="10 log10 of the sum of squares over the sum of squared errors">Signal to error</th><th scope="col">Largest error</th></tr></thead>
    <tbody>${recipes.map(row)}</tbody>
  </table>`;
}
