import { describe, expect, it, test } from 'vitest';
import { at, listAt, numberAt, textAt } from '../base/json-values.ts';
import { readSettings } from '../check/settings.ts';
import { LanguageServer } from './server.ts';

const uri = 'file:///kernel.cu';
const statement = 'asm("{\\n\\t.reg .pred p;\\n\\tsetp.ne.u32 p, %1, 0;\\n\\t@p mov.u3 %0, 1; }" : "+r"(x) : "r"(n));';
const source = `__device__ void f(unsigned x, unsigned n) {\n  ${statement}\n}\n`;

/** A server with one open document. */
function opened(text: string, languageId: string) {
  const sent: object[] = [];
  const due: (() => void)[] = [];
  const server = new LanguageServer({
    send: (message) => sent.push(message),
    later: (work) => due.push(work),
    settingsFor: () => readSettings('{}').settings,
    version: '0',
  });
  const receive = (message: object): unknown => {
    server.receive(message);
    for (let work = due.shift(); work !== undefined; work = due.shift()) work();
    return sent.at(-1);
  };
  receive({ id: 0, method: 'initialize' });
  receive({ method: 'textDocument/didOpen', params: { textDocument: { uri, languageId, version: 1, text } } });
  const ask = (method: string, position: object): unknown =>
    at(receive({ id: 1, method, params: { textDocument: { uri }, position, context: {} } }), 'result');
  const findings = (): readonly string[] =>
    listAt(
      sent.findLast((message) => textAt(message, 'method') === 'textDocument/publishDiagnostics'),
      'params',
      'diagnostics',
    ).map(
      (found) =>
        `${textAt(found, 'code')} ${numberAt(found, 'range', 'start', 'line')}:${numberAt(found, 'range', 'start', 'character')}`,
    );
  return { receive, ask, findings };
}

/** The position of a substring of the asm statement. */
function positionOf(part: string): object {
  return { line: 1, character: `  ${statement}`.indexOf(part) };
}

describe('a CUDA file in an editor', () => {
  const client = opened(source, 'cuda-cpp');

  it('has the findings of its asm statements, on its own columns', () => {
    expect(client.findings()).toEqual([`PTX2010 1:${`  ${statement}`.indexOf('.u3 ')}`]);
  });

  it('explains the instruction behind escapes', () => {
    const hover = client.ask('textDocument/hover', positionOf('setp'));
    expect(textAt(hover, 'contents', 'value')).toContain('setp');
    expect(numberAt(hover, 'range', 'start', 'character')).toBe(`  ${statement}`.indexOf('setp'));
  });

  it('shows the type of an operand', () => {
    expect(textAt(client.ask('textDocument/hover', positionOf('%1')), 'contents', 'value')).toContain('.reg .b32 %1');
  });

  it('leads from a register to its declaration, and from an operand to its constraint', () => {
    const start = (found: unknown): number => numberAt(listAt({ found }, 'found')[0], 'range', 'start', 'character');
    expect(start(client.ask('textDocument/declaration', positionOf('p, %1')))).toBe(`  ${statement}`.indexOf('p;'));
    expect(start(client.ask('textDocument/declaration', positionOf('%1')))).toBe(`  ${statement}`.indexOf('"r"(n)'));
  });

  it('completes dot-separated parts', () => {
    const { items } = { items: listAt(client.ask('textDocument/completion', positionOf('ne.u32')), 'items') };
    expect(items.map((item) => textAt(item, 'label'))).toContain('.ne');
  });

  it('says nothing about C++ itself', () => {
    expect(client.ask('textDocument/hover', { line: 0, character: 4 })).toBe(null);
    expect(client.ask('textDocument/documentSymbol', { line: 0, character: 4 })).toBe(null);
  });

  it('is checked again after a change', () => {
    const character = `  ${statement}`.indexOf('.u3 ') + 3;
    const range = { start: { line: 1, character }, end: { line: 1, character } };
    client.receive({
      method: 'textDocument/didChange',
      params: { textDocument: { uri, version: 2 }, contentChanges: [{ range, text: '2' }] },
    });
    expect(client.findings()).toEqual([]);
  });
});

test('a Python file has the findings of its inline_asm_elementwise', () => {
  const { findings } = opened('tl.inline_asm_elementwise("""\nmov.u3 $0, $1;\n""", "=r,r", [x], pack=1)\n', 'python');
  expect(findings()).toEqual(['PTX2010 1:3']);
});

test('a closed file has no findings', () => {
  const { receive, findings } = opened(source, 'cuda-cpp');
  receive({ method: 'textDocument/didClose', params: { textDocument: { uri } } });
  expect(findings()).toEqual([]);
});
