import { requireOptions } from '../../base/require.ts';
import { number, type RulesFor } from '../../base/rules.ts';
import { withDemangled } from '../../base/demangle/demangle.ts';
import type { SourceText } from '../../base/source-text.ts';
import type { Span } from '../../base/span.ts';
import type { Diagnostic } from '../diagnostic.ts';
import type { Edit } from '../fix.ts';
import { type FileReport, requireReport } from './file-report.ts';
import { type Frame, frameOf } from './frame.ts';
import { printable } from './printable.ts';
import { sourcePlaceText } from './source-place.ts';
import { plainStyle, type Style, styleRule } from './style.ts';
import { wrap } from './wrap.ts';

export interface PrettyOptions {
  readonly style?: Style;
  /** Width of the terminal in columns. Default 80. */
  readonly width?: number;
  /** Number of findings with the same code that are shown in full; additional findings are only counted. Default 3. */
  readonly repeats?: number;
}

const prettyRules: RulesFor<PrettyOptions> = { style: styleRule, width: number, repeats: number };

/**
 * Renders findings for human readers: an excerpt of the source with carets, followed by the help, the fix and the
 * section. The text ends with a newline unless it is empty.
 */
export function renderPretty(report: FileReport, options: PrettyOptions = {}): string {
  requireReport(report);
  requireOptions(options, prettyRules, 'renderPretty');
  const style = options.style ?? plainStyle;
  const width = Math.max(40, options.width ?? 80);
  const repeats = options.repeats ?? 3;
  const seen = new Map<string, number>();
  let text = '';
  for (const diagnostic of report.diagnostics) {
    const count = (seen.get(diagnostic.code) ?? 0) + 1;
    seen.set(diagnostic.code, count);
    if (count <= repeats) text += `${renderOne(report, diagnostic, style, width).join('\n')}\n\n`;
  }
  const hidden = [...seen].filter(([, count]) => count > repeats);
  for (const [code, count] of hidden) text += style.faint(`... and ${count - repeats} more of ${code}\n`);
  return hidden.length > 0 ? `${text}\n` : text;
}

function renderOne(report: FileReport, diagnostic: Diagnostic, style: Style, width: number): readonly string[] {
  const { source } = report;
  const paint = style[diagnostic.severity];
  const { frame, gutter } = framed(source, diagnostic.span, { paint, style, width });
  return [
    `${paint(`${diagnostic.severity}[${diagnostic.code}]`)}${style.strong(`: ${printable(withDemangled(diagnostic.message))}`)}`,
    ...frame,
    ...footer(report, diagnostic).flatMap((one) => note(one, gutter, style, width)),
  ];
}

interface FrameOptions {
  readonly paint: (text: string) => string;
  readonly style: Style;
  readonly width: number;
}

/**
 * Shows the position of a span, the line on which it begins, and carets under it. `gutter` is the indentation for the
 * notes that follow.
 */
export function framed(
  source: SourceText,
  span: Span,
  { paint, style, width }: FrameOptions,
): { readonly frame: readonly string[]; readonly gutter: string } {
  const digits = String(source.position(span.start).line).length;
  const frame = frameOf(source, span, width - digits - 3);
  const gutter = ' '.repeat(digits);
  const rule = style.faint('|');
  const lines = [
    `${gutter}${style.faint('-->')} ${printable(source.name)}:${frame.line}:${frame.column}`,
    `${gutter} ${rule}`,
    trimEnd(`${style.faint(String(frame.line))} ${rule} ${frame.text}`),
    `${gutter} ${rule} ${' '.repeat(frame.caretStart)}${paint(carets(source, span, frame))}`,
  ];
  return { frame: lines, gutter };
}

/** A note under a frame, wrapped: `= help: …`. */
export function note([label, words]: Note, gutter: string, style: Style, width: number): readonly string[] {
  const [first = '', ...rest] = wrap(words, width - gutter.length - label.length - 3);
  const indent = ' '.repeat(gutter.length + label.length + 3);
  return [`${gutter} ${style.faint('=')} ${style.strong(label)}${first}`, ...rest.map((line) => indent + line)];
}

/** If a span continues on the next line, the carets are followed by dots. */
function carets(source: SourceText, span: Span, { line, caretWidth }: Frame): string {
  const last = Math.max(span.start, span.end - 1);
  return '^'.repeat(caretWidth) + (source.position(last).line > line ? ' ...' : '');
}

type Note = readonly [label: string, words: string];

function footer({ source, placeOf }: FileReport, { help, fixes, section, span }: Diagnostic): readonly Note[] {
  const notes: Note[] = [];
  const place = placeOf?.(span.start) ?? null;
  if (place !== null) notes.push(['source: ', printable(sourcePlaceText(place))]);
  if (help !== null) notes.push(['help: ', printable(help)]);
  // No line about the fix is needed if the help already contains the replacement.
  const [edit] = fixes[0]?.edits ?? [];
  if (edit !== undefined && help?.includes(edit.text) !== true)
    notes.push(['fix: ', printable(describeEdit(source, edit))]);
  if (section !== null) notes.push(['see: ', `PTX ISA 9.1, section ${section}`]);
  return notes;
}

const longestQuote = 60;

function describeEdit(source: SourceText, { span, text }: Edit): string {
  const old = source.text.slice(span.start, Math.min(span.end, span.start + longestQuote));
  const quote = span.end - span.start > longestQuote ? `${old}...` : old;
  if (old === '') return `insert \`${text}\``;
  return text === '' ? `remove \`${quote}\`` : `write \`${text}\` for \`${quote}\``;
}

function trimEnd(line: string): string {
  return line.replace(/ +$/, '');
}
