/**
 * Tests `ptxlab test --watch` in a separate process. The command runs the tests again after each change until it is
 * interrupted.
 */
import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { moduleOf, put, scratch, start } from './ptxlab.ts';

const folder = scratch();

/** A suite with a kernel that does not change its buffer. The test expects the buffer to contain the given words. */
const suite = (...words: readonly number[]): string =>
  JSON.stringify({
    tests: [
      {
        name: 'unchanged',
        ptx: 'k.ptx',
        buffers: { x: { u32: [1, 2] } },
        args: [],
        expect: { x: { u32: words } },
      },
    ],
  });

test('a change of the suite runs it again, a mistake in it is reported, and an interrupt ends it', async () => {
  put(folder, 'k.ptx', moduleOf(''));
  const path = put(folder, 'k.ptxtest.json', suite(1, 2));
  const child = await start(['test', folder, '--watch']);
  let text = '';
  const until = (words: string): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (!text.includes(words)) return;
        text = '';
        clearInterval(timer);
        resolve();
      };
      const timer = setInterval(look, 20);
    });
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => void (text += chunk.toString()));
  await until('1 passed, 0 failed');
  writeFileSync(path, suite(1, 3));
  await until('0 passed, 1 failed');
  writeFileSync(path, '{');
  await until('k.ptxtest.json: ');
  writeFileSync(path, suite(1, 2));
  await until('1 passed, 0 failed');
  const ended = new Promise((resolve) => {
    child.on('close', (_code, signal) => resolve(signal));
  });
  child.kill('SIGINT');
  expect(await ended).toBe('SIGINT');
});
