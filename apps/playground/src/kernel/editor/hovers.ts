/**
 * Explains what is under the pointer: an instruction with its variant, a name with its type and value, or a constant.
 */
import type { Extension } from '@codemirror/state';
import { hoverTooltip } from '@codemirror/view';
import { html, nothing, render, type TemplateResult } from 'lit';
import { demangle } from 'ptxlab/analysis';
import type { Pointed } from '../document-worker.ts';
import type { RemoteDocument } from '../remote-document.ts';

export function hovers(document: RemoteDocument): Extension {
  return hoverTooltip(async (_, offset) => {
    const found = await document.current(document.ask.hover(offset));
    if (found === null) return null;
    const dom = window.document.createElement('div');
    dom.className = 'cm-hover';
    render(hoverView(found), dom);
    return { pos: found.start, end: found.end, above: true, create: () => ({ dom }) };
  });
}

function hoverView({ subject, register }: Pointed): TemplateResult {
  switch (subject.kind) {
    case 'instruction': {
      const { mnemonic, summary, availability } = subject.explanation;
      const since = availability.map(({ since: version, words }) => `PTX ${version} on ${words}`).join('; ');
      return html`<code>${mnemonic}</code><p>${summary}</p><p class="quiet">${since}</p>`;
    }
    case 'register':
      return html`<code>.reg ${subject.type} ${subject.name}</code>
        ${register?.value == null ? nothing : html`<p><code>= ${register.value}</code></p>`}
        ${register?.mayBeUnwritten === true ? html`<p>It may be read before it is written.</p>` : nothing}`;
    case 'constant': {
      const { text, what, bits, value } = subject.explanation;
      return html`<code>${text}</code><p>${what}: ${value}</p><p class="quiet"><code>${bits}</code></p>`;
    }
    case 'special register':
      return html`<code>${subject.name}: ${subject.type}</code><p class="quiet">${subject.since}</p>`;
    case 'variable':
      return html`<code>${subject.space} ${subject.type} ${subject.name}</code>`;
    case 'function': {
      const written = demangle(subject.name);
      return html`<code>function ${subject.name}</code>${written === null ? nothing : html`<p><code>${written}</code></p>`}`;
    }
    case 'label':
    case 'list of targets':
    case 'prototype':
      return html`<code>${subject.kind} ${subject.name}</code>`;
  }
}
