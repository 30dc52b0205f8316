/** The output of `diff` for two modules in text form. */
import {
  type BlockDiff,
  type DeclarationDiff,
  demangle,
  type Document,
  type FunctionDiff,
  type FunctionPlace,
  type MnemonicCount,
} from '../../analysis.ts';
import { printable, toCells } from '../../diagnostics/renderers/printable.ts';
import { wrap } from '../../diagnostics/renderers/wrap.ts';
import { alignColumns, folded, hanging } from '../columns.ts';
import { countText, plural } from '../number-text.ts';
import { tensorTable } from '../tensor-table.ts';
import type { DiffLayout } from './layout.ts';
import { countsOf } from './module-facts.ts';
import { oneLine } from './module-json.ts';
import type { ModuleFilesDiff, NamedModule } from './module-files-diff.ts';

/** Limits on how much is shown; the output of `--json` is complete. */
const [mostNames, mostLines, mostMnemonics] = [20, 30, 10];

/** Lists the differences, shows the functions with the most differences in detail, and ends with the verdict. */
export function moduleDiffText(diff: ModuleFilesDiff, layout: DiffLayout): string {
  const different = diff.functions.filter(({ isSame }) => !isSame).toSorted((x, y) => changes(y) - changes(x));
  const sections = [
    headingLines(diff, layout),
    declarationLines(diff.declarations, layout),
    onlyLines('A', diff.onlyInA, layout),
    onlyLines('B', diff.onlyInB, layout),
    tableLines(different, layout),
    ...different.slice(0, layout.details).map((one) => detailLines(one, diff, layout)),
    different.length > 1 ? mnemonicLines('all functions', diff.mnemonics, layout) : [],
    verdictLines(diff, layout),
  ];
  const texts = sections.filter((lines) => lines.length > 0).map((lines) => lines.join('\n'));
  return `${texts.join('\n\n')}\n`;
}

function changes(diff: FunctionDiff): number {
  const { changed, removed, added } = countsOf(diff);
  return changed + removed + added + diff.declarations.length;
}

function titleOf({ name }: FunctionPlace): string {
  return printable(demangle(name) ?? name);
}

function headingLines({ files }: ModuleFilesDiff, { style, width }: DiffLayout): readonly string[] {
  const heading = (side: string, { path, document }: NamedModule): readonly string[] =>
    folded(`${style.strong(side)}  ${printable(path)}`, plural(document.functions().length, 'function'), width);
  return [...heading('A', files.a), ...heading('B', files.b)];
}

/** The declarations of module A, marked with `-`, and those of module B, marked with `+`. */
function declarationLines(diffs: readonly DeclarationDiff[], { style, width }: DiffLayout): readonly string[] {
  const lines = diffs.slice(0, mostNames).flatMap(({ name, a, b }) => {
    const worded = (text: string): string => (text.includes(name) ? text : `${name} ${text}`);
    return [
      ...(a === null ? [] : [style.error(cut(`  - ${worded(a)}`, width))]),
      ...(b === null ? [] : [style.note(cut(`  + ${worded(b)}`, width))]),
    ];
  });
  return diffs.length > mostNames ? [...lines, moreLine(diffs.length - mostNames, 'declaration')] : lines;
}

function moreLine(count: number, noun: string): string {
  return `  and ${plural(count, `more ${noun}`)}`;
}

function onlyLines(side: string, functions: readonly FunctionPlace[], { style, width }: DiffLayout): string[] {
  if (functions.length === 0) return [];
  const more = functions.length > mostNames ? [moreLine(functions.length - mostNames, 'function')] : [];
  return [
    style.warning(`only in ${side}: ${plural(functions.length, 'function')}`),
    ...functions.slice(0, mostNames).map((one) => cut(`  ${titleOf(one)}`, width)),
    ...more,
  ];
}

function tableLines(functions: readonly FunctionDiff[], layout: DiffLayout): readonly string[] {
  if (functions.length === 0) return [];
  const rows = functions.map((diff) => ({ diff, counts: countsOf(diff) }));
  type Row = (typeof rows)[number];
  const column = (title: string, count: (row: Row) => number, spare?: number) => ({
    title,
    align: 'right' as const,
    cell: (row: Row) => countText(count(row)),
    ...(spare === undefined ? {} : { spare }),
  });
  const table = tensorTable(
    [
      column('A', ({ counts }) => counts.a, 1),
      column('B', ({ counts }) => counts.b, 1),
      column('same', ({ counts }) => counts.same),
      column('changed', ({ counts }) => counts.changed),
      column('removed', ({ counts }) => counts.removed),
      column('added', ({ counts }) => counts.added),
    ],
    rows,
    ({ diff }) => titleOf(diff.a),
    layout,
  );
  return [
    layout.style.warning(`different: ${plural(functions.length, 'function')}; numbers of instructions`),
    ...table,
  ];
}

