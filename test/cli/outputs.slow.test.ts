/** Tests that commands write only complete files, and never replace a file that must be kept. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, linkSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { built, mainFile, type Outcome, ptxlab, put, scratch, scratchIn } from './ptxlab.ts';
import { floats, putSafetensors } from './tensor-files.ts';

const everything = scratch();
let folder = '';
beforeEach(() => {
  folder = scratchIn(everything);
});

const fill = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out) {
  .reg .b64 %rd1; ld.param.u64 %rd1, [out]; st.global.u32 [%rd1], 42; ret;
}
`;

/** A command that writes the file `out`, together with the input files that the command reads. */
interface Writer {
  readonly args: (out: string) => readonly string[];
  /** Creates the files that the command reads; the command must not replace the first of them. */
  readonly inputs: () => readonly [string, ...string[]];
}

const sweepOf = (out: string): readonly string[] => ['sweep', 'cvt.rn.f16x2.e4m3x2', '-q', '--out', out];

const writers: Readonly<Record<string, Writer>> = {
  run: {
    args: (out) => ['run', join(folder, 'k.ptx'), '--arg', 'zeros:64', '-q', '--out', `0:${out}`],
    inputs: () => [put(folder, 'k.ptx', fill)],
  },
  'run, with a file as an argument': {
    args: (out) => ['run', join(folder, 'k.ptx'), '--arg', `file:${join(folder, 'raw')}`, '-q', '--out', `0:${out}`],
    inputs: () => [put(folder, 'raw', Buffer.alloc(64)), put(folder, 'k.ptx', fill)],
  },
  'diff --html': {
    args: (out) => ['diff', join(folder, 'a.safetensors'), join(folder, 'b.safetensors'), '-q', '--html', out],
    inputs: () => [
      putSafetensors(folder, 'a.safetensors', { w: floats(1, 2, 3) }),
      putSafetensors(folder, 'b.safetensors', { w: floats(1, 2, 3) }),
    ],
  },
  convert: {
    args: (out) => ['convert', join(folder, 'a.safetensors'), out, '--to', 'f16', '-q'],
    inputs: () => [putSafetensors(folder, 'a.safetensors', { w: floats(1, 2, 3) })],
  },
};

const forced = (writer: Writer, out: string): Promise<Outcome> => ptxlab([...writer.args(out), '--force']);

