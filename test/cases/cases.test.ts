/**
 * Tests the syntax cases in text files. There is one file per subject, and anyone can add cases in this form:
 *
 *     # Title
 *     input
 *     ==>
 *     //! PTX1001 at 1:4
 *     the tree, as tree-text.ts writes it
 *
 * The first line of a file specifies how each input is turned into complete PTX source. With `%% statements`, the input
 * is put into the body of a function, and the expected tree shows only the statements. With `%% module`, it is put
 * after a header. With `%% file`, it is used as is. Positions are relative to the start of the input. If
 * `UPDATE_CASES=1` is set, the parser's output is written to the files; check the differences before you commit them.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SourceText } from '../../src/base/source-text.ts';
import { parseModule } from '../../src/syntax/parser.ts';
import type { Item } from '../../src/syntax/tree.ts';
import { readCases } from './read-cases.ts';
import { treeText } from './tree-text.ts';

const header = '.version 9.0 .target sm_100a .address_size 64';
const frames: Readonly<Record<string, { readonly before: string; readonly after: string }>> = {
  statements: { before: `${header} .func f() {`, after: '}' },
  module: { before: header, after: '' },
  file: { before: '', after: '' },
};

function outcome(frame: string, input: string): string {
  const { before, after } = frames[frame] as { before: string; after: string };
  const text = before === '' ? input : `${before}\n${input}\n${after}`;
  const skippedLines = before === '' ? 0 : 1;
  const { items, diagnostics } = parseModule(text);
  const source = new SourceText(text);
  const findings = diagnostics.map(({ code, span }) => {
    const { line, column } = source.position(span.start);
    return `//! ${code} at ${line - skippedLines}:${column}`;
  });
  return [...findings, treeText(shownItems(frame, items))].join('\n').trim();
}

function shownItems(frame: string, items: readonly Item[]): readonly object[] {
  if (frame === 'module') return items.slice(3);
  if (frame === 'file') return items;
  return items.flatMap((item) => (item.kind === 'function' && item.name === 'f' ? (item.body ?? []) : []));
}

const folder = new URL('.', import.meta.url);
for (const name of readdirSync(folder).filter((file) => file.endsWith('.txt'))) {
  const file = new URL(name, folder);
  const { frame, cases } = readCases(readFileSync(file, 'utf8'));
  if (process.env['UPDATE_CASES'] === '1') {
    const parts = cases.map(({ title, input }) => `# ${title}\n${input}\n==>\n${outcome(frame, input)}\n`);
    writeFileSync(file, `%% ${frame}\n\n${parts.join('\n')}`);
  }
  describe(name, () => {
    it.each(cases)('$title', ({ input, expected }) => {
      expect(outcome(frame, input)).toBe(expected);
    });
  });
}
