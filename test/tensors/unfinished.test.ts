/**
 * Tests that only one run at a time may write an unfinished file, even if several runs try to continue the same file.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openUnfinished, type UnfinishedFile } from '../../src/hosts/node-unfinished.ts';

/** A process ID that no process can have, because operating systems do not assign IDs this large. */
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

describe('journals that killed runs left behind', () => {
  const leftovers = [
    '.out.ptxlab-part.json.0123456789ab.new',
    '.out.ptxlab-part.json.ba9876543210.old',
    '.out.ptxlab-part.json.new',
  ];
  const others = [
    '.out.ptxlab-part.json.mine',
    '.out2.ptxlab-part.json.0123456789ab.new',
    '.other.ptxlab-part.json.new',
  ];

  test.each([{ resume: true }, { replace: true }])('are removed when the file is complete: %j', async (how) => {
    for (const name of [...leftovers, ...others]) await writeFile(join(folder, name), 'left');
    await writeFile(part, 'left');
    await leave({});
    const file = await open(how);
    await file.file.write(0, new TextEncoder().encode('done'));
    await file.commit();
    expect((await readdir(folder)).sort()).toEqual([...others, 'out'].sort());
  });
});

test('the error of a full disk names the file and the missing space', async () => {
  const size = 2 ** 52;
  const words = new RegExp(
    `^${target}: does not fit on the disk: ${size} bytes are needed, \\d+ are free, \\d+ are missing$`,
  );
  await expect(openUnfinished(target, { size, work: 'w', resume: false, replace: false })).rejects.toMatchObject({
    code: 'disk-full',
    message: expect.stringMatching(words),
  });
  expect(await readdir(folder)).toEqual([]);
});

describe('of several runs that find the same unfinished file, only one gets it', () => {
  test.each(Array.from({ length: 10 }, (_, i) => i))('to continue it, and to start over (%i)', async () => {
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

  test('if nothing is left of it', async () => {
    const found = await opened([open(), open(), open()]);
    expect(found.length).toBe(1);
    await found[0]?.discard();
    expect(await readdir(folder)).toEqual([]);
  });
});

test('a process with the same ID that started at another time is a different process', async () => {
  await leave({ process: process.ppid, started: 'never' });
  await writeFile(part, 'left');
  const file = await open({ resume: true });
  expect(file.position).toBe(3);
  await file.discard();
});

test('a file without a journal belongs to no run: the run that began it was killed before it wrote anything', async () => {
  await writeFile(part, 'left');
  await (await open()).commit();
  expect(await readdir(folder)).toEqual(['out']);
});

test('if the name is taken in the meantime, nothing is left next to it', async () => {
  const file = await open();
  await writeFile(target, 'another');
  await expect(file.commit()).rejects.toMatchObject({ code: 'exists' });
  expect(await readdir(folder)).toEqual(['out']);
});

describe('several files', () => {
  const places = [
    { name: 'one', offset: 0, size: 2 },
    { name: 'two', offset: 2, size: 3 },
    { name: 'out', offset: 5, size: 1 },
  ];
  const openAll = (how: Parameters<typeof open>[0] = {}): Promise<UnfinishedFile> =>
    openUnfinished(target, { size: 6, files: places, work: 'w', resume: false, replace: false, ...how });
  const contents = async (): Promise<object> => {
    const names = await readdir(folder);
    const pairs = names.map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const);
    return Object.fromEntries(await Promise.all(pairs));
  };
  const whole = { one: 'ab', two: 'cde', out: 'f' };
  const text = new TextEncoder().encode('abcdef');

  test('are written and read as one, and get their names at the end', async () => {
    const run = await openAll();
    await run.file.write(0, text);
    const read = new Uint8Array(4);
    await run.file.read(1, read);
    expect(new TextDecoder().decode(read)).toBe('bcde');
    await expect(run.file.write(4, text)).rejects.toMatchObject({ code: 'truncated' });
    expect((await readdir(folder)).filter((name) => !name.includes('ptxlab-part'))).toEqual([]);
    await run.commit();
    expect(await contents()).toEqual(whole);
  });

  test('are not begun if one name already exists', async () => {
    await writeFile(join(folder, 'two'), 'another');
    await expect(openAll()).rejects.toMatchObject({ code: 'exists' });
    expect(await contents()).toEqual({ two: 'another' });
  });

  test('stop if a name is taken in the meantime: earlier files stay, and no unfinished file remains', async () => {
    const run = await openAll();
    await run.file.write(0, text);
    await writeFile(join(folder, 'two'), 'another');
    await expect(run.commit()).rejects.toMatchObject({ code: 'exists' });
    expect(await contents()).toEqual({ one: 'ab', two: 'another' });
  });

  test('are resumed if some got their final names before the power failed', async () => {
    await writeFile(join(folder, 'one'), 'ab');
    await writeFile(join(folder, '.two.ptxlab-part'), 'cd-');
    await writeFile(part, '-');
    await leave({});
    const run = await openAll({ resume: true });
    expect(run.position).toBe(3);
    await run.file.write(4, text.subarray(4));
    await run.commit();
    expect(await contents()).toEqual(whole);
  });

  test('are not resumed if one is missing or was replaced', async () => {
    await writeFile(join(folder, 'one'), 'another');
    await writeFile(part, '-');
    await leave({});
    await expect(openAll({ resume: true })).rejects.toMatchObject({ code: 'bad-offsets' });
    expect((await contents()) as Record<string, string>).toMatchObject({ one: 'another' });
  });

  test('leave nothing behind if they are abandoned', async () => {
    await (await openAll()).discard();
    expect(await readdir(folder)).toEqual([]);
  });

  test('a disk without room for all of them is reported before the first', async () => {
    const huge = places.map((place) => ({ ...place, size: 2 ** 50 }));
    await expect(
      openUnfinished(target, { size: 3 * 2 ** 50, files: huge, work: 'w', resume: false, replace: false }),
    ).rejects.toMatchObject({ code: 'disk-full' });
    expect(await readdir(folder)).toEqual([]);
  });
});
