/** The pages of the reference, one for each diagnostic code, format and opcode; they need no script. */
// Node does not resolve aliases when it loads this configuration, so these imports use the paths of the files behind
// `ptxlab` and `ptxlab/numbers`.
import { catalog, type Code, explain, type FormEntry, forms } from '../../../dist/index.js';
import { conversions, type FormatName, formats, numberText } from '../../../dist/numbers.js';
import { html, Markup } from './markup.ts';

export interface Page {
  /** The page's folder, relative to the root of the site, such as `why/PTX4002`. */
  readonly path: string;
  readonly title: string;
  /** A one-line description for lists and search engines. */
  readonly summary: string;
  readonly body: Markup;
  /** Whether the page has a `<ptx-convert>`. */
  readonly isLive: boolean;
}

export function referencePages(): readonly Page[] {
  const pages = [...codePages(), ...formatPages(), ...opcodePages()];
  return [indexPage(pages), ...pages];
}

/** The source and destination formats of each conversion, such as `f32 e4m3`. */
export function conversionPairs(): readonly string[] {
  return [...new Set(conversions().map(({ from, to }) => `${from} ${to}`))];
}

/** The page that the service worker shows without a network if the requested page is not stored. */
export function offlinePage(): Page {
  return {
    path: 'offline',
    title: 'Not available offline',
    summary: 'A page that was not opened before the network was lost.',
    body: html`<p class="lead">The page<!--path--> has not been opened before, so this browser has not stored it, and there is no network now.</p>
      <p>The <a href="../">conversions</a>, the <a href="../kernel/">kernels</a>, the <a href="../matrix/">matrix products</a>, the
      <a href="../tensors/">tensors</a> and the <a href="../reference/">index of the reference</a> work without a network.</p>`,
    isLive: false,
  };
}

function indexPage(pages: readonly Page[]): Page {
  const under = (folder: string): readonly Page[] => pages.filter(({ path }) => path.startsWith(folder));
  const list = (heading: string, folder: string): Markup =>
    html`<section id="${folder.slice(0, -1)}"><h2>${heading}</h2><ul class="index">${under(folder).map(
      ({ path, title, summary }) =>
        html`<li><a href="../${path}/"><code>${title}</code></a> <span>${summary}</span></li>`,
    )}</ul></section>`;
  return {
    path: 'reference',
    title: 'Reference',
    summary: 'Every number format, instruction and diagnostic that ptxlab knows.',
    body: html`<p class="lead">
        <a href="#formats">${under('formats/').length} number formats</a>, <a href="#i">${under('i/').length} instructions</a> and
        <a href="#why">${under('why/').length} diagnostics</a>. Search finds each of them.</p>
      ${list('Number formats', 'formats/')}${list('Instructions', 'i/')}${list('Diagnostics', 'why/')}`,
    isLive: false,
  };
}

// --- diagnostics --------------------------------------------------------------------------------------------------------

function codePages(): readonly Page[] {
  const codes = Object.keys(catalog) as Code[];
  return codes.map(codePage);
}

