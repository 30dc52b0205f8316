/** Interrupts conversions in every way that can end a process, and checks which files are left behind. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { filled } from '../filled.ts';
import { built, mainFile, type Outcome, ptxlab, put, scratch, scratchIn, spawned, start } from './ptxlab.ts';
import { putSafetensors, tensor } from './tensor-files.ts';

const everything = scratch();
let folder = '';
beforeEach(() => {
  folder = scratchIn(everything);
});

const at = (name: string): string => join(folder, name);

function convert(...args: readonly string[]): Promise<Outcome> {
  return ptxlab(['convert', ...args]);
}

/** Whether a journal contains the position that the conversion has reached. */
function isSaved(journal: string): boolean {
  return existsSync(journal) && /"position":\{/.test(readFileSync(journal, 'utf8'));
}

describe('interrupted', () => {
  /** A 64 MiB file, so that the conversion takes long enough to be interrupted. */
  const input = join(everything, 'large.safetensors');
  beforeAll(() => {
    const values = filled(new Float32Array(2 ** 24), (i) => i % 447);
    putSafetensors(everything, 'large.safetensors', { w: tensor('F32', [values.length], values) });
  });

  test('kill -9 at any moment leaves no partial file, and --resume finishes with the same bytes', async () => {
    await convert(input, at('whole.safetensors'), '--to', 'e4m3', '-q');
    const whole = readFileSync(at('whole.safetensors'));
    for (const moment of [100, 160, 220]) {
      const child = await start(['convert', input, at('out.safetensors'), '--to', 'e4m3', '-q', '--force']);
      const closed = new Promise((resolve) => child.on('close', resolve));
      await sleep(moment);
      child.kill('SIGKILL');
      await closed;
      const found = existsSync(at('out.safetensors')) ? readFileSync(at('out.safetensors')) : whole;
      expect(found.equals(whole)).toBe(true);
      const { code } = await convert(input, at('out.safetensors'), '--to', 'e4m3', '-q', '--resume', '--force');
      expect(code).toBe(0);
      expect(readFileSync(at('out.safetensors')).equals(whole)).toBe(true);
      expect(readdirSync(folder).filter((name) => name.includes('ptxlab'))).toEqual([]);
    }
  });

  const moments = {
    'right after the start': { reached: (journal: string) => existsSync(journal), keeps: false },
    'once the position is saved': { reached: isSaved, keeps: true },
  };
  test.each([
    ['SIGINT', 'right after the start'],
    ['SIGTERM', 'right after the start'],
    ['SIGHUP', 'right after the start'],
    // All signals are handled in the same way, and the position is saved only after a second. To save time, this case
    // is therefore tested with only one signal.
    ['SIGINT', 'once the position is saved'],
  ] as const)('%s %s leaves nothing that cannot be resumed', async (name, moment) => {
    // A sparse file of zeros, which takes up no disk space but takes seconds to convert.
    truncateSync(put(folder, 'zeros.bin', ''), 2 ** 32);
    const args = ['--dtype', 'f32', '--shape', `${2 ** 30}`, '--to', 'e4m3', '--force'];
    const journal = at('.out.safetensors.ptxlab-part.json');
    const { reached, keeps } = moments[moment];
    const child = await start(['convert', at('zeros.bin'), at('out.safetensors'), ...args]);
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    const ended = new Promise((resolve) => child.on('close', (_, signal) => resolve(signal)));
    while (!reached(journal)) await sleep(5);
    child.kill(name);
    expect(await ended).toBe(name);
    const left = keeps ? ['.out.safetensors.ptxlab-part', '.out.safetensors.ptxlab-part.json'] : [];
    expect(readdirSync(folder).filter((one) => one.includes('ptxlab'))).toEqual(left);
    const words = `ptxlab: ${at('out.safetensors')}: unfinished; --resume continues where it stopped\n`;
    expect(stderr).toBe(keeps ? words : '');
  });

  test('an input that changes during the conversion is reported, and nothing is left behind', async () => {
    const zeros = put(folder, 'zeros.bin', '');
    truncateSync(zeros, 2 ** 28);
    const args = ['--dtype', 'f32', '--shape', `${2 ** 26}`, '--to', 'e4m3'];
    const child = await start(['convert', zeros, at('out.safetensors'), ...args]);
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    const ended = new Promise((resolve) => child.on('close', resolve));
    while (!existsSync(at('.out.safetensors.ptxlab-part'))) await sleep(5);
    utimesSync(zeros, 1, 1);
    expect([await ended, stderr]).toEqual([2, `ptxlab: ${zeros}: changed while it was being read\n`]);
    expect(readdirSync(folder)).toEqual(['zeros.bin']);
  });

  test('an interrupted run is neither overwritten without --force nor resumed with other options', async () => {
    const part = at('.out.safetensors.ptxlab-part');
    const journal = { process: 2 ** 22 - 3, work: 'something else', position: { work: 0, piece: 3 } };
    writeFileSync(part, 'left');
    writeFileSync(`${part}.json`, JSON.stringify(journal));
    const plain = await convert(input, at('out.safetensors'), '--to', 'e4m3');
    expect([plain.code, plain.stderr]).toEqual([2, expect.stringContaining('--resume continues it')]);
    const resumed = await convert(input, at('out.safetensors'), '--to', 'e4m3', '--resume');
    expect([resumed.code, resumed.stderr]).toEqual([2, expect.stringContaining('different options')]);
    expect(readFileSync(part, 'utf8')).toBe('left');
    expect((await convert(input, at('out.safetensors'), '--to', 'e4m3', '--force', '-q')).code).toBe(0);
    expect(readdirSync(folder).filter((name) => name.includes('ptxlab'))).toEqual([]);
  });

  test('of two concurrent runs, one writes the file and the other says why it does not', async () => {
    const out = at('out.safetensors');
    const both = await Promise.all([1, 2].map(() => spawned(['convert', input, out, '--to', 'e4m3', '-q'])));
    expect(both.reduce((sum, { code }) => sum + (code ?? 9), 0)).toBe(2);
    expect(both.map(({ stderr }) => stderr).join('')).toMatch(
      /is being written by (?:process \d+|another process)|already exists/,
    );
    expect((await ptxlab(['inspect', '--no-stats', out])).stdout).toMatch(/F8_E4M3 .* w\n/);
  });

  test.runIf(process.platform === 'linux').each([1000, 0])(
    'a limit of %i blocks per file is reported, and nothing is left behind',
    async (blocks) => {
      await built();
      const out = at('out.safetensors');
      const command = `ulimit -f ${blocks}; exec "${process.execPath}" "${mainFile}" convert "${input}" "${out}" --to e4m3 -q`;
      const child = spawn('/bin/sh', ['-c', `trap '' XFSZ; ${command}`]);
      let stderr = '';
      child.stderr.on('data', (chunk: Buffer) => {
        stderr += chunk.toString();
      });
      const code = await new Promise((resolve) => child.on('close', resolve));
      expect([code, stderr]).toEqual([2, `ptxlab: ${out}: exceeds the file size limit\n`]);
      expect(readdirSync(folder)).toEqual([]);
    },
  );
});
