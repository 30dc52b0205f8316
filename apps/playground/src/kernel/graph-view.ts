/** The control flow of the function at the cursor. Clicking a box moves the cursor to the block in the text. */
import { html, nothing, svg, type TemplateResult } from 'lit';
import type { FlowGraph } from 'ptxlab/analysis';

/** Distances within a box. The layout uses the same distances. */
const [inset, lineHeight] = [12, 18];

export function graphView({ width, height, boxes, arrows }: FlowGraph, go: (offset: number) => void): TemplateResult {
  return html`<div class="scroll flow">
    <svg width=${width} height=${height} viewBox="0 0 ${width} ${height}" role="group" aria-label="Control flow, ${boxes.length} blocks">
      <defs>
        <marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">
          <path d="M0 0 8 4 0 8z"></path>
        </marker>
      </defs>
      ${arrows.map(({ points, isBack }) => svg`<polyline class=${isBack ? 'back' : 'ahead'} points=${points.map((point) => point.join(',')).join(' ')} marker-end="url(#head)"></polyline>`)}
      ${boxes.map(({ start, lines, ...box }) => {
        const open = (): void => go(start);
        const pressed = (event: KeyboardEvent): unknown => (event.key === 'Enter' ? open() : nothing);
        return svg`<g role="button" tabindex="0" @click=${open} @keydown=${pressed}>
          <rect x=${box.x} y=${box.y} width=${box.width} height=${box.height} rx="4"></rect>
          ${lines.map((line, i) => svg`<text x=${box.x + inset} y=${box.y + (i + 1) * lineHeight}>${line}</text>`)}
        </g>`;
      })}
    </svg>
  </div>`;
}
