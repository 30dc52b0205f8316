/** A file that was begun belongs to one run at a time, however many would go on with it. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openUnfinished, type UnfinishedFile } from '../../src/hosts/node-unfinished.ts';

/** More than any system gives to a process. */
const nobody = 2 ** 30;

let folder = '';
let target = '';
let part = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ptxlab-unfinished-'));
  target = join(folder, 'out');
  part = join(folder, '.out.ptxlab-part');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function leave(journal: object): Promise<void> {
  return writeFile(
    `${part}.json`,
    JSON.stringify({ process: nobody, started: null, work: 'w', position: 3, ...journal }),
  );
}

function open(
  how: { readonly resume?: boolean; readonly replace?: boolean; readonly work?: string } = {},
): Promise<UnfinishedFile> {
  return openUnfinished(target, { size: 4, work: 'w', resume: false, replace: false, ...how });
}

async function opened(runs: readonly Promise<UnfinishedFile>[]): Promise<readonly UnfinishedFile[]> {
  const settled = await Promise.allSettled(runs);
  for (const run of settled) {
    if (run.status === 'rejected') expect(run.reason).toMatchObject({ code: 'exists' });
  }
  return settled.flatMap((run) => (run.status === 'fulfilled' ? [run.value] : []));
}

describe('of several runs that find the same, one gets it', () => {
  test.each(Array.from({ length: 10 }, (_, i) => i))('to go on, and to begin anew (%i)', async () => {
    await writeFile(part, 'left');
    await leave({});
    const runs = [open({ resume: true }), open({ replace: true, work: 'v' }), open({ resume: true })];
    const [one, ...others] = await opened(runs);
    expect(others).toEqual([]);
    await one?.file.write(0, new TextEncoder().encode('done'));
    await one?.commit();
    expect(await readdir(folder)).toEqual(['out']);
    expect(await readFile(target, 'utf8')).toBe('done');
  });

  test('where nothing is left', async () => {
    const found = await opened([open(), open(), open()]);
    expect(found.length).toBe(1);
    await found[0]?.discard();
    expect(await readdir(folder)).toEqual([]);
  });
});

test('a process of the same number that began at another time is another', async () => {
  await leave({ process: process.ppid, started: 'never' });
  await writeFile(part, 'left');
  const file = await open({ resume: true });
  expect(file.position).toBe(3);
  await file.discard();
});

test('a file without a journal is nobody’s: a run was killed before it had written anything', async () => {
  await writeFile(part, 'left');
  await (await open()).commit();
  expect(await readdir(folder)).toEqual(['out']);
});

test('a name that was taken meanwhile leaves nothing beside it', async () => {
  const file = await open();
  await writeFile(target, 'another');
  await expect(file.commit()).rejects.toMatchObject({ code: 'exists' });
  expect(await readdir(folder)).toEqual(['out']);
});
