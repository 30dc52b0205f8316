/**
 * The number line: two neighboring values of the destination format, their midpoint, and the source, which is shown as
 * a dot that can be dragged.
 */
import { html, nothing, svg, type SVGTemplateResult, type TemplateResult } from 'lit';
import type { FormatName } from 'ptxlab/numbers';
import { hex } from './words.ts';
import type { Mark, Stretch } from './line.ts';

interface LineParts {
  readonly stretch: Stretch;
  /** Width in pixels. */
  readonly width: number;
  /** The source in words. */
  readonly source: string;
  /**
   * Called during a drag with the position of the pointer on the visible stretch of the number line, and with null at
   * the end of the drag. The property itself is null if the dot cannot be dragged.
   */
  readonly drag: ((at: number | null) => void) | null;
  readonly key: (event: KeyboardEvent) => void;
}

const height = 128;
const axis = 72;
/** The width of a character in the font of the labels, in pixels. */
const characterWidth = 8;
/**
 * The size of the margin on each side of the number line, as a fraction of the total width. The margins show points
 * that lie slightly outside the stretch between the two ends.
 */
const margin = 0.22;

export function lineView(parts: LineParts): TemplateResult {
  const { stretch, width } = parts;
  const x = (at: number): number => Math.round(width * (margin + at * (1 - 2 * margin)) * 10) / 10;
  const inView = (at: number): number => Math.max(-margin * 1.6, Math.min(1 + margin * 1.6, at));
  const dot = x(inView(stretch.source));
  return html`<section>
    <h2>On the number line</h2>
    <svg viewBox="0 0 ${width} ${height}" height=${height} role="group" aria-label="Number line">
      <line class="axis" x1="0" y1=${axis} x2=${width} y2=${axis}></line>
      ${stretch.hasMidpoint ? midpoint(x(0.5)) : nothing} ${mark(stretch.left, x(0), stretch.result === 0, stretch.to)}
      ${mark(stretch.right, x(1), stretch.result === 1, stretch.to)} ${arrow(dot, stretch, x)} ${dotView(parts, dot)}
    </svg>
  </section>`;
}

function midpoint(x: number): SVGTemplateResult {
  return svg`<line class="half" x1=${x} y1=${axis - 22} x2=${x} y2=${axis + 12}></line>
    <text class="quiet" x=${x} y=${axis + 32} text-anchor="middle">midpoint</text>`;
}

function mark({ encoding, text }: Mark, x: number, isResult: boolean, to: FormatName): SVGTemplateResult {
  const code = encoding === null ? `not in ${to}` : `0x${hex(encoding.bits, 8)}`;
  return svg`<line class="tick" x1=${x} y1=${axis - 12} x2=${x} y2=${axis + 12}></line>
    <text class=${encoding === null ? 'quiet' : isResult ? 'chosen' : ''} x=${x} y=${axis + 32} text-anchor="middle">${text}</text>
    <text class="quiet" x=${x} y=${axis + 50} text-anchor="middle">${code}</text>`;
}

/** An arrow from the source to the result. */
function arrow(
  dot: number,
  { result, source }: Stretch,
  x: (at: number) => number,
): SVGTemplateResult | typeof nothing {
  if (result === null || result === source) return nothing;
  const to = x(result);
  const top = axis - 34;
  const side = to > dot ? -4 : 4;
  return svg`<path class="move" d="M ${dot} ${axis - 10} Q ${(dot + to) / 2} ${top - 14} ${to} ${axis - 14} m ${side} -9 l ${-side} 9 l ${side * 2.4} -1"></path>`;
}

function dotView({ stretch, source, drag, key, width }: LineParts, x: number): SVGTemplateResult {
  const place = (event: PointerEvent): number => {
    const box =
      event.currentTarget instanceof Element ? event.currentTarget.closest('svg')?.getBoundingClientRect() : undefined;
    if (box === undefined) return stretch.source;
    return ((event.clientX - box.left) / box.width - margin) / (1 - 2 * margin);
  };
  const down = (event: PointerEvent): void => {
    if (drag === null || !(event.currentTarget instanceof Element)) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    drag(place(event));
  };
  const move = (event: PointerEvent): void => {
    if (event.currentTarget instanceof Element && event.currentTarget.hasPointerCapture(event.pointerId))
      drag?.(place(event));
  };
  const half = (stretch.sourceText.length * characterWidth) / 2;
  const anchor = x < half ? 'start' : x > width - half ? 'end' : 'middle';
  const percent = Math.round(Math.max(0, Math.min(1, stretch.source)) * 100);
  return svg`<text x=${x} y="24" text-anchor=${anchor}>${stretch.sourceText}</text>
    <circle class="dot" cx=${x} cy=${axis} r="9" tabindex="0" role="slider" aria-label="Source value" aria-valuetext=${source}
      aria-valuenow=${percent} aria-valuemin="0" aria-valuemax="100"
      @pointerdown=${down} @pointermove=${move} @pointerup=${() => drag?.(null)} @pointercancel=${() => drag?.(null)} @keydown=${key}></circle>`;
}
