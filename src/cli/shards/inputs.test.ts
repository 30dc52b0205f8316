import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import type { OpenFile } from '../../hosts/node-open-file.ts';
import { checkedFile } from './inputs.ts';

const block = 2 ** 20;
const planned = Uint8Array.from({ length: 3.5 * block }, (_, i) => (i * 7) ^ (i >> 9));

const time = 1_700_000_000_123_456_789n;

/**
 * Returns a file with the given bytes, and a function that returns how many bytes have been read from the file. The
 * plan expects the file to contain the bytes in `planned`.
 */
function opened(
  bytes: Uint8Array,
  modified: bigint = time + 1n,
): { readonly file: OpenFile; readonly count: () => number } {
  let count = 0;
  const blocks = Array.from({ length: 4 }, (_, i) => crc32(planned.subarray(i * block, (i + 1) * block)));
  const plain: OpenFile = {
    path: '/in.bin',
    size: bytes.byteLength,
    modified,
    read(offset, into) {
      count += into.byteLength;
      into.set(bytes.subarray(offset, offset + into.byteLength));
      return Promise.resolve();
    },
    requireUnchanged: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
  const input = {
    path: '/in.bin',
    bytes: planned.byteLength,
    sha256: createHash('sha256').update(planned).digest('hex'),
    blocks: blocks.map((sum) => sum.toString(16).padStart(8, '0')).join(''),
    modified: String(time),
  };
  return { file: checkedFile(plain, new Map([['/in.bin', input]])), count: () => count };
}

async function readInRow(file: OpenFile, from: number, to: number, step: number): Promise<void> {
  for (let at = from; at < to; at += step) await file.read(at, new Uint8Array(Math.min(step, to - at)));
  await file.requireUnchanged();
}

test.each([
  ['from the beginning', 0, planned.byteLength, planned.byteLength],
  ['from within a block, which is read whole', 100, planned.byteLength, planned.byteLength - 100 + block],
  ['up to within a block, which is read whole at the end', 0, 2 * block + 9, 3 * block + 9],
])('reads in a row %s take every byte once', async (_, from, to, expected) => {
  const { file, count } = opened(planned);
  await readInRow(file, from, to, 300_001);
  expect(count()).toBe(expected);
});

test.each([0, block - 1, block, 2 * block + 10, planned.byteLength - 1])('a change of byte %d is found', async (at) => {
  const changed = planned.slice();
  changed[at] = ~(planned[at] ?? 0);
  const reads = readInRow(opened(changed).file, 0, planned.byteLength, 300_001);
  await expect(reads).rejects.toThrow('/in.bin: is not the file that was planned');
});

test('a change in the rest of a block that is read in part is found', async () => {
  const changed = planned.slice();
  changed[3 * block - 1] = 1;
  await expect(readInRow(opened(changed).file, 0, 2 * block + 10, block)).rejects.toThrow('is not the file');
});

test('nothing is compared if the size and the time of modification are those that were planned', async () => {
  const changed = planned.map((byte) => ~byte);
  const { file, count } = opened(changed, time);
  await readInRow(file, 100, 2 * block + 10, block);
  expect(count()).toBe(2 * block - 90);
  expect(() => opened(changed.subarray(1), time)).toThrow('is not the file');
});
