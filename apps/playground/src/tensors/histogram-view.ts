/**
 * Draws a histogram of the exponents of a tensor's elements. The bars of positive elements point up, and those of
 * negative elements point down.
 */
import { html, svg, type TemplateResult } from 'lit';
import type { Summary } from 'ptxlab/tensors';

interface Size {
  readonly width: number;
  readonly height: number;
}

/** The minimum number of bars. If the exponents of a tensor need fewer bars than this, their bars are centered. */
const fewest = 8;

/** The range of exponents that the bars cover; `to` is one more than the exponent of the last bar. */
function rangeOf({ exponents }: Summary): readonly [from: number, to: number] {
  const [first, last] = [exponents[0]?.exponent ?? 0, exponents.at(-1)?.exponent ?? 0];
  const bins = Math.max(fewest, last - first + 1);
  const from = first - Math.floor((bins - (last - first + 1)) / 2);
  return [from, from + bins];
}

export function histogramView(summary: Summary, { width, height }: Size): TemplateResult {
  const { exponents } = summary;
  const [first, last] = [exponents[0]?.exponent, exponents.at(-1)?.exponent];
  if (first === undefined || last === undefined) return html`<span class="none">only zeros, NaNs and infinities</span>`;
  const [from, to] = rangeOf(summary);
  const bins = to - from;
  const most = Math.max(...exponents.map(({ negative, positive }) => Math.max(negative, positive)));
  const middle = height / 2;
  const tall = (count: number): number => (count === 0 ? 0 : Math.max(1, (count / most) * (middle - 1)));
  const bars = exponents.map(({ exponent, negative, positive }) => {
    const x = ((exponent - from) * width) / bins;
    const wide = Math.max(1, width / bins - 1);
    return svg`<rect class="positive" x=${x} y=${middle - tall(positive)} width=${wide} height=${tall(positive)}></rect>
      <rect class="negative" x=${x} y=${middle} width=${wide} height=${tall(negative)}></rect>`;
  });
  const peak = exponents.reduce((a, b) => (b.negative + b.positive > a.negative + a.positive ? b : a));
  const label = `Magnitudes from 2^${first} to 2^${last + 1}, most of them from 2^${peak.exponent}`;
  return html`<svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label=${label}>${bars}</svg>`;
}

/** The histogram of the chosen tensor, with its axis and statistics. */
export function distributionView(summary: Summary): TemplateResult {
  const { min, max, mean, zeros, subnormals, nans, infinities } = summary;
  const [from, to] = rangeOf(summary);
  const shown = (value: number | null): string => (value === null ? 'none' : String(Number(value.toPrecision(4))));
  const rows: readonly (readonly [string, string])[] = [
    ['least', shown(min)],
    ['greatest', shown(max)],
    ['mean', shown(mean)],
    ['zeros', zeros.toLocaleString('en')],
    ['subnormals', subnormals.toLocaleString('en')],
    ['NaN, infinite', (nans + infinities).toLocaleString('en')],
  ];
  return html`<div class="large">${histogramView(summary, { width: 480, height: 96 })}</div>
    <p class="axis"><span>2<sup>${from}</sup></span><span class="legend"><i class="positive"></i> positive, above <i class="negative"></i> negative, below</span><span>2<sup>${to}</sup></span></p>
    <dl class="statistics">${rows.map(([what, value]) => html`<div><dt>${what}</dt><dd>${value}</dd></div>`)}</dl>`;
}
