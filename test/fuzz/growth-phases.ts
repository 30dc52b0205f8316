/**
 * The kinds of work that are measured to see how the time grows with the size of a text: checking, launching, and the
 * requests of editors and commands.
 */
import { diffModules, Document, flowGraphSvg } from '../../src/analysis.ts';
import { recordWarp } from '../../src/debug.ts';
import { Device, type LaunchOptions } from '../../src/device.ts';
import { readSettings } from '../../src/check/settings.ts';
import { checkEmbedded } from '../../src/embedded/check-embedded.ts';
import { explain } from '../../src/explain.ts';
import { check, diagnosticRecord, parse, print, renderPretty, renderSarif, SourceText } from '../../src/index.ts';
import { LanguageServer } from '../../src/lsp/server.ts';
import type { Shape } from './growth-shapes.ts';

export type Phase = (text: string, shape: Shape) => Promise<string> | string;

/** Launches the kernel named `k`. */
const launchWith =
  (options: LaunchOptions): Phase =>
  async (text, { block = 1 }) => {
    const device = await Device.create({ memory: 64 << 20 });
    const module = device.load(text);
    if (!module.kernelNames.includes('k')) return 'no kernel';
    const result = await module.kernel('k').launch({ block, ...options });
    return result.ok ? 'ok' : result.fault.code;
  };

