/**
 * Tests the language server the way editors use it. The server is started by a client of the protocol, and also by
 * Neovim if Neovim is installed.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { frame, messagesIn } from '../../src/cli/lsp/frames.ts';
import { built, mainFile, moduleOf, ptxlab, put, scratch, scratchIn } from './ptxlab.ts';

const folder = scratch();
const module = moduleOf('.reg .b32 %r<3>;\nmul.u32 %r1, %r2, 3;', 'sm_90', '8.6');

async function* inPieces(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

test.each([1, 7, 10_000])('messages are read from pieces of %i bytes', async (size) => {
  const messages = [{ a: 'ä😀' }, { b: [1, 2] }];
  const found: unknown[] = [];
  for await (const one of messagesIn(inPieces(messages.map(frame).join(''), size))) found.push(JSON.parse(one));
  expect(found).toEqual(messages);
});

describe('ptxlab lsp', () => {
  it('answers on stdout, and exits when it is told to', async () => {
    const uri = 'untitled:k.ptx';
    const input = [
      { id: 1, method: 'initialize', params: {} },
      { method: 'textDocument/didOpen', params: { textDocument: { uri, version: 1, text: module } } },
      { id: 2, method: 'textDocument/documentSymbol', params: { textDocument: { uri } } },
      { id: 3, method: 'shutdown' },
      { method: 'exit' },
    ];
    const { code, stdout, stderr } = await ptxlab(['lsp', '--stdio', '--clientProcessId=1'], {
      input: input.map(frame).join(''),
    });
    expect([code, stderr]).toEqual([0, '']);
    const sent: unknown[] = [];
    for await (const one of messagesIn(inPieces(stdout, 4096))) sent.push(JSON.parse(one));
    expect(sent).toMatchObject([
      { id: 1, result: { capabilities: { hoverProvider: true } } },
      { method: 'textDocument/publishDiagnostics', params: { uri, diagnostics: [{ code: 'PTX2021' }] } },
      { id: 2, result: [{ name: 'k' }] },
      { id: 3, result: null },
    ]);
  });

  it('answers a message that is not JSON, and goes on', async () => {
    const wrong = 'Content-Length: 3\r\n\r\n{x}';
    const input = [
      wrong,
      ...[{ id: 1, method: 'initialize' }, { id: 2, method: 'shutdown' }, { method: 'exit' }].map(frame),
    ];
    const { code, stdout } = await ptxlab(['lsp'], { input: input.join('') });
    expect(code).toBe(0);
    expect(stdout).toContain('"id":null,"error":{"code":-32700,"message":"not JSON: ');
  });

  it('says why it cannot read a message without a length', async () => {
    const { code, stderr } = await ptxlab(['lsp'], { input: 'Length: 3\r\n\r\n{}' });
    expect([code, stderr]).toEqual([2, 'ptxlab: a message has no Content-Length header\n']);
  });

  it('exits with 1 if the editor goes away', async () => {
    expect((await ptxlab(['lsp'], { input: '' })).code).toBe(1);
  });
});

describe('check follows ptxlab.json and comments', () => {
  it('by the nearest settings in a folder above the file', async () => {
    const own = scratchIn(folder);
    const file = put(own, 'k.ptx', module);
    expect((await ptxlab(['check', '-q', file])).code).toBe(1);
    put(own, 'ptxlab.json', '{"severities": {"PTX2021": "warning"}}');
    expect((await ptxlab(['check', '-q', file])).code).toBe(0);
    expect((await ptxlab(['check', '-q', '-Werror', file])).code).toBe(1);
  });

  it('for stdin by the name that it has, and for requests by the folder of their file', async () => {
    const own = scratchIn(folder);
    const file = put(own, 'k.ptx', module);
    put(own, 'ptxlab.json', '{"severities": {"PTX2021": "warning"}}');
    expect((await ptxlab(['check', '-q', '--stdin-name', file, '-'], { input: module })).code).toBe(0);
    const requests = put(own, 'requests.ndjson', `${JSON.stringify({ id: 1, source: module })}\n`);
    const { stdout } = await ptxlab(['check', '--batch', requests]);
    expect(JSON.parse(stdout)).toMatchObject({
      id: 1,
      ok: true,
      diagnostics: [{ code: 'PTX2021', severity: 'warning' }],
    });
  });

  it.each([
    ['{bad', 'not JSON'],
    ['[]', 'must be an object, not a list of 0'],
    ['{"target": "sm_175"}', `target must be a target such as "sm_90a", not 'sm_175'`],
    ['{"taget": "sm_90"}', "has no key 'taget'; did you mean 'target'?"],
    ['{"isa": 8.6}', 'isa must be a version of PTX, such as "8.6", not 8.6'],
    [
      '{"severities": {"PTX2021": "fatal"}}',
      "severities.PTX2021 must be 'error', 'warning', 'note' or 'off', not 'fatal'",
    ],
    ['{"severities": {"PTX9999": "off"}}', "severities has the key 'PTX9999', which is not the code of a finding"],
    ['{"pages": "docs"}', "pages must be a web address, not 'docs'"],
  ])('but refuses %s', async (settings, message) => {
    const own = scratchIn(folder);
    const file = put(own, 'k.ptx', module);
    put(own, 'ptxlab.json', settings);
    const { code, stderr } = await ptxlab(['check', file]);
    expect(code).toBe(2);
    expect(stderr).toContain(`${join(own, 'ptxlab.json')}: ${message}`);
  });

  it('and a comment suppresses findings on its line, or on the next', async () => {
    const beside = module.replace('3;', '3; // ptxlab-ignore PTX2021 written by hand');
    expect(await ptxlab(['check', '-q', '-'], { input: beside })).toEqual({ code: 0, stdout: '', stderr: '' });
    const above = module.replace('mul', '  // ptxlab-ignore PTX1000, PTX2021\nmul');
    expect((await ptxlab(['check', '-q', '-'], { input: above })).code).toBe(0);
    const elsewhere = module.replace('ret;', 'ret; // ptxlab-ignore PTX2021');
    expect((await ptxlab(['check', '-q', '-'], { input: elsewhere })).code).toBe(1);
  });
});

const hasNeovim = spawnSync('nvim', ['--version']).status === 0;

/** Opens a module, waits for its findings, and renames a register. */
const script = `
local out = {}
local buffer = vim.api.nvim_get_current_buf()
local id = vim.lsp.start_client({ cmd = { vim.env.NODE, vim.env.PTXLAB, 'lsp' }, root_dir = vim.fn.getcwd() })
vim.lsp.buf_attach_client(buffer, id)
vim.wait(20000, function() return #vim.diagnostic.get(buffer) > 0 end, 20)
for _, found in ipairs(vim.diagnostic.get(buffer)) do table.insert(out, 'line ' .. found.lnum + 1 .. ' ' .. found.code) end
local function ask(method, params)
  params.textDocument = vim.lsp.util.make_text_document_params(buffer)
  local answers = vim.lsp.buf_request_sync(buffer, method, params, 20000)
  return answers[id].result
end
local at = { line = 6, character = 9 }
table.insert(out, ask('textDocument/hover', { position = at }).contents.kind)
local renamed = ask('textDocument/rename', { position = at, newName = '%product' })
vim.lsp.util.apply_workspace_edit(renamed, 'utf-16')
table.insert(out, vim.api.nvim_buf_get_lines(buffer, 6, 7, true)[1])
vim.fn.writefile(out, vim.env.OUT)
vim.cmd('qa!')
`;

