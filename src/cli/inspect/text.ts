/** The output of `inspect` in text form. */
import type { Summary } from '../../arrays/statistics/summary.ts';
import { printable } from '../../diagnostics/renderers/printable.ts';
import type { Style } from '../../diagnostics/renderers/style.ts';
import type { MetadataValue } from '../../tensors/tensor-file.ts';
import { alignColumns, folded, hanging } from '../columns.ts';
import { drawBinades, sparkline } from '../histogram-text.ts';
import type { InspectedTensor, Inspection } from './inspection.ts';
import { totalsOf } from './json.ts';
import { encodingText, starredType } from '../encoding-text.ts';
import { nonFiniteWords } from '../warnings.ts';
import { bytesText, countText, percentText, plural, valueText } from '../number-text.ts';
import { faintHead, type TensorColumn, tensorTable } from '../tensor-table.ts';

export interface InspectLayout {
  readonly style: Style;
  /** The width of the screen in columns. */
  readonly width: number;
  readonly isAscii: boolean;
  /**
   * Whether each tensor gets its own histogram; if undefined, a tensor gets one only if the file contains no other
   * tensors.
   */
  readonly withBinades: boolean | undefined;
  readonly withStatistics: boolean;
}

export function inspectionText(inspection: Inspection, layout: InspectLayout): string {
  const { tensors } = inspection;
  const inDetail = layout.withStatistics && (layout.withBinades ?? tensors.length === 1);
  const sections = [
    headingLines(inspection, layout),
    metadataLines(inspection, layout),
    ...(inDetail
      ? tensors.map((tensor) => detailLines(tensor, layout))
      : [tensorLines(tensors, layout), totalLines(inspection, layout), oddLines(tensors, layout)]),
  ];
  const texts = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${texts.join('\n\n')}\n`;
}

function headingLines({ input, model, tensors }: Inspection, { style, width }: InspectLayout): readonly string[] {
  const { file, path, size } = input;
  const elements = tensors.reduce((sum, { entry }) => sum + entry.elements, 0);
  const shards = new Set(file.tensors.map(({ shard }) => shard)).size;
  const all = model.tensors.length;
  const facts = [
    shards > 1 ? `${file.container} in ${shards} files` : file.container,
    tensors.length === all ? plural(all, 'tensor') : `${countText(tensors.length)} of ${plural(all, 'tensor')}`,
    plural(elements, 'element'),
    bytesText(size),
  ];
  return folded(`${style.strong(printable(path))}:`, facts.join(', '), width);
}

export function shapeText(shape: readonly number[], isAscii: boolean): string {
  return shape.length === 0 ? 'scalar' : shape.join(isAscii ? ' x ' : ' \u00d7 ');
}

function tensorLines(tensors: readonly InspectedTensor[], layout: InspectLayout): readonly string[] {
  const { style, isAscii, withStatistics } = layout;
  const isStarred = tensors.some(({ scales }) => scales !== null);
  const note = isStarred ? ['', style.faint('  * read with its scales; values and sizes include them')] : [];
  const columns = [
    { title: 'dtype', align: 'left', cell: starredType },
    { title: 'shape', align: 'right', cell: ({ entry }) => shapeText(entry.shape, isAscii), spare: 6 },
    ...(withStatistics
      ? sizeAndStatistics(style, isAscii)
      : ([
          { title: 'elements', align: 'right', cell: ({ entry }) => countText(entry.elements), spare: 1 },
          { title: 'size', align: 'right', cell: (tensor) => bytesText(sizeOf(tensor)), spare: 2 },
        ] satisfies readonly TensorColumn<InspectedTensor>[])),
  ] satisfies readonly TensorColumn<InspectedTensor>[];
  return [...tensorTable(columns, tensors, ({ entry }) => printable(entry.name), layout), ...note];
}

/**
 * Columns for which `spare` is set can be left out to save space: amax can be computed from min and max, and NaN and
 * infinities are also listed below the table.
 */
function sizeAndStatistics(style: Style, isAscii: boolean): readonly TensorColumn<InspectedTensor>[] {
  const number = (value: number | null): string => (value === null ? '-' : valueText(value));
  const odd = (count: number): string => (count === 0 ? '0' : style.warning(countText(count)));
  const of =
    (text: (summary: Summary) => string) =>
    ({ summary }: InspectedTensor): string =>
      summary === null ? '' : text(summary);
  return [
    { title: 'size', align: 'right', cell: (tensor) => bytesText(sizeOf(tensor)), spare: 4 },
    { title: 'min', align: 'right', cell: of(({ min }) => number(min)) },
    { title: 'max', align: 'right', cell: of(({ max }) => number(max)) },
    { title: 'amax', align: 'right', cell: of(({ amax }) => number(amax)), spare: 1 },
    { title: 'NaN', align: 'right', cell: of(({ nans }) => odd(nans)), spare: 2 },
    { title: 'inf', align: 'right', cell: of(({ infinities }) => odd(infinities)), spare: 3 },
    { title: '|x| by binade', align: 'left', cell: of(({ exponents }) => sparkline(exponents, isAscii)), spare: 5 },
  ];
}

/** The size of a tensor in bytes: the total size of the stored tensors that it consists of. */
function sizeOf({ parts }: InspectedTensor): number {
  return parts.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/**
 * Returns lines that list the tensors with NaNs or infinities. These lines follow the table, because a table can be
 * long.
 */
function oddLines(tensors: readonly InspectedTensor[], { style, width }: InspectLayout): string[] {
  const odd = tensors.flatMap(({ entry: { name }, summary }) => {
    const { nans, infinities } = summary ?? { nans: 0, infinities: 0 };
    return nans + infinities > 0 ? [nonFiniteWords(name, nans, infinities)] : [];
  });
  if (odd.length === 0) return [];
  const shown = odd.slice(0, namedOdd);
  const more = odd.length > shown.length ? [`  and ${countText(odd.length - shown.length)} more`] : [];
  return [
    style.warning(`NaN or infinity in ${plural(odd.length, 'tensor')}`),
    ...shown.flatMap((words) => hanging(words, width)),
    ...more,
  ];
}

/** The maximum number of tensors with NaN or infinity that are listed at the end. */
const namedOdd = 10;

function totalLines({ tensors }: Inspection, { style }: InspectLayout): string[] {
  const totals = totalsOf(tensors.flatMap(({ parts }) => parts));
  if (totals.length < 2) return [];
  const rows = totals.map(({ dtype, tensors: count, elements, bytes }) => [
    dtype,
    countText(count),
    countText(elements),
    bytesText(bytes),
  ]);
  const lines = alignColumns([['dtype', 'tensors', 'elements', 'size'], ...rows], ['left', 'right', 'right', 'right']);
  return faintHead(lines, style);
}

/** One line per key; long values are truncated, and lists show only their length. */
function metadataLines({ input }: Inspection, { style, width, isAscii }: InspectLayout): string[] {
  const entries = Object.entries(input.file.metadata).map(([key, value]) => [printable(key), metadataText(value)]);
  const ellipsis = isAscii ? '...' : '\u2026';
  return alignColumns(entries, ['left', 'left']).map((line) => {
    const cut = line.length + 2 > width ? line.slice(0, width - 2 - ellipsis.length) + ellipsis : line;
    return style.faint(`  ${cut}`);
  });
}

function metadataText(value: MetadataValue): string {
  if (typeof value === 'object') {
    return value.length > 8 ? `[${countText(value.length)} values]` : `[${value.map(metadataText).join(', ')}]`;
  }
  return printable(String(value));
}

/** One tensor with all its statistics and a line for each binade. */
function detailLines(tensor: InspectedTensor, { style, width, isAscii }: InspectLayout): readonly string[] {
  const { name, shape, elements } = tensor.entry;
  const { summary } = tensor;
  const type = encodingText(tensor, isAscii);
  const facts = [type, shapeText(shape, isAscii), plural(elements, 'element'), bytesText(sizeOf(tensor))].join(', ');
  const heading = folded(style.strong(printable(name)), facts, width);
  if (summary === null) return heading;
  const share = (count: number): string => `${countText(count)} (${percentText(count, elements)})`;
  const number = (value: number | null): string => (value === null ? '-' : valueText(value));
  const { min, max, amax, mean, zeros, subnormals, nans, infinities, exponents } = summary;
  const special = (count: number): string => (count === 0 ? '0' : style.warning(share(count)));
  const rows = [
    ['min', number(min), 'zeros', zeros === 0 ? '0' : share(zeros)],
    ['max', number(max), 'subnormals', subnormals === 0 ? '0' : share(subnormals)],
    ['amax', number(amax), 'NaN', special(nans)],
    ['mean', number(mean), 'infinities', special(infinities)],
  ];
  const binades = drawBinades(exponents, width - 2, isAscii);
  return [
    ...heading,
    ...alignColumns(rows, ['left', 'right', 'left', 'left']).map((line) => `  ${line}`),
    ...(binades.length === 0 ? [] : ['', ...faintHead(binades, style)]),
  ];
}