describe.each(Object.entries(writers))('%s', (_, writer) => {
  const extension = writer === writers['convert'] ? '.safetensors' : '.out';
  const at = (name: string): string => join(folder, `${name}${extension}`);

  test('writes a new file, and nothing else', async () => {
    writer.inputs();
    const before = readdirSync(folder);
    expect(await ptxlab(writer.args(at('new')))).toMatchObject({ code: 0, stderr: '' });
    expect(readdirSync(folder).sort()).toEqual([...before, `new${extension}`].sort());
  });

  test('replaces a file only with --force, and keeps its permissions', async () => {
    writer.inputs();
    const out = put(folder, `old${extension}`, 'old');
    chmodSync(out, 0o640);
    expect(await ptxlab(writer.args(out))).toMatchObject({ code: 2, stderr: `ptxlab: ${out}: already exists\n` });
    expect(readFileSync(out, 'utf8')).toBe('old');
    expect(await forced(writer, out)).toMatchObject({ code: 0 });
    expect(readFileSync(out, 'utf8')).not.toBe('old');
    expect((statSync(out).mode & 0o777).toString(8)).toBe('640');
  });

  test.runIf(process.platform === 'linux')('never replaces a pipe, or what a link leads to', async () => {
    writer.inputs();
    const pipe = at('pipe');
    spawnSync('/bin/sh', ['-c', `mkfifo '${pipe}'`]);
    const toPipe = at('to-pipe');
    symlinkSync(pipe, toPipe);
    const toDevice = at('to-device');
    symlinkSync('/dev/full', toDevice);
    const directory = at('directory');
    mkdirSync(directory);
    const toDirectory = at('to-directory');
    symlinkSync(directory, toDirectory);
    for (const out of [pipe, toPipe, toDevice, directory, toDirectory]) {
      const { code, stderr } = await forced(writer, out);
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/^ptxlab: .*: (is a directory, not a file|not a regular file)\n$/),
      ]);
    }
    expect(lstatSync(pipe).isFIFO()).toBe(true);
    expect([toPipe, toDevice, toDirectory].map((path) => lstatSync(path).isSymbolicLink())).toEqual([true, true, true]);
    const precious = put(folder, 'precious', 'precious');
    symlinkSync(precious, at('link'));
    expect(await ptxlab(writer.args(at('link')))).toMatchObject({ code: 2 });
    expect(await forced(writer, at('link'))).toMatchObject({ code: 0 });
    expect(readFileSync(precious, 'utf8')).toBe('precious');
  });

  test('never replaces an input', async () => {
    const inputs = writer.inputs();
    symlinkSync(inputs[0], at('symbolic'));
    linkSync(inputs[0], at('hard'));
    const before = inputs.map((path) => readFileSync(path));
    for (const out of [at('symbolic'), at('hard')]) {
      const { code, stderr } = await forced(writer, out);
      expect([code, stderr]).toEqual([2, `ptxlab: ${inputs[0]} and ${out} are the same file\n`]);
    }
    expect(inputs.map((path) => readFileSync(path))).toEqual(before);
  });

  test.runIf(process.platform === 'linux')('leaves nothing behind if there is no room', async () => {
    await built();
    writer.inputs();
    const before = readdirSync(folder);
    const command = [process.execPath, mainFile, ...writer.args(at('new'))].map((word) => `'${word}'`).join(' ');
    const child = spawn('/bin/sh', ['-c', `trap '' XFSZ; ulimit -f 0; exec ${command}`]);
    expect(await new Promise((resolve) => child.on('close', resolve))).toBe(2);
    expect(readdirSync(folder)).toEqual(before);
  });
});

test('two outputs must have different names', async () => {
  const two = fill.replace('.param .u64 out', '.param .u64 out, .param .u64 more');
  const args = ['run', put(folder, 'k.ptx', two), '--arg', 'zeros:4', '--arg', 'zeros:4'];
  const [out, same] = [join(folder, 'a'), `${folder}/./a`];
  const { code, stderr } = await ptxlab([...args, '--out', `0:${out}`, '--out', `1:${same}`]);
  expect([code, stderr]).toEqual([2, `ptxlab: ${same}: is given as an output twice\n`]);
});

describe('sweep', () => {
  test('continues its own file, which keeps its permissions', async () => {
    const out = join(folder, 'digests.json');
    await ptxlab(sweepOf(out));
    chmodSync(out, 0o600);
    await ptxlab(['sweep', 'cvt.u8.u16', '-q', '--out', out]);
    expect(Object.keys(JSON.parse(readFileSync(out, 'utf8')).sweeps)).toHaveLength(2);
    expect((statSync(out).mode & 0o777).toString(8)).toBe('600');
    expect(readdirSync(folder)).toEqual(['digests.json']);
  });

  test.runIf(process.platform === 'linux')(
    'does not replace a pipe, device, link or file of another kind',
    async () => {
      spawnSync('/bin/sh', ['-c', `mkfifo '${join(folder, 'pipe')}'`]);
      put(folder, 'text', 'precious');
      symlinkSync('/dev/full', join(folder, 'device'));
      symlinkSync(join(folder, 'text'), join(folder, 'link'));
      for (const name of ['pipe', 'text', 'device', 'link'])
        expect(await ptxlab(sweepOf(join(folder, name)))).toMatchObject({ code: 2 });
      expect(readdirSync(folder).sort()).toEqual(['device', 'link', 'pipe', 'text']);
      expect(lstatSync(join(folder, 'pipe')).isFIFO()).toBe(true);
      expect(readFileSync(join(folder, 'text'), 'utf8')).toBe('precious');
    },
  );
});
