import { describe, expect, it } from 'vitest';
import { readSettings } from '../check/settings.ts';
import { LanguageServer } from './server.ts';
import { at, isObject, listAt, numberAt, textAt } from '../base/json-values.ts';

const text = `.version 8.0
.target sm_80
.address_size 64
.entry k(.param .u64 out) {
  .reg .b32 %r<4>;
  .reg .b16 %h<2>;
  .reg .f32 %f<2>;
  mov.u32 %r1, %tid.x; // thread
  add.u32 %r2, %r1, 1;
  cvt.rn.satfinite.e4m3x2.f32 %h0, %f0, %f1;
  ret;
}
`;
const uri = 'file:///k.ptx';

/** A client with a simulated clock, which advances only while `settle` runs. */
class Client {
  readonly sent: object[] = [];
  private readonly due: (() => void)[] = [];
  private lastId = 0;
  readonly server: LanguageServer;

  constructor(settings = '{}') {
    this.server = new LanguageServer({
      send: (message) => this.sent.push(message),
      later: (work) => this.due.push(work),
      settingsFor: () => readSettings(settings).settings,
      version: '0',
    });
    this.ask('initialize', { capabilities: {} });
  }

  settle(): void {
    for (let work = this.due.shift(); work !== undefined; work = this.due.shift()) work();
  }

  notify(method: string, params: object): void {
    this.server.receive({ jsonrpc: '2.0', method, params });
    this.settle();
  }

  open(content = text): void {
    this.notify('textDocument/didOpen', { textDocument: { uri, languageId: 'ptx', version: 1, text: content } });
  }

  /** Sends a request about the open document, and returns the response. */
  ask(method: string, params: object = {}): unknown {
    this.server.receive({ jsonrpc: '2.0', id: ++this.lastId, method, params: { textDocument: { uri }, ...params } });
    this.settle();
    return this.sent.at(-1);
  }

  result(method: string, params: object = {}): unknown {
    return at(this.ask(method, params), 'result');
  }

  /** The codes of the findings that the server sent most recently. */
  codes(): readonly string[] | null {
    const last = this.sent.findLast((message) => textAt(message, 'method') === 'textDocument/publishDiagnostics');
    return last === undefined ? null : listAt(last, 'params', 'diagnostics').map((one) => textAt(one, 'code'));
  }
}

/** The position of the n-th occurrence of a substring in the text, counted from 0. */
function position(part: string, n = 0): { readonly position: object } {
  let offset = -1;
  for (let i = 0; i <= n; i++) offset = text.indexOf(part, offset + 1);
  const before = text.slice(0, offset).split('\n');
  return { position: { line: before.length - 1, character: before.at(-1)?.length ?? 0 } };
}

function opened(): Client {
  const client = new Client();
  client.open();
  return client;
}

const lineOf = (value: unknown): number => numberAt(value, 'range', 'start', 'line');
const wholeRange = { start: { line: 0, character: 0 }, end: { line: 12, character: 0 } };

describe('the findings of a document', () => {
  it('are sent when it is opened, after changes, and cleared when it is closed', () => {
    const client = new Client('{"pages": "https://example.org/why/"}');
    client.open();
    expect(client.codes()).toEqual(['PTX4002']);
    const [finding] = listAt(client.sent.at(-1), 'params', 'diagnostics');
    expect(textAt(finding, 'codeDescription', 'href')).toBe('https://example.org/why/PTX4002/');
    expect(lineOf(finding)).toBe(9);
    const range = { start: { line: 1, character: 8 }, end: { line: 1, character: 13 } };
    client.notify('textDocument/didChange', {
      textDocument: { uri, version: 2 },
      contentChanges: [
        { range, text: 'sm_89' },
        { range: { start: { line: 0, character: 9 }, end: { line: 0, character: 12 } }, text: '8.1' },
      ],
    });
    expect(client.codes()).toEqual([]);
    client.notify('textDocument/didClose', { textDocument: { uri } });
    expect(client.codes()).toEqual([]);
  });

  it('follow the settings of the workspace and the comments in the text', () => {
    const judged = new Client('{"target": "sm_90", "isa": "8.6"}');
    judged.open();
    expect(judged.codes()).toEqual([]);
    const silent = new Client('{"severities": {"PTX4002": "off"}}');
    silent.open();
    expect(silent.codes()).toEqual([]);
    const suppressed = new Client();
    suppressed.open(text.replace('%f1;', '%f1; // ptxlab-ignore PTX4002 chosen later'));
    expect(suppressed.codes()).toEqual([]);
  });

  it('are not made for other formats with the same file extension', () => {
    const client = new Client();
    client.open('<?xml version="1.0"?>\n<pretext/>\n');
    expect(client.codes()).toBeNull();
    expect(client.result('textDocument/documentSymbol')).toBeNull();
  });

  it('are made for text that does not begin like PTX', () => {
    const client = new Client();
    client.open(text.replace('.version', 'version'));
    expect(client.codes()).toContain('PTX1030');
  });

  it('have fixes', () => {
    const titles = listAt(
      opened().ask('textDocument/codeAction', { range: wholeRange, context: { diagnostics: [] } }),
      'result',
    );
    expect(titles.map((one) => textAt(one, 'title'))).toContain('Change .target to sm_89 and raise .version to 8.1');
  });
});

