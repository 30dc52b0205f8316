/**
 * A plot of a buffer. Each column of pixels represents a part of the buffer and shows the range of its values. The
 * range of the whole buffer is printed beside the plot.
 */
import { html, svg, type TemplateResult } from 'lit';

const width = 280;
const height = 64;

export function plotView(values: readonly number[]): TemplateResult {
  const finite = values.filter((value) => Number.isFinite(value));
  const [low, high] = [Math.min(...finite), Math.max(...finite)];
  if (finite.length === 0) return html`<p class="numbers">no finite values</p>`;
  const span = high - low || 1;
  const y = (value: number): number => Math.round((height - 2 - ((value - low) / span) * (height - 4)) * 10) / 10;
  const bars = Array.from({ length: Math.min(width, values.length) }, (_, column) => {
    const count = Math.min(width, values.length);
    const from = Math.floor((column * values.length) / count);
    const part = values
      .slice(from, Math.max(from + 1, Math.floor(((column + 1) * values.length) / count)))
      .filter(Number.isFinite);
    if (part.length === 0) return svg``;
    const [top, bottom] = [y(Math.max(...part)), y(Math.min(...part))];
    return svg`<rect x=${(column * width) / count} y=${top} width=${Math.max(1, width / count)} height=${Math.max(2, bottom - top)}></rect>`;
  });
  return html`<div class="plot">
    <p class="range" aria-hidden="true"><span title="greatest">${high}</span><span title="least">${low}</span></p>
    <svg viewBox="0 0 ${width} ${height}" preserveAspectRatio="none" role="img" aria-label="From ${low} to ${high}">${bars}</svg>
  </div>`;
}
