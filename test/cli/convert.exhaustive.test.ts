/**
 * Kills each of fifty conversions at a random moment. A partial output file must never exist, and the bytes of the
 * finished file must always be the same.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ptxlab, scratch, start } from './ptxlab.ts';
import { putSafetensors, tensor } from './tensor-files.ts';

const folder = scratch();
const digest = (): string => {
  const hash = createHash('sha256');
  const made = readdirSync(folder).filter((name) => name.startsWith('out'));
  for (const name of made.sort()) hash.update(name).update(readFileSync(join(folder, name)));
  return hash.digest('hex');
};

test.each([
  ['a file', 'out.safetensors', []],
  ['four files and an index', 'out.safetensors.index.json', ['--shard-size', '40MB']],
] as const)('%s, killed fifty times', async (_, name, flags) => {
  const values = Float32Array.from({ length: 2 ** 26 }, (__, i) => (i % 1009) / 3 - 100);
  const part = tensor('F32', [2 ** 13, 2 ** 13], values);
  const input = putSafetensors(folder, 'in.safetensors', { a: part, b: part, c: part, d: part });
  const out = join(folder, name);
  const args = ['convert', input, out, '--to', 'nvfp4', '-q', ...flags];
  const clear = (): void => {
    for (const made of readdirSync(folder)) if (made.startsWith('out')) rmSync(join(folder, made));
  };
  clear();
  const began = performance.now();
  await ptxlab(args);
  const longest = performance.now() - began;
  const whole = digest();
  for (let i = 0; i < 50; i++) {
    clear();
    const child = await start(args);
    const closed = new Promise((resolve) => child.on('close', resolve));
    await sleep((longest * (i + 1)) / 50);
    child.kill('SIGKILL');
    await closed;
    if (!existsSync(out)) expect(await ptxlab([...args, '--resume'])).toMatchObject({ code: 0, stderr: '' });
    expect(digest()).toBe(whole);
    expect(readdirSync(folder).filter((found) => found.includes('ptxlab-part'))).toEqual([]);
  }
});
