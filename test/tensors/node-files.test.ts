/** Tests that files are read on demand, and that a new file appears under its name only when it is complete. */
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, statfs, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openFile } from '../../src/hosts/node-open-file.ts';
import { createFile } from '../../src/hosts/node-pending-file.ts';
import { openTensors } from '../../src/hosts/node-tensors.ts';
import { readBytes } from '../../src/tensors/bytes.ts';
import { layoutSafetensors } from '../../src/tensors/safetensors/layout.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ptxlab-files-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** An empty folder for each test. */
async function place(): Promise<string> {
  return mkdtemp(join(folder, 'x'));
}

const bytes = Uint8Array.of(1, 2, 3, 4);

async function write(path: string, replace = false): Promise<void> {
  const file = await createFile(path, { size: 4, replace });
  await file.write(2, bytes.subarray(2));
  await file.write(0, bytes.subarray(0, 2));
  await file.commit();
}

describe('a new file', () => {
  test.skipIf(process.getuid?.() === 0)('a folder without write permission (skipped for root)', async () => {
    const at = await place();
    await chmod(at, 0o500);
    const path = join(at, 'a.npy');
    const message = `${path}: permission denied`;
    await expect(createFile(path, { size: 4 })).rejects.toMatchObject({ code: 'no-permission', message });
  });

  test('is complete or absent', async () => {
    const at = await place();
    const file = await createFile(join(at, 'a'), { size: 4 });
    await file.write(3, Uint8Array.of(9));
    expect(await readdir(at)).not.toContain('a');
    expect([...(await readBytes(file, 0, 4))]).toEqual([0, 0, 0, 9]);
    await file.commit();
    expect(await readdir(at)).toEqual(['a']);
    expect([...(await readFile(join(at, 'a')))]).toEqual([0, 0, 0, 9]);
  });

  test('is not written past its end', async () => {
    const file = await createFile(join(await place(), 'a'), { size: 4 });
    await expect(file.write(2, Uint8Array.of(1, 2, 3))).rejects.toMatchObject({ code: 'bad-offsets' });
    await file.discard();
  });

  test('leaves nothing behind if it is abandoned', async () => {
    const at = await place();
    const file = await createFile(join(at, 'a'), { size: 4 });
    await file.discard();
    await file.discard();
    expect(await readdir(at)).toEqual([]);
  });

  test('does not replace another file, not even one that appears while it is written', async () => {
    const at = await place();
    await writeFile(join(at, 'a'), 'old');
    await expect(write(join(at, 'a'))).rejects.toMatchObject({ code: 'exists' });
    const late = await createFile(join(at, 'b'), { size: 4 });
    await writeFile(join(at, 'b'), 'old');
    await expect(late.commit()).rejects.toMatchObject({ code: 'exists' });
    expect(await readFile(join(at, 'b'), 'utf8')).toBe('old');
    expect((await readdir(at)).sort()).toEqual(['a', 'b']);
  });

  test('replaces another file if requested', async () => {
    const at = await place();
    await writeFile(join(at, 'a'), 'old');
    await write(join(at, 'a'), true);
    expect(new Uint8Array(await readFile(join(at, 'a')))).toEqual(bytes);
  });

  test('never touches the target of a symbolic link', async () => {
    const at = await place();
    await writeFile(join(at, 'target'), 'old');
    await symlink(join(at, 'target'), join(at, 'link'));
    await symlink(join(at, 'nowhere'), join(at, 'dangling'));
    await expect(write(join(at, 'link'))).rejects.toMatchObject({ code: 'exists' });
    await expect(write(join(at, 'dangling'))).rejects.toMatchObject({ code: 'exists' });
    await write(join(at, 'link'), true);
    expect(await readFile(join(at, 'target'), 'utf8')).toBe('old');
    expect(new Uint8Array(await readFile(join(at, 'link')))).toEqual(bytes);
    expect(await readdir(at)).not.toContain('nowhere');
  });

  test('continues where an earlier run stopped', async () => {
    const at = await place();
    const temporary = '.a.part';
    const first = await createFile(join(at, 'a'), { size: 4, temporary });
    await first.write(0, bytes.subarray(0, 2));
    await first.suspend();
    await expect(createFile(join(at, 'a'), { size: 4, temporary })).rejects.toMatchObject({ code: 'exists' });
    await expect(createFile(join(at, 'a'), { size: 5, temporary, resume: true })).rejects.toMatchObject({
      code: 'bad-offsets',
    });
    const second = await createFile(join(at, 'a'), { size: 4, temporary, resume: true });
    await second.write(2, bytes.subarray(2));
    await second.commit();
    expect(new Uint8Array(await readFile(join(at, 'a')))).toEqual(bytes);
    expect(await readdir(at)).toEqual(['a']);
  });

  test('is not begun if it cannot be created', async () => {
    const at = await place();
    await mkdir(join(at, 'folder'));
    const refused: [string, number, string][] = [
      ['folder', 4, 'is-a-directory'],
      ['nowhere/a', 4, 'not-found'],
      ['a', 2 ** 52, 'disk-full'],
    ];
    for (const [name, size, code] of refused)
      await expect(createFile(join(at, name), { size, replace: true })).rejects.toMatchObject({ code });
    await expect(createFile('/dev/null', { size: 4, replace: true })).rejects.toMatchObject({ code: 'not-a-file' });
    expect(await readdir(at)).toEqual(['folder']);
  });

  test('may have the longest possible name', async () => {
    const at = await place();
    await write(join(at, 'ü'.repeat(127)));
    expect(await readdir(at)).toHaveLength(1);
  });
});

