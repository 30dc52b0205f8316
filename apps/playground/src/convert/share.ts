/** Ways to share a conversion: as a link, a command, Markdown or a picture. */
import { html, type TemplateResult } from 'lit';
import { copyText } from '../shell/copy.ts';
import { hex, whyText } from './words.ts';
import { cellsOf } from './fields.ts';
import type { View } from './state.ts';

export function shareView(view: View, link: string): TemplateResult {
  const address = (): string => new URL(link, location.href).href;
  return html`<div class="share" role="group" aria-label="Share">
    ${copyButton('Copy link', address)} ${copyButton('Copy command', () => commandOf(view))}
    ${copyButton('Copy Markdown', () => markdownOf(view, address()))}
    <button class="plain" @click=${() => saveSvg(view)}>Save SVG</button>
    <span class="copied" role="status"></span>
  </div>`;
}

function copyButton(label: string, text: () => string): TemplateResult {
  const copy = async ({ currentTarget }: Event): Promise<void> => {
    const note = currentTarget instanceof Element ? currentTarget.parentElement?.querySelector('.copied') : null;
    const isCopied = await copyText(text());
    if (!(note instanceof HTMLElement)) return;
    note.textContent = isCopied ? 'Copied.' : 'Copying is not allowed here.';
    setTimeout(() => (note.textContent = ''), 3_000);
  };
  return html`<button class="plain" @click=${copy}>${label}</button>`;
}

/** The command that prints the same conversion. */
export function commandOf({ evaluation }: View): string {
  const inputs = evaluation.inputs.map(({ bits, width }) => `0x${hex(bits, width)}`);
  return `ptxlab eval --explain ${evaluation.mnemonic} ${inputs.join(' ')}`;
}

export function markdownOf(view: View, address: string): string {
  const { source, result } = view.lane.explanation;
  const { from, to } = view.state.entry;
  return [
    `\`${view.evaluation.mnemonic}\`: **${source.value}** (${from} \`0x${hex(source.bits, 4)}\`) → **${result.value}** (${to} \`0x${hex(result.bits, 4)}\`)`,
    '',
    whyText(view),
    '',
    `[Open in ptxlab](${address})`,
    '',
  ].join('\n');
}

const colors = { sign: '#b4234a', exponent: '#8a5a00', significand: '#2450b8', padding: '#5f5a52' } as const;

/** A self-contained SVG picture that shows the bits of the source and of the result. */
export function svgOf(view: View): string {
  const { from, to } = view.state.entry;
  const { source, result } = view.lane.explanation;
  const row = (format: typeof from, bits: View['source'], y: number): string =>
    cellsOf(format, bits)
      .map(
        ({ kind, isSet }, i) =>
          `<rect x="${20 + i * 18}" y="${y}" width="18" height="26" fill="#fff" stroke="#dcd8d0"/>` +
          `<text x="${29 + i * 18}" y="${y + 18}" text-anchor="middle" fill="${colors[kind]}" font-weight="${isSet ? 700 : 400}">${Number(isSet)}</text>`,
      )
      .join('');
  const width = 40 + 18 * Math.max(cellsOf(from, source.bits).length, cellsOf(to, result.bits).length, 30);
  const text = (y: number, words: string): string => `<text x="20" y="${y}" fill="#1d1b18">${escape(words)}</text>`;
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} 200" width="${width}" height="200" font-family="monospace" font-size="14">` +
    `<rect width="100%" height="100%" fill="#fbfaf8"/>${text(30, view.evaluation.mnemonic)}` +
    `${text(62, `${from} ${source.value}`)}${row(from, source.bits, 70)}` +
    `${text(130, `${to} ${result.value}`)}${row(to, result.bits, 138)}</svg>\n`
  );
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

function saveSvg(view: View): void {
  const url = URL.createObjectURL(new Blob([svgOf(view)], { type: 'image/svg+xml' }));
  const anchor = document.createElement('a');
  anchor.href = url;
  anchor.download = `${view.evaluation.mnemonic}.svg`;
  anchor.click();
  URL.revokeObjectURL(url);
}
