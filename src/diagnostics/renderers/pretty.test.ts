import { expect, test } from 'vitest';
import { SourceText } from '../../base/source-text.ts';
import type { Diagnostic } from '../diagnostic.ts';
import { rewrite } from '../fix.ts';
import { renderPretty } from './pretty.ts';
import { plainStyle } from './style.ts';

function found(text: string, mark: string, extras: Partial<Diagnostic> = {}): Diagnostic {
  const start = text.indexOf(mark);
  return {
    code: 'PTX1001',
    severity: 'error',
    message: 'something is wrong here',
    span: { start, end: start + mark.length },
    help: null,
    fixes: [],
    accepted: [],
    section: null,
    ptxas: 'syntax error',
    ...extras,
  };
}

function render(text: string, ...diagnostics: readonly Diagnostic[]): string {
  return renderPretty({ source: new SourceText(text, 'k.ptx'), diagnostics });
}

test('a finding shows its line, carets, help, fix and section', () => {
  const text = '.version 8.0\n  cvt.rn.bf16.f33 %h, %f;\n';
  const fixes = [rewrite({ start: text.indexOf('.f33'), end: text.indexOf('.f33') + 4 }, '.f32')];
  expect(render(text, found(text, '.f33', { help: 'types have a dot and a width', fixes, section: '5.2' }))).toBe(
    [
      'error[PTX1001]: something is wrong here',
      ' --> k.ptx:2:14',
      '  |',
      '2 |   cvt.rn.bf16.f33 %h, %f;',
      '  |              ^^^^',
      '  = help: types have a dot and a width',
      '  = fix: write `.f32` for `.f33`',
      '  = see: PTX ISA 9.1, section 5.2',
      '',
      '',
    ].join('\n'),
  );
});

test('a fix that the help already spells out is not repeated', () => {
  const fixes = [rewrite({ start: 0, end: 3 }, 'exit')];
  const out = render('ret', found('ret', 'ret', { help: "did you mean 'exit'?", fixes }));
  expect(out).not.toContain('fix:');
});

test('carets stand under the marked text even after tabs and wide characters', () => {
  const text = '\tmov\t/*\u6f22*/ %r1;';
  const lines = render(text, found(text, '%r1')).split('\n');
  expect(lines[3]).toBe('1 |     mov /*\u6f22*/ %r1;');
  // The ideograph is one character but takes up two columns, so the carets are shifted by one.
  expect(lines[4]).toBe(`  | ${' '.repeat('    mov /*\u6f22*/ '.length + 1)}^^^`);
});

test('a span over several lines is marked up to the end of its first line', () => {
  const text = 'add.s32\n  %r1;';
  expect(render(text, found(text, 's32\n  %r1')).split('\n')[4]).toBe('  |     ^^^ ...');
});

test('a span at the very end marks the position after the last character', () => {
  const text = 'ret';
  const end = { start: 3, end: 3 };
  expect(
    render(text, found(text, 'ret', { span: end }))
      .split('\n')
      .slice(3, 5),
  ).toEqual(['1 | ret', '  |    ^']);
});

test('only the part of a long line around the span is shown', () => {
  const text = `${'a, '.repeat(500)}HERE${' , b'.repeat(500)}`;
  const lines = render(text, found(text, 'HERE')).split('\n');
  const frame = lines.at(3) ?? '';
  const marks = lines.at(4) ?? '';
  expect(frame).toMatch(/^1 \| \u2026.* HERE .*\u2026$/);
  expect(frame).toHaveLength(80);
  expect(frame.slice(marks.indexOf('^'), marks.lastIndexOf('^') + 1)).toBe('HERE');
});

test('the position after the end of a long line is marked too', () => {
  const text = 'x'.repeat(10_000);
  const lines = render(text, found(text, 'x', { span: { start: 10_000, end: 10_000 } })).split('\n');
  expect(lines[3]).toHaveLength(79);
  expect(lines[4]).toBe(`  |${' '.repeat(76)}^`);
});

test('a span longer than the terminal fills the rest of the line', () => {
  const text = `x${'y'.repeat(10_000)}`;
  const lines = render(text, found(text, 'y'.repeat(10_000))).split('\n');
  expect(lines[3]).toHaveLength(80);
  expect(lines[4]).toHaveLength(80);
});

test('control characters of the program never reach the terminal', () => {
  const text = 'mov \u001b[31m \u202e;\u0000';
  const out = render(text, found(text, '\u001b[31m', { message: 'unexpected \u001b[31m' }));
  expect(out).toContain('1 | mov \u241b[31m \ufffd;\u2400');
  for (const control of ['\u001b', '\u202e', '\u0000']) expect(out).not.toContain(control);
});

test('only the first three findings with the same code are shown, and the others are counted', () => {
  const text = 'x\n'.repeat(10);
  const many = Array.from({ length: 10 }, () => found(text, 'x'));
  const out = render(text, ...many, found(text, 'x', { code: 'PTX9999' as 'PTX1001', severity: 'warning' }));
  expect(out.match(/error\[PTX1001\]/g)).toHaveLength(3);
  expect(out).toContain('warning[PTX9999]');
  expect(out).toMatch(/\.\.\. and 7 more of PTX1001\n\n$/);
});

test('colors come only from the style', () => {
  const style = { ...plainStyle, error: (text: string): string => `<${text}>` };
  const text = 'x';
  const out = renderPretty({ source: new SourceText(text), diagnostics: [found(text, 'x')] }, { style });
  expect(out).toContain('<error[PTX1001]>: something');
  expect(out).toContain('<^>');
});

test('long help is wrapped with a hanging indent', () => {
  const text = 'x';
  const lines = render(text, found(text, 'x', { help: 'word '.repeat(30).trim() })).split('\n');
  expect(lines[5]).toMatch(/^ {2}= help: word/);
  expect(lines[6]).toMatch(/^ {10}word/);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
});

test('without findings nothing is printed', () => {
  expect(render('ret;')).toBe('');
});
