/** One pair of tensors in detail: errors by size, and the worst elements. */
import { printable } from '../../diagnostics/renderers/printable.ts';
import { alignColumns, folded } from '../columns.ts';
import type { ComparedPair } from '../../tensors/compare-files.ts';
import type { DiffLayout } from './layout.ts';
import { elementText, mismatchTexts, placeText, ulpsText, unitText } from './words.ts';
import { bar } from '../histogram-text.ts';
import { shapeText } from '../inspect/text.ts';
import { encodingText } from '../encoding-text.ts';
import { countText, percentText, valueText } from '../number-text.ts';
import { faintHead } from '../tensor-table.ts';

/** Width of the longest bar in columns. */
const barWidth = 30;

export function detailLines(pair: ComparedPair, layout: DiffLayout): readonly string[] {
  const { a, b, outcome } = pair;
  if (outcome.kind !== 'compared') return [];
  const { style, isAscii, width } = layout;
  const { ulps, worst, meanSquaredError } = outcome.comparison;
  const [from, to] = [encodingText(a, isAscii), encodingText(b, isAscii)];
  const types = from === to ? from : `${from} ${isAscii ? '->' : '\u2192'} ${to}`;
  const most = Math.max(1, ...ulps.map(({ count }) => count));
  const all = ulps.reduce((sum, { count }) => sum + count, 0);
  const errorRows = ulps.map(({ ulps: end, count }) => [
    ulpsText(end, isAscii),
    countText(count),
    percentText(count, all),
    bar(count / most, barWidth, isAscii),
  ]);
  const worstRows = worst.map((element) => [
    placeText(element.index, a.entry.shape),
    elementText(element.a),
    elementText(element.b),
    valueText(element.error),
    Number.isFinite(element.error) ? valueText(element.error / Math.abs(element.a)) : '',
  ]);
  return [
    ...folded(style.strong(printable(a.entry.name)), `${types}, ${shapeText(a.entry.shape, isAscii)}`, width),
    `  mean squared error ${valueText(meanSquaredError)}`,
    ...mismatchTexts(outcome.comparison).map((text) => `  ${text}`),
    ...faintHead(
      alignColumns([[unitText(outcome.unit), 'elements', '', ''], ...errorRows], ['right', 'right', 'right', 'left']),
      style,
    ),
    '',
    ...faintHead(
      alignColumns(
        [['worst', 'A', 'B', 'error', 'relative'], ...worstRows],
        ['left', 'right', 'right', 'right', 'right'],
      ),
      style,
    ),
  ];
}
