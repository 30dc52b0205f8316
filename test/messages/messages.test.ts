/**
 * Tests the messages for common mistakes. The mistakes are read from a file, whose format is described in
 * cases.test.ts. Each statement is placed in the body of a kernel that declares registers of every width. Each mistake
 * must lead to exactly one finding, at the place that has to be changed. If a fix is offered, the module must have no
 * findings after applying it. `UPDATE_CASES=1` makes the test write the checker's output to the file; in that case,
 * review the changes to the file before you commit them.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { SourceText } from '../../src/base/source-text.ts';
import { check } from '../../src/check/check.ts';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { edited } from '../../src/diagnostics/fix.ts';
import { readCases } from '../cases/read-cases.ts';

const registers =
  '.reg .pred %p<4>; .reg .b16 %rs<4>; .reg .f16 %h<4>; .reg .b32 %r<10>; .reg .f32 %f<10>; .reg .b64 %rd<10>; .reg .f64 %fd<10>;';
const before = `.version 9.0\n.target sm_100a\n.address_size 64\n.entry k(.param .u64 p) {\n${registers}\n`;
const skippedLines = before.split('\n').length - 1;

function moduleOf(frame: string, input: string): string {
  return frame === 'statements' ? `${before}${input}\nret;\n}\n` : input;
}

function findings(frame: string, input: string): readonly Diagnostic[] {
  return check(moduleOf(frame, input)).diagnostics;
}

function outcome(frame: string, input: string): string {
  const source = new SourceText(moduleOf(frame, input));
  const lines = findings(frame, input).flatMap(({ code, span, message, help, fixes }) => {
    const { line, column } = source.position(span.start);
    const place = `${line - (frame === 'statements' ? skippedLines : 0)}:${column}`;
    return [
      `${code} at ${place}: ${message}`,
      ...(help === null ? [] : [`  help: ${help}`]),
      ...fixes.flatMap(({ edits }) => edits).map(({ text }) => `  fix: ${text === '' ? '(removed)' : text}`),
    ];
  });
  return lines.join('\n');
}

describe.each(['statements.txt', 'modules.txt'])('%s', (name) => {
  const url = new URL(name, import.meta.url);
  const { frame, cases } = readCases(readFileSync(url, 'utf8'));

  if (process.env['UPDATE_CASES'] === '1') {
    const texts = cases.map(({ title, input }) => `# ${title}\n${input}\n==>\n${outcome(frame, input)}\n`);
    writeFileSync(url, `%% ${frame}\n\n${texts.join('\n')}`);
  }

  it.each(cases)('$title', ({ input, expected }) => {
    expect(outcome(frame, input)).toBe(expected);
  });

  it.each(cases)('one finding, and a fix that resolves it: $title', ({ input }) => {
    const found = findings(frame, input);
    expect(found).toHaveLength(1);
    for (const { edits } of found[0]?.fixes ?? []) {
      expect(check(edited(moduleOf(frame, input), edits)).diagnostics).toEqual([]);
    }
  });
});