describe('questions about a place', () => {
  const client = opened();

  it('hover explains the variant', () => {
    expect(textAt(client.result('textDocument/hover', position('add.u32')), 'contents', 'value')).toContain('add.u32');
    expect(textAt(client.result('textDocument/hover', position('%r1', 1)), 'contents', 'value')).toContain(
      '.reg .b32 %r1',
    );
  });

  it('the definition of a register is where its value was written', () => {
    expect(listAt(client.ask('textDocument/definition', position('%r1', 1)), 'result').map(lineOf)).toEqual([7]);
    expect(listAt(client.ask('textDocument/declaration', position('%r1', 1)), 'result').map(lineOf)).toEqual([4]);
  });

  it('references and highlights are all places of the name', () => {
    const context = { context: { includeDeclaration: false } };
    const places = listAt(client.ask('textDocument/references', { ...position('%r1'), ...context }), 'result');
    expect(places.map(lineOf)).toEqual([7, 8]);
    const highlights = listAt(client.ask('textDocument/documentHighlight', position('%r1')), 'result');
    expect(highlights.map((one) => numberAt(one, 'kind'))).toEqual([1, 3, 2]);
  });

  it('renaming gives edits, or the reason why it is refused', () => {
    const found = client.result('textDocument/rename', { ...position('%r1'), newName: '%thread' });
    expect(listAt(found, 'changes', uri).map((one) => textAt(one, 'newText'))).toEqual([
      ' .reg .b32 %thread;',
      '%thread',
      '%thread',
    ]);
    const refused = client.ask('textDocument/rename', { ...position('%r1'), newName: '%h0' });
    expect(textAt(refused, 'error', 'message')).toContain('already used');
    expect(numberAt(client.result('textDocument/prepareRename', position('%r1')), 'start', 'line')).toBe(7);
  });

  it('signature help shows the operands, and which one is being written', () => {
    const help = client.result('textDocument/signatureHelp', position('%r1, 1'));
    expect(numberAt(help, 'activeParameter')).toBe(1);
    const [signature] = listAt(help, 'signatures');
    expect(textAt(signature, 'label')).toBe('add.u32 d, a, b');
    expect(listAt(signature, 'parameters')).toEqual([{ label: [8, 9] }, { label: [11, 12] }, { label: [14, 15] }]);
    expect(client.result('textDocument/signatureHelp', position('ret'))).toBeNull();
  });

  it('completion offers only what can become legal', () => {
    const { position: start } = position('.u32 %r2');
    const after = { position: { line: numberAt(start, 'line'), character: numberAt(start, 'character') + 1 } };
    const labels = listAt(client.ask('textDocument/completion', after), 'result', 'items').map((one) =>
      textAt(one, 'label'),
    );
    expect(labels).toContain('.u32');
    expect(labels).not.toContain('.e4m3x2');
  });
});

describe('questions about a document', () => {
  const client = opened();

  it('symbols, folds and selections show its structure', () => {
    expect(listAt(client.ask('textDocument/documentSymbol'), 'result').map((one) => textAt(one, 'name'))).toEqual([
      'k',
    ]);
    expect(listAt(client.ask('textDocument/foldingRange'), 'result')).toContainEqual({
      startLine: 3,
      endLine: 11,
      kind: 'region',
    });
    const [selection] = listAt(
      client.ask('textDocument/selectionRange', { positions: [position('%r2').position] }),
      'result',
    );
    expect(isObject(at(selection, 'parent', 'parent'))).toBe(true);
  });

  it('tokens of a range are those of the whole text, and changes are sent as edits', () => {
    const whole = client.result('textDocument/semanticTokens/full');
    expect(listAt(client.result('textDocument/semanticTokens/range', { range: wholeRange }), 'data')).toEqual(
      listAt(whole, 'data'),
    );
    const previousResultId = textAt(whole, 'resultId');
    client.notify('textDocument/didChange', {
      textDocument: { uri, version: 2 },
      contentChanges: [{ range: { start: { line: 10, character: 2 }, end: { line: 10, character: 5 } }, text: 'exit' }],
    });
    const delta = client.result('textDocument/semanticTokens/full/delta', { previousResultId });
    const [edit] = listAt(delta, 'edits');
    const data = [...listAt(whole, 'data')];
    data.splice(numberAt(edit, 'start'), numberAt(edit, 'deleteCount'), ...listAt(edit, 'data'));
    expect(data).toEqual(listAt(client.result('textDocument/semanticTokens/full'), 'data'));
  });

  it('formatting gives edits', () => {
    expect(listAt(opened().ask('textDocument/formatting'), 'result').length).toBeGreaterThan(0);
  });

  it('lenses show which source line the code comes from', () => {
    const located = new Client();
    located.open(text.replace('  mov.u32', '  .loc 1 42 3\n  mov.u32').concat('.file 1 "dir/scale.cu"\n'));
    const titles = listAt(located.ask('textDocument/codeLens'), 'result').map((one) => textAt(one, 'command', 'title'));
    expect(titles).toEqual(['scale.cu:42 · 4 instructions']);
  });
});

