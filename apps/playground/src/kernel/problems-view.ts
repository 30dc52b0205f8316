/** The findings as a list. */
import { html, nothing, type TemplateResult } from 'lit';
import { pageOf } from '../shell/site-root.ts';
import type { Finding } from './document-worker.ts';

interface Actions {
  readonly lineOf: (finding: Finding) => number;
  readonly go: (finding: Finding) => void;
  readonly fix: (finding: Finding) => void;
}

/** The maximum number of findings that are shown. */
const most = 100;

export function problemsView(findings: readonly Finding[], actions: Actions): TemplateResult {
  if (findings.length === 0) return html`<p class="empty">No problems. ptxas would accept this module.</p>`;
  const more = findings.length - most;
  return html`<ul class="problems">
      ${findings.slice(0, most).map((finding) => problem(finding, actions))}
    </ul>
    ${more > 0 ? html`<p class="empty">and ${more} more</p>` : nothing}`;
}

function problem(finding: Finding, { lineOf, go, fix }: Actions): TemplateResult {
  const { code, severity, message, help } = finding;
  return html`<li class=${severity}>
    <button class="place" @click=${() => go(finding)}>line ${lineOf(finding)}</button>
    <span><strong>${severity}</strong> ${message}${help === null ? nothing : html`<br /><span class="help">${help}</span>`}</span>
    <span class="actions">
      ${finding.fixes.length === 0 ? nothing : html`<button class="plain" @click=${() => fix(finding)}>Fix</button>`}
      <a href=${pageOf(`why/${code}`)}>${code}</a>
    </span>
  </li>`;
}
