/**
 * Writes the code that V8 compiles for the files of the bundle, so that the command line starts faster. V8 compiles a
 * function when it is first called, so the most common commands are run first.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import v8 from 'node:v8';
import type { Script } from 'node:vm';
import { bundleLoader, compiledFile, compiledFolder } from '../src/cli/bundle/compiled-files.ts';
import type { Session } from '../src/cli/session.ts';

const kernels = fileURLToPath(new URL('../examples/kernels', import.meta.url));

/** A module with errors, so that the code for diagnostics is compiled, too. */
const wrongModule = `.version 8.0
.target sm_80
.address_size 64
.entry kernel() {
  .reg .b32 %r<4>;
  .reg .b16 %h<4>;
  cvt.rn.f16.f32 %h1, %r5;
  cvt.rn.satfinite.e4m3x2.f32 %h1, %r1, %r2;
  add.s32 %r1 %r2;
}
`;

/** What a client sends to `serve`. */
const requests = [
  { id: 1, method: 'version' },
  { id: 2, method: 'check', params: { source: wrongModule } },
  { id: 3, method: 'evaluate', params: { inst: 'cvt.rn.f16.f32', rows: [['0x3f800000']] } },
]
  .map((request) => JSON.stringify({ jsonrpc: '2.0', ...request }))
  .map((text) => `Content-Length: ${text.length}\r\n\r\n${text}`)
  .join('');

/** The arguments of each command. The commands read and write files in the folder `files`. */
function typicalCommands(files: string): readonly (readonly string[])[] {
  const wrong = join(files, 'wrong.ptx');
  const tensor = join(files, 'tensor.npy');
  const reverse = join(kernels, 'reverse_sm75.ptx');
  writeFileSync(wrong, wrongModule);
  return [
    ['--help'],
    ['check', join(kernels, 'attention_sm80.ptx'), join(kernels, 'hopper_sm90a.ptx')],
    ['check', wrong],
    ['eval', 'cvt.rn.satfinite.e4m3x2.f32', '1.5', '500'],
    ['eval', 'fma.rn.f32', '1.5', '2', '0.1'],
    ['explain', 'cvt.rn.satfinite.e4m3x2.f32'],
    ['forms', '--opcode', 'cvt'],
    ['run', reverse, ...'--block 64 --arg f32[]:1,2 --arg zeros:f32[2] --arg 2 --out'.split(' '), `1:${tensor}`],
    ['serve'],
    ['inspect', tensor],
    ['convert', tensor, join(files, 'converted.npy'), '--to', 'f16'],
  ];
}

/** Compiles the files in `folder` that are loaded by typical commands. */
export async function compileBundle(folder: string): Promise<void> {
  keepFlags();
  // With kernels that an earlier build has stored, the code that compiles kernels would not run.
  process.env['PTXLAB_CACHE'] = 'off';
  const scripts = new Map<string, Script>();
  const load = bundleLoader(folder, (name, script) => scripts.set(name, script));
  load('run-process.js');
  const { runCommandLine } = load('command-line.js') as typeof import('../src/cli/command-line.ts');
  const files = mkdtempSync(join(tmpdir(), 'ptxlab-'));
  for (const words of typicalCommands(files)) {
    const exit = await runCommandLine(words, sessionReading(words[0] === 'serve' ? requests : ''));
    if (exit === 2) throw new Error(`cannot run ptxlab ${words.join(' ')}`);
  }
  rmSync(files, { recursive: true });
  mkdirSync(compiledFolder(folder), { recursive: true });
  for (const [name, script] of scripts) writeFileSync(compiledFile(folder, name), script.createCachedData());
}

/**
 * V8 uses compiled code only if the V8 flags are the same as when the code was stored. The commands are therefore
 * prevented from setting flags.
 */
function keepFlags(): void {
  v8.setFlagsFromString = () => undefined;
}

/** A session whose output is thrown away. */
const sessionReading = (input: string): Session => ({
  stdin: async function* () {
    yield Buffer.from(input);
  },
  stdout: nowhere(),
  stderr: nowhere(),
  env: {},
  interruptible: (work) => work(new AbortController().signal),
});

function nowhere(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}