describe('more about an item or a finding', () => {
  it.each([
    ['cvt', 'cvt.frnd'],
    ['.satfinite', 'largest'],
    ['.e4m3x2', '448'],
  ])('%s is described when it is chosen in the list', (label, words) => {
    const resolved = opened().result('completionItem/resolve', { label });
    expect(textAt(resolved, 'documentation', 'value')).toContain(words);
  });

  it('leaves names as they are', () => {
    expect(opened().result('completionItem/resolve', { label: '%r1' })).toMatchObject({ label: '%r1' });
  });

  it('points to the header that rules an instruction out, and to the first declaration of a name', () => {
    const client = new Client();
    client.open(text.replace('  ret;', '  .reg .f32 %f<2>;\n  ret;'));
    const sent = client.sent.findLast((message) => textAt(message, 'method') === 'textDocument/publishDiagnostics');
    const related = listAt(sent, 'params', 'diagnostics').map((found) => [
      textAt(found, 'code'),
      ...listAt(found, 'relatedInformation').map((place) => [
        textAt(place, 'message'),
        numberAt(place, 'location', 'range', 'start', 'line'),
      ]),
    ]);
    expect(related).toEqual([
      ['PTX4002', ['the version of the module', 0], ['the target of the module', 1]],
      ['PTX5005', ['declared here first', 6]],
    ]);
  });
});

describe('the protocol', () => {
  it('answers initialize with its capabilities, and unknown requests with an error', () => {
    const client = new Client();
    expect(at(client.result('initialize', { capabilities: {} }), 'capabilities', 'renameProvider')).toBeDefined();
    expect(numberAt(client.ask('textDocument/moniker'), 'error', 'code')).toBe(-32601);
  });

  it('does not work on requests that were cancelled in time', () => {
    const client = opened();
    client.server.receive({ id: 'a', method: 'textDocument/formatting', params: { textDocument: { uri } } });
    client.server.receive({ id: 'b', method: 'textDocument/formatting', params: { textDocument: { uri } } });
    client.server.receive({ method: '$/cancelRequest', params: { id: 'b' } });
    client.settle();
    expect(numberAt(client.sent.at(-1), 'error', 'code')).toBe(-32800);
    expect(at(client.sent.at(-2), 'result')).toBeDefined();
  });

  it.each([
    ['before it is initialized', [], -32002],
    ['after it was shut down', ['initialize', 'shutdown'], -32600],
  ])('refuses requests %s', (_, before, code) => {
    const sent: object[] = [];
    const due: (() => void)[] = [];
    const send = (message: object): number => sent.push(message);
    const later = (work: () => void): number => due.push(work);
    const server = new LanguageServer({ send, later, settingsFor: () => readSettings('{}').settings, version: '0' });
    for (const method of [...before, 'textDocument/hover']) server.receive({ id: 1, method, params: {} });
    for (let work = due.shift(); work !== undefined; work = due.shift()) work();
    expect(numberAt(sent.at(-1), 'error', 'code')).toBe(code);
  });

  it('goes on after a change with a wrong range, and takes a range whose ends are swapped', () => {
    const client = opened();
    const change = (range: unknown, added: unknown): void =>
      client.notify('textDocument/didChange', {
        textDocument: { uri, version: 2 },
        contentChanges: [{ range, text: added }],
      });
    const [a, b] = [
      { line: 8, character: 2 },
      { line: 8, character: 5 },
    ];
    change({ start: b, end: a }, 'sub');
    expect(textAt(client.result('textDocument/hover', { position: a }), 'contents', 'value')).toContain('sub.u32');
    change({ start: { line: 'x' }, end: null }, 7);
    expect(client.ask('textDocument/hover', { position: a })).toMatchObject({ result: { contents: {} } });
  });

  it('ends with 0 if it was asked to shut down', () => {
    const client = opened();
    client.ask('shutdown');
    client.notify('exit', {});
    expect(client.server.exitCode).toBe(0);
  });
});
