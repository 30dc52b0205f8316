/** The formats meant for other programs: ptxas, JSON, GitHub, SARIF. */
import { expect, test } from 'vitest';
import { SourceText } from '../../base/source-text.ts';
import { catalog } from '../catalog.ts';
import type { Diagnostic } from '../diagnostic.ts';
import { rewrite } from '../fix.ts';
import { renderGithub } from './github.ts';
import { diagnosticRecord } from './json.ts';
import { renderPtxas } from './ptxas.ts';
import { renderSarif } from './sarif.ts';

const text = '.version 8.0\n.target sm_70\ncvt.rn.bf16.f33 %h, %f;\n';
const source = new SourceText(text, 'dir/k 1.ptx');
const start = text.indexOf('.f33');

const found: Diagnostic = {
  code: 'PTX1001',
  severity: 'error',
  message: '100% wrong: .f33,\nreally',
  span: { start, end: start + 4 },
  help: null,
  fixes: [rewrite({ start, end: start + 4 }, '.f32')],
  accepted: [],
  section: '4.2',
  ptxas: "Unknown modifier '.f33'",
};

test('ptxas: one line per finding, and a closing line if there are errors', () => {
  const syntax: Diagnostic = { ...found, ptxas: "Parsing error near '%h': syntax error" };
  expect(renderPtxas({ source, diagnostics: [found, { ...found, severity: 'warning' }, syntax] })).toBe(
    [
      "ptxas dir/k 1.ptx, line 3; error   : Unknown modifier '.f33'",
      "ptxas dir/k 1.ptx, line 3; warning : Unknown modifier '.f33'",
      "ptxas dir/k 1.ptx, line 3; fatal   : Parsing error near '%h': syntax error",
      'ptxas fatal   : Ptx assembly aborted due to errors',
      '',
    ].join('\n'),
  );
});

test('ptxas: warnings alone do not abort', () => {
  const out = renderPtxas({ source, diagnostics: [{ ...found, severity: 'warning' }] });
  expect(out).toBe("ptxas dir/k 1.ptx, line 3; warning : Unknown modifier '.f33'\n");
});

test('JSON: positions count from 1, ends are exclusive, and help is always present', () => {
  expect(diagnosticRecord(source, found)).toEqual({
    code: 'PTX1001',
    severity: 'error',
    line: 3,
    column: 12,
    endLine: 3,
    endColumn: 16,
    message: '100% wrong: .f33,\nreally',
    help: null,
  });
});

test('GitHub: properties and data are escaped, so a message cannot start a command', () => {
  expect(renderGithub({ source: new SourceText(text, 'a,b:c.ptx'), diagnostics: [found] })).toBe(
    '::error file=a%2Cb%3Ac.ptx,line=3,endLine=3,col=12,endColumn=16,title=PTX1001 unexpected token::100%25 wrong: .f33,%0Areally\n',
  );
});

test('GitHub: a note becomes a notice, and columns are omitted if a finding spans several lines', () => {
  const wide: Diagnostic = { ...found, severity: 'note', message: 'm', help: 'h', span: { start: 0, end: 20 } };
  expect(renderGithub({ source, diagnostics: [wide] })).toBe(
    '::notice file=dir/k 1.ptx,line=1,endLine=2,title=PTX1001 unexpected token::m%0Ah\n',
  );
});

interface Log {
  readonly $schema: string;
  readonly version: string;
  readonly runs: readonly {
    readonly columnKind: string;
    readonly tool: {
      readonly driver: { readonly name: string; readonly version: string; readonly rules: readonly Rule[] };
    };
    readonly results: readonly Result[];
  }[];
}

interface Rule {
  readonly id: string;
  readonly shortDescription: { readonly text: string };
  readonly fullDescription: { readonly text: string };
  readonly defaultConfiguration: { readonly level: string };
}

interface Result {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly level: string;
  readonly locations: readonly { readonly physicalLocation: Readonly<Record<string, unknown>> }[];
  readonly partialFingerprints: Readonly<Record<string, string>>;
  readonly fixes: readonly unknown[];
}

function sarif(...diagnostics: readonly Diagnostic[]): Log['runs'][number] {
  const log = JSON.parse(renderSarif([{ source, diagnostics }], '1.2.3')) as Log;
  expect(log.version).toBe('2.1.0');
  expect(log.$schema).toMatch(/sarif-2\.1\.0/);
  expect(log.runs).toHaveLength(1);
  const [run] = log.runs;
  if (run === undefined) throw new Error('a SARIF log has one run');
  return run;
}

test('SARIF: the tool describes the rules it used in the words of the catalog', () => {
  const { tool, columnKind } = sarif(found, found);
  expect(columnKind).toBe('utf16CodeUnits');
  expect(tool.driver).toMatchObject({ name: 'ptxlab', version: '1.2.3' });
  expect(tool.driver.rules).toHaveLength(1);
  expect(tool.driver.rules[0]).toMatchObject({
    id: 'PTX1001',
    shortDescription: { text: catalog.PTX1001.title },
    fullDescription: { text: catalog.PTX1001.explain },
    defaultConfiguration: { level: 'error' },
  });
});

test('SARIF: a result has its rule, level, region and an escaped path', () => {
  const [result] = sarif({ ...found, severity: 'note' }).results as [Result];
  expect(result).toMatchObject({ ruleId: 'PTX1001', ruleIndex: 0, level: 'note' });
  expect(result.locations).toEqual([
    {
      physicalLocation: {
        artifactLocation: { uri: 'dir/k%201.ptx' },
        region: { startLine: 3, startColumn: 12, endLine: 3, endColumn: 16, charOffset: start, charLength: 4 },
      },
    },
  ]);
  expect(result.fixes).toHaveLength(1);
});

test('SARIF: fingerprints stay the same when a line is added, and repeats get different ones', () => {
  const [first, second] = sarif(found, found).results as [Result, Result];
  expect(first.partialFingerprints).not.toEqual(second.partialFingerprints);
  const moved = new SourceText(`// new\n${text}`, 'dir/k 1.ptx');
  const shifted = { ...found, span: { start: start + 7, end: start + 11 } };
  const log = JSON.parse(renderSarif([{ source: moved, diagnostics: [shifted] }], '1.2.3')) as Log;
  expect(log.runs[0]?.results[0]?.partialFingerprints).toEqual(first.partialFingerprints);
});

test('SARIF: without findings there is a run with no results', () => {
  expect(sarif().results).toEqual([]);
});
