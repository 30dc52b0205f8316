/** The result on each generation of GPUs. */
import { html, nothing, type TemplateResult } from 'lit';
import type { Bits } from 'ptxlab';
import { type FormatName, numberText, numberValue } from 'ptxlab/numbers';
import { hex } from '../convert/words.ts';
import { withPowers } from '../convert/powers.ts';
import { type MatrixState, type View, widthOf } from './state.ts';

export function gpusView(
  { state, result, explanation, matrices }: View,
  choose: (gpu: MatrixState['gpu']) => void,
): TemplateResult | typeof nothing {
  if (explanation === null) return nothing;
  const { d, gpus: all } = state.entry;
  const shown = (bits: Bits): TemplateResult =>
    html`<td class="value">${alignedText(d, bits)}</td><td class="value">0x${hex(bits, widthOf(d))}</td>`;
  return html`<section aria-labelledby="gpus-title">
    <h2 id="gpus-title">The same element on each GPU</h2>
    <div class="scroll" tabindex="0" role="region" aria-label="Results by GPU">
      <table class="gpus">
        <thead><tr><th scope="col">GPU: select one</th><th scope="col">result</th><th scope="col">bits</th><th scope="col">compared</th><th scope="col">arithmetic</th></tr></thead>
        <tbody>
          ${explanation.byGpu.map(({ gpus, bits }) => {
            const row = matrices.product.byGpu.find((one) => one.gpus === gpus);
            const own = row?.names.includes(state.gpu) === true;
            const first = all.find((name) => name === row?.names[0]);
            return html`<tr class=${bits === result ? '' : 'differs'}>
              <th scope="row"><button class="chip" aria-pressed=${own} @click=${() => first !== undefined && choose(first)}>${gpus}</button></th>
              ${shown(bits)}<td>${bits === result ? (own ? 'shown here' : 'same') : 'differs'}</td><td class="rule">${withPowers(row?.rule ?? '')}</td></tr>`;
          })}
          ${explanation.exact === null ? nothing : html`<tr><th scope="row">exact sum</th>${shown(explanation.exact)}<td>${explanation.exact === result ? 'same' : 'differs'}</td><td class="rule">rounded once, to nearest even</td></tr>`}
        </tbody>
      </table>
    </div>
  </section>`;
}

/**
 * The value as text. All values of a format are shown with the same number of significant digits, so that results can
 * be compared digit by digit.
 */
export function alignedText(format: FormatName, bits: Bits): string {
  const digits = enoughDigits[format];
  const value = numberValue(format, bits);
  return digits === undefined || !Number.isFinite(value)
    ? numberText(format, bits).replace(/ \(.*/, '')
    : value.toPrecision(digits);
}

/** The number of significant decimal digits that are needed to tell any two values of a format apart. */
const enoughDigits: Readonly<Partial<Record<FormatName, number>>> = { f32: 9, f64: 17, f16: 5 };
