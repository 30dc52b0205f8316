/** Explains the instruction at the cursor, and shows the control flow of the function that contains the cursor. */
import { html, nothing, type TemplateResult } from 'lit';
import { pageOf } from '../shell/site-root.ts';
import type { Explanation } from 'ptxlab';
import type { Inspected } from './document-worker.ts';
import { graphView } from './graph-view.ts';

export function inspectorView(inspected: Inspected | null, go: (offset: number) => void): TemplateResult {
  const graph = inspected?.graph ?? null;
  return html`${explanationView(inspected?.explanation ?? null)}
    ${graph === null ? nothing : html`<h2>Control flow</h2>${graphView(graph, go)}`}`;
}

function explanationView(explained: Explanation | null): TemplateResult {
  if (explained === null) return html`<p class="empty">Put the cursor on an instruction to see what it does.</p>`;
  switch (explained.kind) {
    case 'instruction':
      return instructionView(explained);
    case 'opcode':
      return html`<h2><code>${explained.opcode}</code></h2><p>${explained.forms.length} forms. <a href=${pageOf(`i/${explained.opcode}`)}>See them</a></p>`;
    case 'refused':
      return html`<p class="empty">${explained.diagnostics[0]?.message ?? 'This is not an instruction.'}</p>`;
    case 'code':
    case 'literal':
    case 'type':
    case 'target':
    case 'modifier':
      return html`<p class="empty">Put the cursor on an instruction to see what it does.</p>`;
  }
}

type Instruction = Extract<Explanation, { readonly kind: 'instruction' }>;

function instructionView({
  mnemonic,
  summary,
  operands,
  lanes,
  modifiers,
  specialValues,
  availability,
  section,
}: Instruction): TemplateResult {
  const opcode = mnemonic.split('.')[0] ?? '';
  return html`<h2><code>${mnemonic}</code></h2>
    <p>${summary}</p>
    ${lanes.map(({ operand, fields }) => (fields.length < 2 ? nothing : html`<div class="register" aria-label="Bits of ${operand}">${fields.map(({ high, low, label }) => html`<span>${label}<small>${high}…${low}</small></span>`)}</div>`))}
    <table class="operands">
      ${operands.map(({ name, written, role, type, width }) => html`<tr><th scope="row"><code>${written ?? name}</code></th><td>${written?.startsWith('[') ? 'address' : role === 'write' ? 'result' : 'source'}</td><td><code>${type}</code></td><td>${width} bits</td></tr>`)}
    </table>
    ${modifiers.map(({ modifier, meaning }) => (meaning === null ? nothing : html`<p class="fact"><code>${modifier}</code> ${meaning}</p>`))}
    ${specialValues.map(({ what, rule }) => html`<p class="fact"><strong>${what}</strong> ${rule}</p>`)}
    <p class="fact quiet">${availability.map(({ since, words }) => `PTX ${since} on ${words}`).join('; ')}. PTX ISA 9.1, section ${section}. <a href=${pageOf(`i/${opcode}`)}>All forms</a></p>`;
}