function codePage(code: Code): Page {
  const explained = explain(code);
  if (explained.kind !== 'code') throw new Error(`${code} has no explanation`);
  const { title, severity, explain: words, example, ptxas, section, message } = explained;
  const row = (what: string, value: string): Markup => html`<dt>${what}</dt><dd><code>${value}</code></dd>`;
  const isTemplate = (text: string): boolean => /^\{\w+\}$/.test(text);
  return {
    path: `why/${code}`,
    title: code,
    summary: `${title} (${severity})`,
    body: html`<p class="lead">${sentence(title)}</p>
      <p>${words}</p>
      ${example === null ? '' : html`<h2>Example</h2><pre><code>${example.text}</code></pre>`}
      <dl class="facts">
        ${row('severity', severity)} ${isTemplate(message) ? '' : row('ptxlab says', example?.message ?? message)}
        ${isTemplate(ptxas) ? '' : row('ptxas says', ptxas)}
        ${section === null ? '' : html`<dt>specification</dt><dd>PTX ISA 9.1, section ${section}</dd>`}
      </dl>`,
    isLive: false,
  };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

// --- formats ------------------------------------------------------------------------------------------------------------

/**
 * The value whose conversion is shown as an example on the page of each format. This value is beyond the range of the
 * small formats.
 */
const shownValue = '0x43eb0000';

function formatPages(): readonly Page[] {
  const names = Object.keys(formats) as FormatName[];
  return names.filter((name) => explain(`.${name}`).kind === 'type').map(formatPage);
}

function formatPage(name: FormatName): Page {
  const explained = explain(`.${name}`);
  if (explained.kind !== 'type') throw new Error(`${name} is not a type`);
  const link =
    name === 'f32'
      ? '#from=f64&to=f32&v=0x3fb999999999999a&mode=rn'
      : `#from=f32&to=${name}&v=${shownValue}&mode=rn.satfinite`;
  return {
    path: `formats/${name}`,
    title: name,
    summary: inBrief(formats[name].width, explained.facts),
    body: html`<p class="lead">${explained.summary}</p>
      <dl class="facts">${explained.facts.map(([what, value]) => html`<dt>${what}</dt><dd><code>${value}</code></dd>`)}</dl>
      <h2>Convert to ${name}</h2>
      <ptx-convert link="${link}"><p><a href="../../${link}">Open a conversion to ${name}</a></p></ptx-convert>
      ${formats[name].width <= 8 ? valueTable(name) : ''}`,
    isLive: true,
  };
}

/** Summarizes a format in one line: its fields and its range. */
function inBrief(width: number, facts: readonly (readonly [what: string, value: string])[]): string {
  const told = new Map(facts.map(([what, value]) => [what, value.split(/  | \(0x/)[0] ?? value]));
  const [bits, scale, infinity, nan] = ['bits', 'scale', 'infinity', 'NaN'].map((what) => told.get(what));
  const least = told.get('lowest');
  const parts = [
    `${width} bits: ${bits ?? (scale === undefined ? 'integer' : `multiples of ${scale}`)}`,
    least === undefined ? `largest ${rounded(told.get('largest') ?? '')}` : `${least} to ${told.get('largest') ?? ''}`,
    ...(infinity === 'none' ? [nan === 'none' ? 'no infinity, no NaN' : 'no infinity'] : []),
  ];
  return `${parts.join('; ')}.`;
}

/** Shortens numbers in scientific notation to four digits, and returns other numbers unchanged. */
function rounded(text: string): string {
  return text.includes('e') ? Number(text).toPrecision(4) : text;
}

/** A table of all values of a small format. */
function valueTable(name: FormatName): Markup {
  const { width } = formats[name];
  const columns = width <= 4 ? 4 : 8;
  const rows = 2 ** width / columns;
  const cell = (bits: number): Markup =>
    html`<td><small>0x${bits.toString(16).padStart(2, '0')}</small> ${numberText(name, bits).split(' (')[0] ?? ''}</td>`;
  return html`<h2>Every value</h2><div class="scroll" tabindex="0" role="region" aria-label="Every value of ${name}"><table class="values">${Array.from(
    { length: rows },
    (_, r) => html`<tr>${Array.from({ length: columns }, (__, c) => cell(r * columns + c))}</tr>`,
  )}</table></div>`;
}

// --- opcodes ------------------------------------------------------------------------------------------------------------

function opcodePages(): readonly Page[] {
  const byOpcode = new Map<string, FormEntry[]>();
  for (const form of forms()) {
    const list = byOpcode.get(form.opcode) ?? [];
    list.push(form);
    byOpcode.set(form.opcode, list);
  }
  return [...byOpcode].map(([opcode, entries]) => opcodePage(opcode, entries));
}

function opcodePage(opcode: string, entries: readonly FormEntry[]): Page {
  const [first] = entries;
  const count = entries.length === 1 ? '1 form' : `${entries.length} forms`;
  return {
    path: `i/${opcode}`,
    title: opcode,
    summary: first?.summary ?? '',
    body: html`<p class="lead">${count}, from the syntax of PTX ISA 9.1, section ${first?.section ?? ''}.</p>
      ${entries.length > 3 ? contentsOf(entries) : []}
      ${entries.map(formSection)}`,
    isLive: false,
  };
}

function contentsOf(entries: readonly FormEntry[]): Markup {
  return html`<nav aria-label="Forms"><ul class="contents">${entries.map(({ id }) => html`<li><a href="#${id}">${id}</a></li>`)}</ul></nav>`;
}

function formSection({ id, syntax, summary, types, modifiers, availability }: FormEntry): Markup {
  const rows = [
    ...types.map(({ name, types: values }) => [`.${name}`, values.join(' ')] as const),
    ...modifiers
      .filter(({ values }) => values.length > 1)
      .map(({ name, values }) => [`.${name}`, values.join(' ')] as const),
  ].filter(([, values]) => values.includes(' '));
  return html`<section id="${id}"><h2><a href="#${id}">${id}</a></h2>
    <pre><code>${syntax}</code></pre>
    <p>${summary}</p>
    ${rows.length === 0 ? [] : html`<dl class="facts">${rows.map(([name, values]) => html`<dt><code>${name}</code></dt><dd><code>${values}</code></dd>`)}</dl>`}
    ${versionsOf(availability)}
  </section>`;
}

function versionsOf(availability: FormEntry['availability']): Markup {
  const versions = byVersion(availability);
  return html`<details><summary>PTX ${versions[0]?.[0] ?? ''} or later, ${availability.length} targets</summary>
    <dl class="facts">${versions.map(([since, targets]) => html`<dt>From PTX ${since}</dt><dd>${targets.join(', ')}</dd>`)}</dl></details>`;
}

/** Groups targets by the first PTX version in which they support the form. */
function byVersion(availability: FormEntry['availability']): readonly (readonly [string, readonly string[]])[] {
  const groups = new Map<string, string[]>();
  for (const { since, target } of availability) {
    const targets = groups.get(since) ?? [];
    targets.push(target);
    groups.set(since, targets);
  }
  return [...groups].sort(([a], [b]) => Number(a) - Number(b));
}
