/** Renders findings as a log in SARIF 2.1.0, the format in which code-scanning services exchange results. */
import { requireArgument } from '../../base/require.ts';
import { list, text as textRule } from '../../base/rules.ts';
import type { SourcePlace } from '../../base/source-place.ts';
import type { SourceText } from '../../base/source-text.ts';
import type { Span } from '../../base/span.ts';
import { type Code, catalog } from '../catalog.ts';
import type { CatalogEntry } from '../codes/entry.ts';
import type { Diagnostic } from '../diagnostic.ts';
import { type FileReport, requireReport } from './file-report.ts';

const schema = 'https://json.schemastore.org/sarif-2.1.0.json';

/**
 * Returns one log with a single run, which contains the findings of all reports; `version` is the version of the tool.
 * The location of a result is its position in the PTX. The caller can request positions in the source file that the PTX
 * was compiled from. If such a position was requested and is known, it becomes the location of the result, and the
 * position in the PTX becomes a related location.
 */
export function renderSarif(reports: readonly FileReport[], version: string): string {
  requireArgument('the reports', reports, list);
  reports.forEach(requireReport);
  requireArgument('the version', version, textRule);
  const codes = [...new Set(reports.flatMap(({ diagnostics }) => diagnostics.map(({ code }) => code)))].sort();
  const ruleIndex = new Map(codes.map((code, index) => [code, index]));
  const occurrences = new Map<string, number>();
  const results = reports.flatMap(({ source, diagnostics, placeOf }) =>
    diagnostics.map((diagnostic) => ({
      ruleId: diagnostic.code,
      ruleIndex: ruleIndex.get(diagnostic.code),
      level: diagnostic.severity,
      message: { text: diagnostic.help === null ? diagnostic.message : `${diagnostic.message}\n${diagnostic.help}` },
      ...locations(source, diagnostic.span, placeOf?.(diagnostic.span.start) ?? null),
      partialFingerprints: { 'ptxlab/v1': fingerprint(source, diagnostic, occurrences) },
      ...fixes(source, diagnostic),
    })),
  );
  const driver = { name: 'ptxlab', version, rules: codes.map(rule) };
  const run = { tool: { driver }, columnKind: 'utf16CodeUnits', results };
  return `${JSON.stringify({ $schema: schema, version: '2.1.0', runs: [run] }, null, 2)}\n`;
}

function rule(code: Code): object {
  const { title, explain, severity, section }: CatalogEntry = catalog[code];
  return {
    id: code,
    shortDescription: { text: title },
    fullDescription: { text: explain },
    help: { text: section === null ? explain : `${explain}\nPTX ISA 9.1, section ${section}.` },
    defaultConfiguration: { level: severity },
  };
}

function locations(source: SourceText, span: Span, place: SourcePlace | null): object {
  const inModule = { physicalLocation: { artifactLocation: artifact(source.name), region: region(source, span) } };
  if (place === null) return { locations: [inModule] };
  const { file, line, column } = place;
  const start = column === 0 ? { startLine: line } : { startLine: line, startColumn: column };
  return {
    locations: [{ physicalLocation: { artifactLocation: artifact(file), region: start } }],
    relatedLocations: [{ ...inModule, message: { text: 'in the PTX module' } }],
  };
}

function artifact(name: string): { readonly uri: string } {
  const path = name
    .replace(/\p{Surrogate}/gu, '\ufffd')
    .split('/')
    .map(encodeURIComponent)
    .join('/');
  return { uri: path.startsWith('/') ? `file://${path}` : path };
}

function region(source: SourceText, span: Span): object {
  const { line, column } = source.position(span.start);
  const end = source.position(span.end);
  return {
    startLine: line,
    startColumn: column,
    endLine: end.line,
    endColumn: end.column,
    charOffset: span.start,
    charLength: span.end - span.start,
  };
}

function fixes(source: SourceText, { fixes: found }: Diagnostic): object {
  if (found.length === 0) return {};
  const records = found.map(({ title, edits }) => {
    const replacements = edits.map(({ span, text }) => ({
      deletedRegion: region(source, span),
      insertedContent: { text },
    }));
    return {
      description: { text: title },
      artifactChanges: [{ artifactLocation: artifact(source.name), replacements }],
    };
  });
  return { fixes: records };
}

const longestMark = 200;

/**
 * A fingerprint that does not change when lines are added or removed above the finding. It is computed from the finding
 * and the text that it marks, plus a counter, in case the same finding with the same text occurs several times in a
 * file.
 */
function fingerprint(source: SourceText, { code, message, span }: Diagnostic, seen: Map<string, number>): string {
  const marked = source.text.slice(span.start, Math.min(span.end, span.start + longestMark));
  const key = `${source.name}\0${code}\0${message}\0${marked}`;
  const time = (seen.get(key) ?? 0) + 1;
  seen.set(key, time);
  return `${hash(key, 0x811c9dc5)}${hash(key, 0x01000193)}:${time}`;
}

/** FNV-1a over UTF-16 units. */
function hash(text: string, seed: number): string {
  let h = seed;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return (h >>> 0).toString(16).padStart(8, '0');
}
