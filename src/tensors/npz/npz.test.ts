import { inflateSync, zipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { filled } from '../../../test/filled.ts';
import { refusalOf } from '../../../test/tensors/refusal.ts';
import { type ByteSource, memorySink, memorySource, readBytes } from '../bytes.ts';
import { crc32 } from './crc32.ts';
import { inflateSource } from './inflate-source.ts';
import { type NpyType, writeNpy } from '../npy/npy.ts';
import { openNpz } from './npz.ts';
import { layoutNpz } from './layout.ts';
import type { TensorEntry, TensorFile } from '../tensor-file.ts';
import { centralHeader, endOfZip, joined } from './zip-records.ts';
import { readZip } from './zip.ts';

const array = (type: NpyType, length: number, value = (i: number): number => i): Uint8Array =>
  writeNpy({
    type,
    shape: [length],
    bytes: filled(new Uint8Array(length * Number(type.slice(1))), value),
  });

const open = (bytes: Uint8Array): Promise<TensorFile> => openNpz(memorySource(bytes));

async function read(file: TensorFile, name: string): Promise<number[]> {
  const entry = file.tensors.find((tensor) => tensor.name === name);
  if (entry === undefined) throw new Error(name);
  return [...(await readBytes(file.data(entry), 0, entry.byteLength))];
}

async function readAll(bytes: Uint8Array): Promise<void> {
  const file = await open(bytes);
  for (const { name } of file.tensors) await read(file, name);
}

const codeOf = async (bytes: Uint8Array): Promise<string> => (await refusalOf(readAll(bytes))) ?? 'read';

/** Returns a copy of the bytes, with `values` written over the bytes at offset `at`. */
function patched(bytes: Uint8Array, at: number, ...values: readonly number[]): Uint8Array {
  const copy = bytes.slice();
  copy.set(values, at);
  return copy;
}

test('crc32 of the digits 1 to 9 is the well-known check value', () => {
  expect(crc32(new TextEncoder().encode('123456789'))).toBe(0xcbf43926);
  expect(crc32(new TextEncoder().encode('6789'), crc32(new TextEncoder().encode('12345')))).toBe(0xcbf43926);
  const many = Uint8Array.from({ length: 1001 }, (_, i) => Math.imul(i, 0x9e3779b1) >>> 24);
  for (const part of [0, 1, 7, 8, 9, 500])
    expect(crc32(many.subarray(part), crc32(many.subarray(0, part)))).toBe(crc32(many));
});

/** The position of the checksum in the directory of a file whose only member is `a.npy`. */
const checksumAt = (bytes: Uint8Array): number => bytes.length - 22 - 'a.npy'.length - 46 + 16;

describe.each([
  ['stored', 0],
  ['deflated', 6],
] as const)('%s members', (_, level) => {
  const file = zipSync({ 'a.npy': array('u1', 5), 'dir/b.npy': array('f4', 3) }, { level });

  test('are arrays with the names of the members', async () => {
    const opened = await open(file);
    expect(opened.tensors).toMatchObject([
      { name: 'a', dtype: '|u1', shape: [5], byteLength: 5 },
      { name: 'dir/b', dtype: '<f4', shape: [3], byteLength: 12 },
    ]);
    expect(await read(opened, 'a')).toEqual([0, 1, 2, 3, 4]);
    expect(await read(opened, 'dir/b')).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
  });

  test('begin at the file position in their entries', async () => {
    const opened = await open(file);
    for (const { name, offset, byteLength } of opened.tensors) {
      const there = file.subarray(offset);
      // If the member is deflated, `offset` points to the start of the compressed .npy file, so inflating it also
      // yields the header.
      const data = level === 0 ? there.subarray(0, byteLength) : inflateSync(there).subarray(-byteLength);
      expect([...data]).toEqual(await read(opened, name));
    }
  });

  test('with wrong contents are rejected when they have been read to their end', async () => {
    const bytes = zipSync({ 'a.npy': array('u1', 2_000_000, (i) => Math.imul(i, i) >>> 7) }, { level });
    const opened = await open(patched(bytes, checksumAt(bytes), 1, 2, 3, 4));
    const [entry] = opened.tensors as [TensorEntry];
    const data = opened.data(entry);
    expect(await refusalOf(readBytes(data, 0, 2_000_000))).toBe('bad-data');
    expect(await refusalOf(readBytes(data, 1_000_000, 1_000_000))).toBe('bad-data');
  });

  test('are checked even if only their end is read, and are read only once if reading continues', async () => {
    const bytes = zipSync({ 'a.npy': array('u1', 2_000_000, (i) => Math.imul(i, i) >>> 7) }, { level });
    let taken = 0;
    const source = memorySource(bytes);
    const opened = await openNpz({
      size: source.size,
      read(offset, into) {
        taken += into.byteLength;
        return source.read(offset, into);
      },
    });
    const [entry] = opened.tensors as [TensorEntry];
    const data = opened.data(entry);
    for (let at = 0; at < 2_000_000; at += 500_000) await readBytes(data, at, 500_000);
    expect(taken).toBeLessThan(bytes.length + 100_000);
    const spoilt = await open(patched(bytes, checksumAt(bytes), 1, 2, 3, 4));
    expect(await refusalOf(readBytes(spoilt.data(entry), 1_999_999, 1))).toBe('bad-data');
  });

  test('are not read when the file is opened', async () => {
    const large = zipSync({ 'a.npy': array('u1', 4_000_000, (i) => Math.imul(i, i) >>> 7) }, { level });
    let bytes = 0;
    const source = memorySource(large);
    const counting: ByteSource = {
      size: source.size,
      read(offset, into) {
        bytes += into.byteLength;
        return source.read(offset, into);
      },
    };
    await openNpz(counting);
    expect(bytes).toBeLessThan(100_000);
  });
});

describe('a compressed source', () => {
  const bytes = filled(new Uint8Array(300_000), (i) => (i * i) >> 5);
  const zip = zipSync({ a: bytes });
  const source = async (size = bytes.length, checksum = crc32(bytes)): Promise<ByteSource> => {
    const [member] = await readZip(memorySource(zip));
    if (member === undefined) throw new Error('one member');
    return inflateSource(
      memorySource(zip.subarray(member.offset, member.offset + member.compressedSize)),
      size,
      checksum,
    );
  };

  test('can be read forwards, backwards, and by several readers at once', async () => {
    const inflated = await source();
    const places = [200_000, 0, 100_000, 5, 299_990];
    const parts = await Promise.all(places.map((at) => readBytes(inflated, at, 10)));
    expect(parts).toEqual(places.map((at) => bytes.slice(at, at + 10)));
  });

  test('whose length or checksum differs from the one in the directory is rejected', async () => {
    const last = async (inflated: ByteSource): Promise<Uint8Array> => readBytes(inflated, inflated.size - 1, 1);
    await expect(last(await source())).resolves.toEqual(bytes.slice(-1));
    await expect(last(await source(bytes.length + 1))).rejects.toMatchObject({ code: 'bad-data' });
    await expect(last(await source(bytes.length - 1))).rejects.toMatchObject({ code: 'bad-data' });
    await expect(last(await source(bytes.length, 1))).rejects.toMatchObject({ code: 'bad-data' });
  });
});

test('members that are not numbers are left out and named', async () => {
  const npy = (descr: string): Uint8Array => {
    const header = `{'descr': ${descr}, 'fortran_order': False, 'shape': ()}\n`;
    return Uint8Array.from([
      0x93,
      ...new TextEncoder().encode('NUMPY'),
      1,
      0,
      header.length,
      0,
      ...new TextEncoder().encode(header),
      0,
      0,
      0,
      0,
    ]);
  };
  const objects = npy("'|O'");
  const file = await open(
    zipSync({ 'o.npy': objects, 'a.npy': array('u1', 5), 's.npy': npy("[('x', '<f4')]"), 'notes.txt': objects }),
  );
  expect(file.tensors.map(({ name }) => name)).toEqual(['a']);
  expect(file.unreadable).toEqual([
    { name: 'o.npy', reason: 'member "o.npy": elements of type "|O" are not numbers' },
    { name: 's.npy', reason: `member "s.npy": elements of type "[('x', '<f4')]" are not numbers` },
    { name: 'notes.txt', reason: 'member "notes.txt" is not an .npy file' },
  ]);
});

describe('bad files', () => {
  const good = zipSync({ 'a.npy': array('u1', 5) }, { level: 0 });
  const directory = good.length - 22 - 46 - 5;

  test.each<[string, Uint8Array, string]>([
    ['nothing', new Uint8Array(0), 'not-this-container'],
    ['another file', new Uint8Array(100), 'not-this-container'],
    ['a zip file that is cut off', good.subarray(0, -1), 'truncated'],
    ['a member that is not an array', zipSync({ 'a.txt': new Uint8Array(5) }), 'unsupported'],
    ['a bad array', zipSync({ 'a.npy': new Uint8Array(50) }), 'not-this-container'],
    ['an encrypted member', patched(good, directory + 8, 1), 'unsupported'],
    ['another method', patched(good, directory + 10, 12), 'unsupported'],
    ['a directory elsewhere', patched(good, good.length - 6, 0xff, 0xff), 'bad-header'],
    ['a member elsewhere', patched(good, directory + 42, 1), 'bad-header'],
    ['a member outside', patched(good, directory + 42, 0xff, 0xff), 'bad-offsets'],
    ['a member too long', patched(good, directory + 20, 0xff, 0xff, 0, 0, 0xff, 0xff), 'bad-offsets'],
    ['a stored member with two different sizes', patched(good, directory + 24, 1), 'bad-offsets'],
    ['a count of more members than the file has', patched(good, good.length - 12, 2), 'bad-header'],
    ['a 64-bit directory that is missing', patched(good, good.length - 12, 0xff, 0xff), 'bad-header'],
    [
      'a name twice',
      joined([good.subarray(0, -22), good.subarray(directory, -22), endOfZip(2, directory, 2 * 51)]),
      'duplicate-name',
    ],
  ])('%s', async (_, bytes, code) => {
    expect(await codeOf(bytes)).toBe(code);
  });
});

describe('a planned file', () => {
  async function written(): Promise<Uint8Array> {
    const layout = layoutNpz([
      { name: 'a', dtype: '|u1', shape: [3] },
      { name: 'ü', dtype: '|V1', shape: [2, 2] },
      { name: 'empty', dtype: '<f8', shape: [0] },
    ]);
    const bytes = new Uint8Array(layout.size);
    layout.tensors.toReversed().forEach(({ offset, byteLength }, i) => bytes.fill(i + 7, offset, offset + byteLength));
    await layout.finish?.({ ...memorySource(bytes), ...memorySink(bytes) });
    return bytes;
  }

  test('is read back', async () => {
    const file = await open(await written());
    expect(file.tensors.map(({ name, dtype, shape }) => ({ name, dtype, shape }))).toEqual([
      { name: 'a', dtype: '|u1', shape: [3] },
      { name: 'ü', dtype: '|V1', shape: [2, 2] },
      { name: 'empty', dtype: '<f8', shape: [0] },
    ]);
    expect(await read(file, 'a')).toEqual([9, 9, 9]);
    expect(await read(file, 'ü')).toEqual([8, 8, 8, 8]);
  });

  test('does not depend on the time of writing', async () => {
    expect(await written()).toEqual(await written());
  });

  test('names are unique', () => {
    const plan = { name: 'a', dtype: '|u1', shape: [3] };
    expect(() => layoutNpz([plan, plan])).toThrow(expect.objectContaining({ code: 'duplicate-name' }));
  });
});

test('a directory with the 64-bit extension is read', async () => {
  const member = { name: new TextEncoder().encode('a.npy'), local: 2 ** 33, size: 2 ** 34 };
  const central = centralHeader(member, 1);
  const directory = 2 ** 35;
  const end = joined([central, endOfZip(70_000, directory, central.length)]);
  const local = Uint8Array.of(0x50, 0x4b, 3, 4, ...new Uint8Array(22), 5, 0, 20, 0);
  const source: ByteSource = {
    size: directory + end.length,
    async read(offset, into) {
      const [part, start] = offset < directory - 2 ** 20 ? [local, member.local] : [end, directory];
      for (let i = 0; i < into.length; i++) into[i] = part[offset + i - start] ?? 0;
    },
  };
  // The number of members is compared only after the whole directory has been read.
  await expect(readZip(source)).rejects.toThrow('the zip file has 1 members, but its directory says 70000');
});