describe('reading a file', () => {
  test.each<[string, (at: string) => Promise<string>, string]>([
    ['is not there', async (at) => join(at, 'a'), 'not-found'],
    ['is a folder', async (at) => at, 'is-a-directory'],
    ['is a device', async () => '/dev/null', 'not-a-file'],
    [
      'is a link to itself',
      async (at) => {
        await symlink(join(at, 'a'), join(at, 'a'));
        return join(at, 'a');
      },
      'not-a-file',
    ],
  ])('that %s', async (_, path, code) => {
    await expect(openFile(await path(await place()))).rejects.toMatchObject({ code });
  });

  test.skipIf(process.getuid?.() === 0)('that is not readable (skipped for root, who may read it)', async () => {
    const path = join(await place(), 'a');
    await writeFile(path, 'x');
    await chmod(path, 0);
    await expect(openFile(path)).rejects.toMatchObject({ code: 'no-permission' });
  });

  test('that becomes shorter', async () => {
    const path = join(await place(), 'a');
    await writeFile(path, bytes);
    const file = await openFile(path);
    await truncate(path, 2);
    await expect(readBytes(file, 0, 4)).rejects.toMatchObject({ code: 'truncated' });
    await file.close();
  });
});

describe('a model', () => {
  const layout = layoutSafetensors([{ name: 'w', dtype: 'U8', shape: [1] }]);
  const model = async (index: unknown): Promise<string> => {
    const at = await place();
    const shard = new Uint8Array(layout.size).fill(7);
    shard.set(layout.header);
    await writeFile(join(at, 'one.safetensors'), shard);
    await writeFile(join(folder, 'outside.safetensors'), shard);
    await writeFile(join(at, 'model.safetensors.index.json'), JSON.stringify(index));
    return join(at, 'model.safetensors.index.json');
  };

  test('of several files is opened by its index', async () => {
    const path = await model({ metadata: { total_size: 1 }, weight_map: { w: 'one.safetensors' } });
    const { file, close } = await openTensors(path);
    expect(file).toMatchObject({ metadata: { total_size: 1 }, tensors: [{ name: 'w', shard: 'one.safetensors' }] });
    const data = file.tensors.map((entry) => file.data(entry));
    expect(await Promise.all(data.map((source) => readBytes(source, 0, 1)))).toEqual([Uint8Array.of(7)]);
    await close();
  });

  test.each<[string, unknown, string]>([
    ['../outside.safetensors', { weight_map: { w: '../outside.safetensors' } }, 'unsafe-path'],
    ['a\\b', { weight_map: { w: 'a\\b' } }, 'unsafe-path'],
    ['..', { weight_map: { w: '..' } }, 'unsafe-path'],
    ['C:x', { weight_map: { w: 'C:x' } }, 'unsafe-path'],
    ['a name of nothing', { weight_map: { w: '' } }, 'unsafe-path'],
    ['a shard that does not exist', { weight_map: { w: 'two.safetensors' } }, 'not-found'],
    ['the index itself', { weight_map: { w: 'model.safetensors.index.json' } }, 'bad-header'],
    ['a tensor that does not exist', { weight_map: { v: 'one.safetensors' } }, 'bad-header'],
    ['no weight_map', { metadata: {} }, 'bad-header'],
  ])('%s is refused', async (_, index, code) => {
    await expect(openTensors(await model(index))).rejects.toMatchObject({ code });
  });
});

test('a tensor past the first four gigabytes', async ({ skip }) => {
  const { bavail, bsize } = await statfs(folder);
  skip(bavail * bsize < 2 ** 33, 'the file is sparse, but it is begun only if there is room for all of it');
  const path = join(await place(), 'large.safetensors');
  const layout = layoutSafetensors([
    { name: 'large', dtype: 'U16', shape: [2 ** 16, 2 ** 15 + 1] },
    { name: 'small', dtype: 'U8', shape: [3] },
  ]);
  const [large, small] = layout.tensors;
  if (large === undefined || small === undefined) throw new Error('two tensors');
  expect(small.offset).toBeGreaterThan(2 ** 32);
  const file = await createFile(path, { size: layout.size });
  await file.write(0, layout.header);
  await file.write(small.offset, Uint8Array.of(7, 8, 9));
  await file.write(large.offset + large.byteLength - 1, Uint8Array.of(6));
  await file.commit();

  const opened = await openTensors(path);
  expect(opened.file.tensors).toEqual(layout.tensors);
  expect([...(await readBytes(opened.file.data(small), 0, 3))]).toEqual([7, 8, 9]);
  expect([...(await readBytes(opened.file.data(large), large.byteLength - 2, 2))]).toEqual([0, 6]);
  await opened.close();
  await rm(path);
});