test.skipIf(!hasNeovim)(
  'Neovim shows findings and hovers, and renames (skipped where it is not installed)',
  async () => {
    await built();
    const own = scratchIn(folder);
    const out = join(own, 'out.txt');
    const env = {
      ...process.env,
      NODE: process.execPath,
      PTXLAB: mainFile,
      OUT: out,
      XDG_STATE_HOME: own,
      XDG_CACHE_HOME: own,
    };
    const args = [
      '--headless',
      '-u',
      'NONE',
      put(own, 'k.ptx', module),
      '-c',
      `luafile ${put(own, 'session.lua', script)}`,
    ];
    const { status, stderr } = spawnSync('nvim', args, { cwd: own, env, timeout: 50_000, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, expect.anything()]);
    expect(readFileSync(out, 'utf8').trim().split('\n')).toEqual([
      'line 7 PTX2021',
      'markdown',
      'mul.u32 %product, %r2, 3;',
    ]);
  },
);

const eglotLoads =
  spawnSync('emacs', ['--batch', '--eval', "(progn (package-initialize) (require 'eglot))"]).status === 0;

/** Opens a module with eglot, waits for its findings, hovers, and renames a register. */
const emacsScript = `
(package-initialize)
(require 'eglot)
(define-derived-mode ptx-mode prog-mode "PTX")
(add-to-list 'auto-mode-alist '("\\\\.ptx\\\\'" . ptx-mode))
(setq eglot-server-programs (list (list 'ptx-mode (getenv "NODE") (getenv "PTXLAB") "lsp"))
      eglot-sync-connect 20
      eglot-connect-timeout 20)
(find-file (getenv "FILE"))
(apply #'eglot (eglot--guess-contact))
(flymake-mode 1)
(let ((tries 0) out)
  (while (and (null (flymake-diagnostics)) (< (setq tries (1+ tries)) 400))
    (flymake-start)
    (accept-process-output nil 0.05))
  (dolist (found (flymake-diagnostics))
    (push (format "line %d" (line-number-at-pos (flymake-diagnostic-beg found))) out))
  (goto-char (point-min))
  (forward-line 6)
  (forward-char 9)
  (eglot-rename "%product")
  (push (buffer-substring (line-beginning-position) (line-end-position)) out)
  (write-region (mapconcat #'identity (nreverse out) "\n") nil (getenv "OUT")))
`;

test.skipIf(!eglotLoads)(
  'Emacs with eglot shows findings, and renames (skipped where eglot is not installed)',
  async () => {
    await built();
    const own = scratchIn(folder);
    const out = join(own, 'out.txt');
    const env = {
      ...process.env,
      NODE: process.execPath,
      PTXLAB: mainFile,
      OUT: out,
      FILE: put(own, 'k.ptx', module),
      HOME: own,
    };
    const args = ['--batch', '-l', put(own, 'session.el', emacsScript)];
    const { status, stderr } = spawnSync('emacs', args, { cwd: own, env, timeout: 50_000, encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, expect.anything()]);
    expect(readFileSync(out, 'utf8').trim().split('\n')).toEqual(['line 7', 'mul.u32 %product, %r2, 3;']);
  },
);
