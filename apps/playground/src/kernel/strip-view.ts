/** Shows all targets, grouped by family. Targets that reject the module in its current form are crossed out. */
import { html, nothing, type TemplateResult } from 'lit';
import { moveFocus } from '../shell/roving.ts';
import type { Facts } from './document-worker.ts';

/**
 * The element that shows the verdict is updated in place, never replaced, so that screen readers announce each change.
 *
 * @param facts Null until the worker has computed them.
 */
export function stripView(
  facts: Facts | null,
  chosen: string | null,
  choose: (target: string | null) => void,
): TemplateResult {
  const isGood = facts?.findings.every(({ severity }) => severity !== 'error') ?? true;
  return html`<div class="strip">
    <p class="verdict ${facts === null ? '' : isGood ? 'good' : 'bad'}" role="status">${facts === null ? 'Checking…' : verdictOf(facts)}</p>
    ${facts === null ? nothing : targetsView(facts, chosen, choose)}
  </div>`;
}

/** Scrolls to the chosen target, because on phones all targets are in a single row that can be scrolled. */
export function scrollToTarget(root: ParentNode): void {
  const row = root.querySelector('.targets');
  const target = row?.querySelector<HTMLElement>('.target[aria-pressed="true"]');
  if (row !== null && target instanceof HTMLElement)
    row.scrollLeft += target.getBoundingClientRect().left - row.getBoundingClientRect().left - row.clientWidth / 2;
}

function verdictOf({ findings, target, version }: Facts): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const verdict = errors === 0 ? '✓ Legal' : `✗ ${errors} ${errors === 1 ? 'error' : 'errors'}`;
  return `${verdict} for ${target}, PTX ${version}`;
}

function targetsView(facts: Facts, chosen: string | null, choose: (target: string | null) => void): TemplateResult {
  const judged = facts.targets.find(({ name }) => name === (chosen ?? facts.target));
  const stop = judged ?? facts.targets[0];
  const taken = facts.targets.filter(({ since }) => since !== null).length;
  return html`
    <p class="legend">${legend(taken, facts.targets)} ${chosen === null ? "The module's target is framed; select another to check for it." : 'The module is checked for the framed target.'}
      ${chosen === null ? '' : html`<button class="plain" @click=${() => choose(null)}>Back to the module's own target</button>`}</p>
    <div class="targets" role="toolbar" aria-label="Targets" @keydown=${(event: KeyboardEvent) => moveFocus(event, '.target')}><span class="prefix" aria-hidden="true">sm_</span>
      ${families(facts).map(
        (family) =>
          html`<span class="family">${family.map((row) => targetChip(row, row === judged, row === stop, choose))}</span>`,
      )}
    </div>`;
}

function legend(taken: number, targets: Facts['targets']): string {
  const all = targets.length;
  if (taken < all) return `${taken} of ${all} targets support this module; the others are crossed out.`;
  return `All ${all} targets, ${targets[0]?.name} to ${targets.at(-1)?.name}, support this module.`;
}

type Row = Facts['targets'][number];

/** @param isStop whether the Tab key moves the focus to this button; the arrow keys move it to the other buttons. */
function targetChip(
  { name, since }: Row,
  isJudged: boolean,
  isStop: boolean,
  choose: (target: string) => void,
): TemplateResult {
  const isTaken = since !== null;
  const words = isTaken
    ? `${name} accepts this module from PTX ${since} on`
    : `${name} does not accept this module; select the target to see why`;
  return html`<button class="target ${isTaken ? 'taken' : 'refused'}" aria-pressed=${isJudged} tabindex=${isStop ? 0 : -1} title=${words} aria-label=${words} @click=${() => choose(name)}>
    ${name.replace('sm_', '')}
  </button>`;
}

/** Groups the targets by generation: for example, sm_80 to sm_89 form one group. */
function families({ targets }: Facts): readonly (readonly Row[])[] {
  const groups = new Map<string, Row[]>();
  for (const row of targets) {
    const family = /^sm_(\d+)\d/.exec(row.name)?.[1] ?? '';
    groups.set(family, [...(groups.get(family) ?? []), row]);
  }
  return [...groups.values()];
}
