/** All targets by family, marked by whether they accept the module as it is. */
import { html, type TemplateResult } from 'lit';
import type { Facts } from './document-worker.ts';

export function stripView(
  facts: Facts,
  chosen: string | null,
  choose: (target: string | null) => void,
): TemplateResult {
  const errors = facts.findings.filter(({ severity }) => severity === 'error').length;
  const taken = facts.targets.filter(({ since }) => since !== null).length;
  const verdict =
    errors === 0
      ? `Legal for ${facts.target}, PTX ${facts.version}`
      : `${errors} ${errors === 1 ? 'error' : 'errors'} for ${facts.target}, PTX ${facts.version}`;
  return html`<div class="strip">
    <p class="verdict ${errors === 0 ? 'good' : 'bad'}">${errors === 0 ? '✓' : '✗'} ${verdict}</p>
    <div class="targets" role="group" aria-label="Targets; ${taken} of ${facts.targets.length} take the instructions used">
      ${families(facts).map(
        (family) =>
          html`<span class="family">${family.map(({ name, since }) => targetChip(name, since, chosen, choose))}</span>`,
      )}
    </div>
    ${chosen === null ? '' : html`<button class="plain" @click=${() => choose(null)}>Back to the module's own target</button>`}
  </div>`;
}

type Row = Facts['targets'][number];

function targetChip(
  name: string,
  since: string | null,
  chosen: string | null,
  choose: (target: string) => void,
): TemplateResult {
  const isTaken = since !== null;
  const words = isTaken ? `${name} accepts it since PTX ${since}` : `${name} does not accept it; select it to see why`;
  return html`<button class="target ${isTaken ? 'taken' : 'refused'}" aria-pressed=${name === chosen} title=${words} aria-label=${words} @click=${() => choose(name)}>
    ${name.replace('sm_', '')}
  </button>`;
}

/** Targets of one generation stand together: sm_80 to sm_89. */
function families({ targets }: Facts): readonly (readonly Row[])[] {
  const groups = new Map<string, Row[]>();
  for (const row of targets) {
    const family = /^sm_(\d+)\d/.exec(row.name)?.[1] ?? '';
    groups.set(family, [...(groups.get(family) ?? []), row]);
  }
  return [...groups.values()];
}
