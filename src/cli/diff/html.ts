/** The report of `diff --html`: a single file that contains all charts, loads no other files, and runs no scripts. */
import type { ExponentCount } from '../../arrays/statistics/exponent-histogram.ts';
import { printable } from '../../diagnostics/renderers/printable.ts';
import { drawChart } from './charts.ts';
import type { ComparedPair } from '../../tensors/compare-files.ts';
import type { FileDiff } from './file-diff.ts';
import { worstFirst } from './text.ts';
import { complaints, isClean, isEqual, isLimited, type Limits } from './verdict.ts';
import {
  cosineText,
  decibelText,
  differentText,
  elementText,
  mismatchTexts,
  placeText,
  typesText,
  ulpsText,
  unitText,
} from './words.ts';
import { Html, html } from './markup.ts';
import { shapeText } from '../inspect/text.ts';
import { encodingText } from '../encoding-text.ts';
import { countText, plural, valueText } from '../number-text.ts';
import type { TensorInput } from '../tensor-input.ts';

/** The maximum number of tensors for which charts are drawn. */
const chartedTensors = 24;

export function diffHtml(diff: FileDiff, limits: Limits): string {
  const different = worstFirst(diff.pairs.filter((pair) => !isEqual(pair)));
  const equal = diff.pairs.filter(isEqual).length;
  const counts = [
    plural(diff.pairs.length, 'tensor pair'),
    `${countText(equal)} equal`,
    `${countText(diff.onlyInA.length)} only in A`,
    `${countText(diff.onlyInB.length)} only in B`,
  ].join(', ');
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${printable(diff.b.path)} against ${printable(diff.a.path)}</title>
<style>${new Html(stylesheet)}</style>
</head>
<body>
<h1>Tensors compared</h1>
<dl>${fileItem('A', diff.a)}${fileItem('B', diff.b)}</dl>
<p class="${isClean(diff, limits) ? 'ok' : 'bad'}">${verdictText(diff, limits)}</p>
<p>${counts}. ${limitsText(limits)}</p>
${overview(different)}
${pairTable(diff, limits)}
${different.slice(0, chartedTensors).map(pairSection)}
</body>
</html>
`.text;
}

function fileItem(side: string, { path, file }: TensorInput): Html {
  return html`<dt>${side}</dt><dd>${printable(path)} <small>${file.container}</small></dd>`;
}

function verdictText(diff: FileDiff, limits: Limits): string {
  if (isClean(diff, limits))
    return isLimited(limits) ? 'All differences are within the limits.' : 'All values are equal.';
  return isLimited(limits) ? 'Some differences exceed the limits.' : 'The files differ.';
}

function limitsText({ maxAbs, maxRel, minSqnr }: Limits): string {
  const words = [
    maxAbs === null ? [] : [`|a - b| at most ${maxAbs}`],
    maxRel === null ? [] : [`|a - b| / |a| at most ${maxRel}`],
    minSqnr === null ? [] : [`SQNR at least ${minSqnr} dB`],
  ].flat();
  return words.length === 0 ? '' : `Limits: ${words.join(', ')}.`;
}

/** The signal-to-noise ratios of all tensors side by side, worst first. */
function overview(pairs: readonly ComparedPair[]): Html {
  const ratios = pairs.flatMap(({ outcome }) => (outcome.kind === 'compared' ? [outcome.comparison.sqnr] : []));
  if (ratios.length < 2) return html``;
  const chart = drawChart({
    title: 'SQNR of each tensor that differs, the worst first',
    categories: ratios.map((_, i) => String(i + 1)),
    series: [{ name: 'SQNR', values: ratios.map((ratio) => (Number.isFinite(ratio) ? ratio : null)) }],
    unit: 'dB',
    kind: 'bar',
    width: 960,
    height: 240,
  });
  return html`<figure>${new Html(chart)}</figure>`;
}

function pairTable({ pairs, onlyInA, onlyInB }: FileDiff, limits: Limits): Html {
  const rows = pairs.map((pair) => {
    const state = isEqual(pair) ? 'equal' : complaints(pair, limits).join(', ') || 'within the limits';
    const tone = isEqual(pair) ? 'same' : complaints(pair, limits).length > 0 ? 'bad' : 'ok';
    return html`<tr><td>${printable(pair.a.entry.name)}</td><td>${typesText(pair, false)}</td><td>${shapeText(pair.a.entry.shape, false)}</td>${measures(pair)}<td class="${tone}">${state}</td></tr>`;
  });
  const lonely = [...onlyInA.map((entry) => ({ entry, side: 'A' })), ...onlyInB.map((entry) => ({ entry, side: 'B' }))];
  const others = lonely.map(
    ({ entry: { name, dtype, shape }, side }) =>
      html`<tr><td>${printable(name)}</td><td>${dtype}</td><td>${shapeText(shape, false)}</td>${noMeasures}<td class="bad">only in ${side}</td></tr>`,
  );
  return html`<table>
<thead><tr><th>tensor</th><th>types</th><th>shape</th><th>different</th><th>max abs</th><th>max rel</th><th>SQNR</th><th>cosine</th><th></th></tr></thead>
<tbody>
${[...rows, ...others]}
</tbody>
</table>`;
}

const noMeasures = new Html('<td></td>'.repeat(5));

function measures({ outcome }: ComparedPair): Html {
  if (outcome.kind !== 'compared') return noMeasures;
  const { comparison } = outcome;
  const { maxAbs, maxRel, sqnr, cosine } = comparison;
  const cells = [
    differentText(comparison),
    valueText(maxAbs),
    valueText(maxRel),
    decibelText(sqnr),
    cosineText(cosine),
  ];
  return new Html(cells.map((cell) => html`<td class="number">${cell}</td>`.text).join(''));
}

function pairSection({ a, b, outcome }: ComparedPair, index: number): Html {
  if (outcome.kind !== 'compared') return html``;
  const { comparison, exponents, unit } = outcome;
  const { ulps, worst, meanSquaredError } = comparison;
  const errors = drawChart({
    title: `Errors in ${unitText(unit)}`,
    categories: ulps.map(({ ulps: end }) => ulpsText(end, false)),
    series: [{ name: 'elements', values: ulps.map(({ count }) => count) }],
    unit: 'elements',
    kind: 'bar',
    width: 470,
    height: 220,
  });
  const facts = [
    `${encodingText(a, false)} \u2192 ${encodingText(b, false)}`,
    shapeText(a.entry.shape, false),
    `mean squared error ${valueText(meanSquaredError)}`,
    ...mismatchTexts(comparison),
  ];
  const rows = worst.map(
    (element) =>
      html`<tr><td>${placeText(element.index, a.entry.shape)}</td><td class="number">${elementText(element.a)}</td><td class="number">${elementText(element.b)}</td><td class="number">${valueText(element.error)}</td></tr>`,
  );
  return html`<section>
<h2>${index + 1}. ${printable(a.entry.name)}</h2>
<p>${facts.join('; ')}</p>
<figure>${new Html(errors)}${exponents === null ? html`` : spreadChart(exponents)}</figure>
<table><thead><tr><th>worst elements</th><th>A</th><th>B</th><th>error</th></tr></thead><tbody>
${rows}
</tbody></table>
</section>`;
}

/** The maximum number of binades that a chart shows, starting with the highest one. */
const drawnBinades = 40;

/** A chart of how many elements each of the two tensors has in each binade. */
function spreadChart([a, b]: readonly [readonly ExponentCount[], readonly ExponentCount[]]): Html {
  const all = [...a, ...b].map(({ exponent }) => exponent);
  const highest = Math.max(...all);
  const lowest = Math.max(Math.min(...all), highest - drawnBinades + 1);
  if (!Number.isFinite(highest)) return html``;
  const exponents = Array.from({ length: highest - lowest + 1 }, (_, i) => lowest + i);
  const valuesOf = (counts: readonly ExponentCount[]): number[] => {
    const byExponent = new Map(counts.map(({ exponent, negative, positive }) => [exponent, negative + positive]));
    return exponents.map((exponent) => byExponent.get(exponent) ?? 0);
  };
  const chart = drawChart({
    title: 'Elements by binade',
    categories: exponents.map((exponent) => `2^${exponent}`),
    series: [
      { name: 'A', values: valuesOf(a) },
      { name: 'B', values: valuesOf(b) },
    ],
    unit: 'elements',
    kind: 'line',
    width: 470,
    height: 220,
  });
  return new Html(chart);
}

const stylesheet = `
body { font: 15px/1.5 system-ui, sans-serif; color: #222; max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.05rem; margin-top: 2.5rem; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: 2rem auto; } dt { font-weight: 600; } dd { margin: 0; overflow-wrap: anywhere; }
table { border-collapse: collapse; font-size: 0.85rem; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { text-align: left; padding: 0.2rem 0.8rem 0.2rem 0; border-bottom: 1px solid #e4e4e4; white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
.ok { color: #27713a; } .bad { color: #a33; } .same { color: #777; }
figure { margin: 1rem 0; display: flex; flex-wrap: wrap; gap: 1rem; } small { color: #777; }
`;
