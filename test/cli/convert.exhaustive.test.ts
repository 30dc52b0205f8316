/** Fifty conversions that are killed at any moment: no half file, and the same bytes in the end. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ptxlab, scratch, start } from './ptxlab.ts';
import { putSafetensors, tensor } from './tensor-files.ts';

const folder = scratch();
const out = join(folder, 'out.safetensors');
const digest = (path: string): string => createHash('sha256').update(readFileSync(path)).digest('hex');

test('killed fifty times', async () => {
  const values = Float32Array.from({ length: 2 ** 28 }, (_, i) => (i % 1009) / 3 - 100);
  const input = putSafetensors(folder, 'in.safetensors', { w: tensor('F32', [2 ** 14, 2 ** 14], values) });
  const args = ['convert', input, out, '--to', 'nvfp4', '-q'];
  const began = performance.now();
  await ptxlab(args);
  const longest = performance.now() - began;
  const whole = digest(out);
  for (let i = 0; i < 50; i++) {
    rmSync(out, { force: true });
    const child = await start(args);
    const closed = new Promise((resolve) => child.on('close', resolve));
    await sleep((longest * (i + 1)) / 50);
    child.kill('SIGKILL');
    await closed;
    if (!existsSync(out)) expect(await ptxlab([...args, '--resume'])).toMatchObject({ code: 0, stderr: '' });
    expect(digest(out)).toBe(whole);
    expect(readdirSync(folder).filter((name) => name.includes('ptxlab-part'))).toEqual([]);
  }
});
