/** Draws the matrices as grids of boxes; each box is labeled with the lane that holds its elements. */
import { html, nothing, type TemplateResult } from 'lit';
import { type Box, type Grid, heldBy, holds, lanesText, placeText, registerText } from './fragments.ts';
import type { MatrixState } from './state.ts';

export interface FragmentActions {
  readonly pointAt: (lane: number) => void;
  readonly choose: (row: number, column: number) => void;
}

/** Draws the grids and marks the elements that `lane` holds. */
export function fragmentsView(
  grids: readonly Grid[],
  state: MatrixState,
  lane: number,
  actions: FragmentActions,
): TemplateResult {
  const product = grids.filter(({ fragment, matrix }) => area(fragment.matrix) !== 'other' && matrix === 0);
  const others = grids.filter((grid) => !product.includes(grid));
  return html`<section aria-labelledby="lanes-title">
    <h2 id="lanes-title">Which lane holds which element</h2>
    <div class="scroll" tabindex="0" role="region" aria-label="Matrices by lane">
      <div class="product">${product.map((grid) => gridView(grid, state, lane, actions))}</div>
    </div>
    ${
      others.length === 0
        ? nothing
        : html`<details><summary>${others.length === 1 ? 'One other matrix' : `${others.length} other matrices`}: ${others.map(({ name }) => name).join('; ')}</summary>
            <div class="scroll" tabindex="0" role="region" aria-label="Other matrices by lane"><div class="others">${others.map((grid) => gridView(grid, state, lane, actions))}</div></div>
          </details>`
    }
    <div class="held" aria-live="polite">
      <p><strong>Lane ${lane}</strong> holds</p>
      <dl>${grids.map((grid) => heldView(grid, lane))}</dl>
    </div>
    <p class="note">A number is a lane. Choose an element of D to see how it is computed; arrow keys move between elements.</p>
  </section>`;
}

function heldView(grid: Grid, lane: number): TemplateResult | typeof nothing {
  const text = heldBy(grid, lane);
  return text === '' ? nothing : html`<div><dt>${grid.name}</dt><dd>${text}</dd></div>`;
}

type Area = 'a' | 'b' | 'c' | 'd' | 'other';

function area(matrix: string): Area {
  switch (matrix) {
    case 'A':
      return 'a';
    case 'B':
      return 'b';
    case 'C':
      return 'c';
    case 'D':
    case 'C and D':
      return 'd';
    default:
      return 'other';
  }
}

function gridView(grid: Grid, state: MatrixState, lane: number, actions: FragmentActions): TemplateResult {
  const own = area(grid.fragment.matrix);
  const [first] = grid.boxes;
  // The grids of A and D have one grid row for each matrix row, so that the rows of A and D line up. The grids of B and
  // D have one grid column for each matrix column, so that the columns of B and D line up.
  const tall = own === 'b' || own === 'other' ? (first?.cell.rows ?? 1) : 1;
  const wide = own === 'a' || own === 'other' ? (first?.cell.columns ?? 1) : 1;
  const { rows, columns, format } = grid.fragment;
  const chosen = (box: Box): boolean => own === 'd' && holds(box.cell, state.row, state.column);
  const focusable = grid.boxes.find(chosen) ?? first;
  return html`<div class="matrix at-${own}">
    <h3>${grid.name} <small>${rows} × ${columns} of ${format}</small></h3>
    <div class="grid" role="group" aria-label="${grid.name}, ${rows} by ${columns} of ${format}" @keydown=${moveFocus}>
      ${grid.boxes.map((box) => {
        const { cell, lanes } = box;
        const place = `grid-area: ${Math.floor(cell.row / tall) + 1} / ${Math.floor(cell.column / wide) + 1} / span ${Math.max(1, cell.rows / tall)} / span ${Math.max(1, cell.columns / wide)}`;
        const name = `${placeText(cell)}: ${lanesText(lanes)}, ${registerText(grid.fragment, cell)}`;
        return html`<button
          class="box ${lanes.includes(lane) ? 'here' : ''} ${isUsed(own, box, state) ? 'used' : ''} ${chosen(box) ? 'chosen' : ''}"
          .style=${place}
          tabindex=${box === focusable ? 0 : -1}
          aria-label=${name}
          aria-pressed=${own === 'd' ? chosen(box) : nothing}
          title=${name}
          data-row=${cell.row}
          data-column=${cell.column}
          @pointerenter=${() => actions.pointAt(cell.lane)}
          @focus=${() => actions.pointAt(cell.lane)}
          @click=${() => own === 'd' && choose(box, state, actions)}
        >${lanes.length > 1 ? `${cell.lane}…` : cell.lane}</button>`;
      })}
    </div>
  </div>`;
}

/** A click on a box selects its first element; each further click selects the next element of the box. */
function choose({ cell }: Box, { row, column }: MatrixState, actions: FragmentActions): void {
  const next = holds(cell, row, column + 1) && holds(cell, row, column) ? column + 1 : cell.column;
  actions.choose(cell.row, next);
}

/** Whether the given box contains elements from which the chosen element of D is computed. */
function isUsed(own: Area, { cell }: Box, { row, column }: MatrixState): boolean {
  if (own === 'a') return holds(cell, row, null);
  if (own === 'b') return holds(cell, null, column);
  return own !== 'other' && holds(cell, row, column);
}

/** Arrow keys move the focus to the nearest box in the direction of the arrow. */
function moveFocus(event: KeyboardEvent): void {
  const { currentTarget, target, key } = event;
  if (!(currentTarget instanceof HTMLElement) || !(target instanceof HTMLElement)) return;
  const down = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
  const right = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
  if (down === 0 && right === 0) return;
  event.preventDefault();
  const place = (box: HTMLElement): readonly [number, number] => [
    Number(box.dataset['row']),
    Number(box.dataset['column']),
  ];
  const [row, column] = place(target);
  let best: HTMLElement | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const box of currentTarget.querySelectorAll('button')) {
    const [otherRow, otherColumn] = place(box);
    const [rows, columns] = [otherRow - row, otherColumn - column];
    const isAhead = down === 0 ? rows === 0 && columns * right > 0 : columns === 0 && rows * down > 0;
    const distance = Math.abs(rows) + Math.abs(columns);
    if (!isAhead || distance >= least) continue;
    best = box;
    least = distance;
  }
  best?.focus();
}