function detailLines(diff: FunctionDiff, { files }: ModuleFilesDiff, layout: DiffLayout): readonly string[] {
  const { style, width } = layout;
  const renamed = diff.a.name === diff.b.name ? [] : hanging(`named ${titleOf(diff.b)} in B`, width);
  const shown = diff.blocks.filter(({ lines }) => lines.some(({ kind }) => kind !== 'same'));
  const lines = shown.flatMap((block) => blockLines(block, files.a.document, files.b.document, layout));
  const more =
    lines.length > mostLines ? [`  and ${plural(lines.length - mostLines, 'more line')}; --json has all`] : [];
  return [
    style.strong(cut(titleOf(diff.a), width)),
    ...renamed,
    ...declarationLines(diff.declarations, layout),
    ...lines.slice(0, mostLines),
    ...more,
    ...mnemonicLines('mnemonics', diff.mnemonics, layout),
  ];
}

/** The position of a block, followed by the lines that differ, with their line numbers. */
function blockLines({ a, b, lines }: BlockDiff, inA: Document, inB: Document, layout: DiffLayout): readonly string[] {
  const { style, width } = layout;
  const place = (block: BlockDiff['a'], document: Document): string => {
    if (block === null) return '';
    const [label] = block.labels;
    return `line ${document.position(block.start).line}${label === undefined ? '' : ` (${printable(label)})`}`;
  };
  const sides = [...(a === null ? [] : [`A ${place(a, inA)}`]), ...(b === null ? [] : [`B ${place(b, inB)}`])];
  const whose = a === null ? ', only in B' : b === null ? ', only in A' : '';
  const heading = `  block at ${sides.join(', ')}${whose}`;
  const texts = lines.flatMap((line): readonly string[] => {
    if (line.kind === 'same') return [];
    return [
      ...(line.a === null ? [] : [style.error(sourceLine('-', line.a, inA, width))]),
      ...(line.b === null ? [] : [style.note(sourceLine('+', line.b, inB, width))]),
    ];
  });
  return [style.faint(cut(heading, width)), ...texts];
}

function sourceLine(
  sign: string,
  { start, end }: { start: number; end: number },
  document: Document,
  width: number,
): string {
  const { line } = document.position(start);
  return cut(`  ${String(line).padStart(6)} ${sign} ${printable(oneLine(document.slice(start, end)))}`, width);
}

function mnemonicLines(title: string, mnemonics: readonly MnemonicCount[], { style }: DiffLayout): readonly string[] {
  if (mnemonics.length === 0) return [];
  const shown = mnemonics.slice(0, mostMnemonics);
  const signed = (change: number): string => (change > 0 ? `+${countText(change)}` : countText(change));
  const rows = shown.map(({ mnemonic, a, b }) => ['', mnemonic, countText(a), countText(b), signed(b - a)]);
  const [head = '', ...lines] = alignColumns(
    [['', title, 'A', 'B', 'change'], ...rows],
    ['left', 'left', 'right', 'right', 'right'],
  );
  const left = mnemonics.length - shown.length;
  return [style.faint(head), ...lines, ...(left > 0 ? [moreLine(left, 'mnemonic')] : [])];
}

function verdictLines(diff: ModuleFilesDiff, { style, width }: DiffLayout): readonly string[] {
  const same = diff.functions.filter(({ isSame }) => isSame).length;
  const counts = [
    [same, 'the same'],
    [diff.functions.length - same, 'different'],
    [diff.onlyInA.length, 'only in A'],
    [diff.onlyInB.length, 'only in B'],
    [diff.unread.length, 'not compared'],
  ] as const;
  const words = counts.filter(([count]) => count > 0).map(([count, word]) => `${countText(count)} ${word}`);
  const declarations =
    diff.declarations.length > 0 ? `; declarations: ${countText(diff.declarations.length)} different` : '';
  const summary = `functions: ${words.join(', ') || 'none'}${declarations}`;
  return wrap(summary, width).map((line) => (diff.isSame ? style.strong(line) : style.error(line)));
}

/** The whole text if it fits; otherwise as much as fits before an ellipsis. */
function cut(text: string, width: number): string {
  const cells = toCells(text);
  return cells.length <= width ? text : `${cells.slice(0, width - 3).join('')}...`;
}