export const phases: Readonly<Record<string, Phase>> = {
  check: (text) => `${check(text).diagnostics.length} findings`,
  load: async (text) => {
    const device = await Device.create({ memory: 64 << 20 });
    return `${device.load(text).kernelNames.length} kernels`;
  },
  jit: launchWith({ engine: 'jit' }),
  interp: launchWith({ engine: 'interp' }),
  races: launchWith({ races: 'report' }),
  record: async (text, { block = 1 }) => {
    const device = await Device.create({ memory: 64 << 20 });
    const module = device.load(text);
    if (!module.kernelNames.includes('k')) return 'no kernel';
    const recording = await recordWarp(module.kernel('k'), { block });
    const { length } = recording.steps;
    for (let i = 0; i < 8; i++) recording.registersAfter(Math.floor((length * i) / 8));
    return `${length} steps`;
  },
  print: (text) => `${print(parse(text).items).length} characters`,
  render: (text) => {
    const source = new SourceText(text);
    const report = { source, diagnostics: check(text).diagnostics };
    const records = report.diagnostics.map((found) => diagnosticRecord(source, found));
    return `${renderPretty(report).length + renderSarif([report], '0').length + records.length} characters`;
  },
  explain: (text) => explain(text).kind,
  open: (text) => `${new Document(text).diagnostics().length} findings`,
  edits: (text) => {
    const document = new Document(text);
    for (let i = 0; i < 16; i++) {
      const at = Math.floor((document.length * i) / 16);
      document.edit(at, at, ' ');
      document.diagnostics();
    }
    return 'ok';
  },
  tokens: (text) => {
    const document = new Document(text);
    return `${[...document.navigation.tokens(0, text.length)].length} tokens`;
  },
  outline: (text) => {
    const { navigation } = new Document(text);
    return `${navigation.symbols().length + navigation.folds().length} entries`;
  },
  format: (text) => `${new Document(text).navigation.format().length} edits`,
  names: (text) => {
    const { navigation } = new Document(text);
    const found = places(text).map((at) => navigation.places(at).length + (navigation.rename(at, 'other') ? 1 : 0));
    return `${found.reduce((sum, count) => sum + count, 0)} places`;
  },
  uses: (text) => {
    const { navigation } = new Document(text);
    for (const at of places(text)) {
      navigation.uses(at);
      navigation.selections(at);
      navigation.declarations(at);
      navigation.renameable(at);
    }
    return 'ok';
  },
  fixes: (text) => {
    const document = new Document(text);
    const found = document.diagnostics();
    for (const finding of found) {
      document.fixes(finding);
      document.related(finding);
    }
    return `${found.length} findings`;
  },
  headers: (text) => {
    const document = new Document(text);
    document.requirements();
    for (const at of places(text)) document.sourceAt(at);
    return `${document.kernels().length + document.functions().length + document.sourceLines().length} entries`;
  },
  graph: (text) => {
    const view = new Document(text).functionAt(text.indexOf('.entry k(') + 1);
    return view === null ? 'no view' : `${flowGraphSvg(view.flowGraph(), 'k').length} characters`;
  },
  embedded: (text) => {
    // The last characters of the text are different in each run. Adding these characters to each statement ensures that
    // no report comes from a cache.
    const run = text.slice(text.lastIndexOf('/') + 1);
    const statements = text.split('\n').map((line) => `asm(${JSON.stringify(`${line} // ${run}`)} : "=r"(x));`);
    return `${checkEmbedded(statements.join('\n'), 'cuda').diagnostics.length} findings`;
  },
  lsp: (text) => `${answersOf(text)} answers`,
  complete: (text) => {
    const document = new Document(text);
    for (const at of places(text)) {
      document.completions(at);
      document.signatures(at);
    }
    return 'ok';
  },
  diff: (text) => {
    const { functions, onlyInA } = diffModules(new Document(text), new Document(`${text}\n`));
    return `${functions.length} pairs, ${onlyInA.length} unmatched`;
  },
  view: (text) => {
    const document = new Document(text);
    const view = document.functionAt(text.indexOf('.entry k(') + 1);
    if (view === null) return 'no view';
    for (const at of places(text)) {
      view.hover(at);
      view.register(at);
    }
    return `${view.blocks().length + view.liveRegisters().length} facts`;
  },
};

/**
 * Offsets in different parts of the text. Half of them are offsets of registers, or of other words if the text contains
 * no registers; the others are arbitrary.
 */
function places(text: string): readonly number[] {
  const name = /%\w/.test(text) ? /(?<=%)\w/ : /\w/;
  return Array.from({ length: 8 }, (_, i) => Math.floor((text.length * i) / 8)).flatMap((start) => [
    start + Math.max(text.slice(start).search(name), 0),
    start + Math.floor(text.length / 16),
  ]);
}

const uri = 'file:///k.ptx';

const wholeFile = { start: { line: 0, character: 0 }, end: { line: 2 ** 31 - 1, character: 0 } };

/**
 * Sends a language server the requests that editors send about a file. Returns the number of messages from the server.
 */
function answersOf(text: string): number {
  let answers = 0;
  const due: (() => void)[] = [];
  const server = new LanguageServer({
    send: (message) => (answers += JSON.stringify(message) === '' ? 0 : 1),
    later: (work) => due.push(work),
    settingsFor: () => readSettings('{}').settings,
    version: '0',
  });
  const send = (message: object): void => {
    server.receive({ jsonrpc: '2.0', ...message });
    for (let work = due.shift(); work !== undefined; work = due.shift()) work();
  };
  const ask = (method: string, params: object): void =>
    send({ id: answers, method: `textDocument/${method}`, params: { textDocument: { uri }, ...params } });
  send({ id: 0, method: 'initialize', params: {} });
  const textDocument = { uri, languageId: 'ptx', version: 1, text };
  send({ method: 'textDocument/didOpen', params: { textDocument } });
  for (const method of ['documentSymbol', 'foldingRange', 'formatting', 'codeLens', 'semanticTokens/full'])
    ask(method, {});
  ask('codeAction', { range: wholeFile, context: { diagnostics: [] } });
  const source = new SourceText(text);
  for (const at of places(text)) {
    const { line, column } = source.position(at);
    const position = { line: line - 1, character: column - 1 };
    for (const method of ['hover', 'definition', 'declaration', 'documentHighlight']) ask(method, { position });
    ask('references', { position, context: { includeDeclaration: true } });
    ask('rename', { position, newName: 'other' });
    ask('selectionRange', { positions: [position] });
  }
  return answers;
}
