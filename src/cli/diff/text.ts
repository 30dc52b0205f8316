/** The output of `diff` for people. */
import { printable } from '../../diagnostics/renderers/printable.ts';
import type { TensorEntry } from '../../tensors/tensor-file.ts';
import { alignColumns } from '../columns.ts';
import { detailLines } from './detail.ts';
import type { DiffLayout } from './layout.ts';
import type { ComparedPair } from '../../tensors/compare-files.ts';
import type { FileDiff } from './file-diff.ts';
import { complaints, isEqual, type Limits } from './verdict.ts';
import { decibelText, cosineText, differentText, typesText } from './words.ts';
import { nonFiniteWords } from '../warnings.ts';
import { faintHead, plural, shapeText } from '../inspect/text.ts';
import { countText, valueText } from '../number-text.ts';

/** Lists the differences, shows the worst in detail, and ends with the verdict. */
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

/** Pairs whose numbers were compared, lowest SQNR first; pairs with NaN or infinity mismatches come before all. */
export function worstFirst(pairs: readonly ComparedPair[]): readonly ComparedPair[] {
  const rank = ({ outcome }: ComparedPair): number => {
    if (outcome.kind !== 'compared') return Number.POSITIVE_INFINITY;
    const { nanMismatches, infinityMismatches, sqnr } = outcome.comparison;
    return nanMismatches + infinityMismatches > 0 || Number.isNaN(sqnr) ? Number.NEGATIVE_INFINITY : sqnr;
  };
  const compared = pairs.filter(({ outcome }) => outcome.kind === 'compared');
  return compared.sort((x, y) => (rank(x) < rank(y) ? -1 : Number(rank(x) > rank(y))));
}

function headingLines({ a, b }: FileDiff, { style }: DiffLayout): string[] {
  const rows = [a, b].map(({ path, file }, side) => [
    style.strong('AB'.charAt(side)),
    printable(path),
    `${file.container}, ${plural(file.tensors.length, 'tensor')}`,
  ]);
  return [...alignColumns(rows, ['left', 'left', 'left'])];
}

function onlyLines(side: string, entries: readonly TensorEntry[], { style, isAscii }: DiffLayout): string[] {
  if (entries.length === 0) return [];
  const rows = entries.map(({ dtype, shape, name }) => [dtype, shapeText(shape, isAscii), printable(name)]);
  return [
    style.warning(`only in ${side}: ${plural(entries.length, 'tensor')}`),
    ...alignColumns(rows, ['left', 'right', 'left']).map((line) => `  ${line}`),
  ];
}

/** Scales of activations, which only the quantized model has. */
function ignoredLines({ ignored }: FileDiff, { style }: DiffLayout): string[] {
  if (ignored.length === 0) return [];
  return [style.faint(`not compared: ${plural(ignored.length, 'scale')} of activations or caches`)];
}

/** Tensors with NaN or infinity, even if both sides have the same. */
function oddLines({ pairs }: FileDiff, { style }: DiffLayout): string[] {
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
  return [style.warning('NaN or infinity'), ...shown.map((words) => `  ${words}`), ...more];
}

/** Tensors that differ before any number is compared, or that hold no numbers. */
function incomparableLines(pairs: readonly ComparedPair[], { style, isAscii }: DiffLayout): string[] {
  const rows = pairs.flatMap((pair) => {
    const { a, b, outcome } = pair;
    const name = printable(a.entry.name);
    switch (outcome.kind) {
      case 'compared':
        return [];
      case 'shapes-differ':
        return [[`shape ${shapeText(a.entry.shape, isAscii)} against ${shapeText(b.entry.shape, isAscii)}`, name]];
      case 'types-differ':
        return [[`type ${a.entry.dtype} against ${b.entry.dtype}`, name]];
      case 'bytes':
        return [[`different bytes of ${a.entry.dtype}`, name]];
    }
  });
  if (rows.length === 0) return [];
  return [
    style.warning(`not comparable: ${plural(rows.length, 'tensor')}`),
    ...alignColumns(rows, ['left', 'left']).map((line) => `  ${line}`),
  ];
}

function tableLines(pairs: readonly ComparedPair[], { style, isAscii }: DiffLayout): string[] {
  const head = ['types', 'shape', 'different', 'max abs', 'max rel', 'SQNR', 'cosine', 'name'];
  const rows = pairs.flatMap((pair) => {
    if (pair.outcome.kind !== 'compared') return [];
    const { comparison } = pair.outcome;
    const { maxAbs, maxRel, sqnr, cosine } = comparison;
    return [
      [
        typesText(pair, isAscii),
        shapeText(pair.a.entry.shape, isAscii),
        differentText(comparison),
        valueText(maxAbs),
        valueText(maxRel),
        decibelText(sqnr),
        cosineText(cosine),
        printable(pair.a.entry.name),
      ],
    ];
  });
  if (rows.length === 0) return [];
  const numbers = Array.from({ length: head.length - 2 }, () => 'right' as const);
  return faintHead(alignColumns([head, ...rows], ['left', ...numbers, 'left']), style);
}

/** Tensors that the verdict names, with their problems. */
const namedComplaints = 10;

function verdictLines({ pairs, onlyInA, onlyInB }: FileDiff, limits: Limits, { style }: DiffLayout): string[] {
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
  const named = beyond.slice(0, namedComplaints).map((pair) => {
    return `  ${printable(pair.a.entry.name)}: ${complaints(pair, limits).join(', ')}`;
  });
  const more = beyond.length > named.length ? [`  and ${beyond.length - named.length} more`] : [];
  const summary = `tensors: ${words.join(', ') || 'none'}`;
  return [isFine ? style.strong(summary) : style.error(summary), ...named, ...more];
}
