/** The output of `diff` in text form. */
import { printable } from '../../diagnostics/renderers/printable.ts';
import type { TensorEntry } from '../../tensors/tensor-file.ts';
import { wrap } from '../../diagnostics/renderers/wrap.ts';
import { alignColumns, folded, hanging } from '../columns.ts';
import { detailLines } from './detail.ts';
import type { DiffLayout } from './layout.ts';
import type { ComparedPair } from '../../tensors/compare-files.ts';
import type { FileDiff } from './file-diff.ts';
import { complaints, isEqual, type Limits } from './verdict.ts';
import { decibelText, cosineText, differentText, typesText } from './words.ts';
import { nonFiniteWords } from '../warnings.ts';
import { shapeText } from '../inspect/text.ts';
import { countText, plural, valueText } from '../number-text.ts';
import { type TensorColumn, tensorTable } from '../tensor-table.ts';

/** Lists the differences, shows the worst ones in detail, and ends with the verdict. */
export function diffText(diff: FileDiff, limits: Limits, layout: DiffLayout): string {
  const { pairs, onlyInA, onlyInB } = diff;
  const different = pairs.filter((pair) => !isEqual(pair));
  const sections = [
    headingLines(diff, layout),
    onlyLines('A', onlyInA, layout),
    onlyLines('B', onlyInB, layout),
    ignoredLines(diff, layout),
    incomparableLines(different, layout),
    tableLines(different, layout),
    ...worstFirst(different)
      .slice(0, layout.details)
      .map((pair) => detailLines(pair, layout)),
    oddLines(diff, layout),
    verdictLines(diff, limits, layout),
  ];
  const texts = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${texts.join('\n\n')}\n`;
}

/**
 * Pairs whose values could be compared, with the lowest SQNR first; pairs with NaN or infinity mismatches precede all
 * others.
 */
export function worstFirst(pairs: readonly ComparedPair[]): readonly ComparedPair[] {
  const rank = ({ outcome }: ComparedPair): number => {
    if (outcome.kind !== 'compared') return Number.POSITIVE_INFINITY;
    const { nanMismatches, infinityMismatches, sqnr } = outcome.comparison;
    return nanMismatches + infinityMismatches > 0 || Number.isNaN(sqnr) ? Number.NEGATIVE_INFINITY : sqnr;
  };
  const compared = pairs.filter(({ outcome }) => outcome.kind === 'compared');
  return compared.sort((x, y) => (rank(x) < rank(y) ? -1 : Number(rank(x) > rank(y))));
}

function headingLines({ a, b }: FileDiff, { style, width }: DiffLayout): readonly string[] {
  const paths = alignColumns(
    [
      [printable(a.path), '|'],
      [printable(b.path), '|'],
    ],
    ['left', 'left'],
  );
  return [a, b].flatMap(({ file }, side) => {
    const path = (paths[side] ?? '').slice(0, -3);
    return folded(
      `${style.strong('AB'.charAt(side))}  ${path}`,
      `${file.container}, ${plural(file.tensors.length, 'tensor')}`,
      width,
    );
  });
}

function onlyLines(side: string, entries: readonly TensorEntry[], layout: DiffLayout): string[] {
  if (entries.length === 0) return [];
  const columns: readonly TensorColumn<TensorEntry>[] = [
    { title: 'dtype', align: 'left', cell: ({ dtype }) => dtype },
    { title: 'shape', align: 'right', cell: ({ shape }) => shapeText(shape, layout.isAscii) },
  ];
  return [
    layout.style.warning(`only in ${side}: ${plural(entries.length, 'tensor')}`),
    ...tensorTable(columns, entries, ({ name }) => printable(name), layout),
  ];
}

/** Reports how many scales of activations and caches were not compared because only one of the two files has them. */
function ignoredLines({ ignored }: FileDiff, { style }: DiffLayout): string[] {
  if (ignored.length === 0) return [];
  return [style.faint(`not compared: ${plural(ignored.length, 'scale')} of activations or caches`)];
}

/** The tensors that contain NaN or infinity. They are listed even if both files agree. */
function oddLines({ pairs }: FileDiff, { style, width }: DiffLayout): string[] {
  const odd = pairs.flatMap(({ a, b, outcome }) => {
    if (outcome.kind !== 'compared') return [];
    const { nansInA, nansInB, infinitiesInA, infinitiesInB } = outcome.specials;
    const inA = nansInA + infinitiesInA > 0 ? [`A  ${nonFiniteWords(a.entry.name, nansInA, infinitiesInA)}`] : [];
    const inB = nansInB + infinitiesInB > 0 ? [`B  ${nonFiniteWords(b.entry.name, nansInB, infinitiesInB)}`] : [];
    return [...inA, ...inB];
  });
  if (odd.length === 0) return [];
  const shown = odd.slice(0, namedComplaints);
  const more = odd.length > shown.length ? [`  and ${countText(odd.length - shown.length)} more`] : [];
  return [style.warning('NaN or infinity'), ...shown.flatMap((words) => hanging(words, width)), ...more];
}

/** Pairs that cannot be compared by value, because their shapes or types differ, or because they contain no numbers. */
function incomparableLines(pairs: readonly ComparedPair[], layout: DiffLayout): string[] {
  const { style, isAscii } = layout;
  const rows = pairs.flatMap((pair) => {
    const { a, b, outcome } = pair;
    const name = printable(a.entry.name);
    switch (outcome.kind) {
      case 'compared':
        return [];
      case 'shapes-differ':
        return [
          { name, words: `shape ${shapeText(a.entry.shape, isAscii)} against ${shapeText(b.entry.shape, isAscii)}` },
        ];
      case 'types-differ':
        return [{ name, words: `type ${a.entry.dtype} against ${b.entry.dtype}` }];
      case 'bytes':
        return [{ name, words: `different bytes of ${a.entry.dtype}` }];
    }
  });
  if (rows.length === 0) return [];
  return [
    style.warning(`not comparable: ${plural(rows.length, 'tensor')}`),
    ...tensorTable(
      [{ title: 'difference', align: 'left', cell: ({ words }) => words }],
      rows,
      (row) => row.name,
      layout,
    ),
  ];
}

function tableLines(pairs: readonly ComparedPair[], layout: DiffLayout): readonly string[] {
  const { isAscii } = layout;
  const rows = pairs.flatMap(({ outcome, ...pair }) => (outcome.kind === 'compared' ? [{ ...pair, ...outcome }] : []));
  if (rows.length === 0) return [];
  const columns: readonly TensorColumn<(typeof rows)[number]>[] = [
    { title: 'types', align: 'left', cell: (row) => typesText(row, isAscii), spare: 4 },
    { title: 'shape', align: 'right', cell: ({ a }) => shapeText(a.entry.shape, isAscii), spare: 3 },
    { title: 'different', align: 'right', cell: ({ comparison }) => differentText(comparison) },
    { title: 'max abs', align: 'right', cell: ({ comparison }) => valueText(comparison.maxAbs) },
    { title: 'max rel', align: 'right', cell: ({ comparison }) => valueText(comparison.maxRel), spare: 2 },
    { title: 'SQNR', align: 'right', cell: ({ comparison }) => decibelText(comparison.sqnr) },
    { title: 'cosine', align: 'right', cell: ({ comparison }) => cosineText(comparison.cosine), spare: 1 },
  ];
  return tensorTable(columns, rows, ({ a }) => printable(a.entry.name), layout);
}

/** Maximum number of tensors whose problems the verdict lists. */
const namedComplaints = 10;

function verdictLines({ pairs, onlyInA, onlyInB }: FileDiff, limits: Limits, { style, width }: DiffLayout): string[] {
  const refused = pairs.filter((pair) => complaints(pair, limits).length > 0);
  const equal = pairs.filter(isEqual).length;
  const within = pairs.length - equal - refused.length;
  const beyond = refused.filter((pair) => complaints(pair, limits).some((words) => words.includes('--')));
  const counts = [
    [equal, 'equal'],
    [within, 'different within the limits'],
    [beyond.length, 'beyond the limits'],
    [refused.length - beyond.length, 'different'],
    [onlyInA.length, 'only in A'],
    [onlyInB.length, 'only in B'],
  ] as const;
  const words = counts.filter(([count]) => count > 0).map(([count, word]) => `${countText(count)} ${word}`);
  const isFine = refused.length + onlyInA.length + onlyInB.length === 0;
  const named = beyond.slice(0, namedComplaints).flatMap((pair) => {
    return hanging(`${printable(pair.a.entry.name)}: ${complaints(pair, limits).join(', ')}`, width);
  });
  const more = beyond.length > namedComplaints ? [`  and ${beyond.length - namedComplaints} more`] : [];
  const summary = `tensors: ${words.join(', ') || 'none'}`;
  const lines = wrap(summary, width).map((line) => (isFine ? style.strong(line) : style.error(line)));
  return [...lines, ...named, ...more];
}
