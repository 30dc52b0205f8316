/** The files that shards read, and their hashes. */
import { hex } from '../../base/bits.ts';
import { createHash } from 'node:crypto';
import { isAbsolute, relative, resolve } from 'node:path';
import { crc32 } from 'node:zlib';
import { type OpenFile, openFile } from '../../hosts/node-open-file.ts';
import { PtxlabError } from '../../base/error.ts';
import { UsageError } from '../exit.ts';
import type { InputFile } from './manifest.ts';

/** Large files are checked in blocks of this size, so that a shard has to read only its own part of a file. */
const blockBytes = 2 ** 20;

/**
 * Hashes a file. If `inBlocks` is true, each block gets a checksum as well, so that a shard can check just the part
 * that it reads. `folder` is the folder of the plan.
 */
export async function hashInput(folder: string, path: string, inBlocks: boolean): Promise<InputFile> {
  const file = await openFile(path);
  try {
    const hash = createHash('sha256');
    const blocks: string[] = [];
    const room = new Uint8Array(blockBytes);
    for (let at = 0; at < file.size; at += blockBytes) {
      const block = room.subarray(0, Math.min(blockBytes, file.size - at));
      await file.read(at, block);
      hash.update(block);
      if (inBlocks) blocks.push(checksumOf(block));
    }
    await file.requireUnchanged();
    return {
      path: isAbsolute(path) ? path : relative(resolve(folder), resolve(path)),
      bytes: file.size,
      sha256: hash.digest('hex'),
      blocks: blocks.join(''),
      modified: isOld(file.modified) ? String(file.modified) : '',
    };
  } finally {
    await file.close();
  }
}

/**
 * Whether the last modification was so long ago that another modification would certainly have a different time. Some
 * file systems store the time in steps of two seconds.
 */
function isOld(modified: bigint): boolean {
  return BigInt(Date.now()) * 1_000_000n - modified > 4_000_000_000n;
}

/** CRC-32 as eight hex digits. */
export function checksumOf(bytes: Uint8Array): string {
  return hex(crc32(bytes), 32);
}

/** The path of an input on this machine. */
export function pathOfInput(folder: string, { path }: InputFile): string {
  return resolve(folder, path);
}

/** Throws if the file has changed since the plan was made. `found` contains the current bytes of the file. */
export function requireInput(path: string, { bytes, sha256 }: InputFile, found: Uint8Array): void {
  if (found.byteLength !== bytes || createHash('sha256').update(found).digest('hex') !== sha256) throw hasChanged(path);
}

function hasChanged(path: string): UsageError {
  return new UsageError(`${path}: is not the file that was planned; its contents differ`);
}

/**
 * A file whose blocks are compared with their checksums when they are read for the first time. The comparison is
 * skipped if the file's modification time is the same as in the plan. If only the beginning of a block has been read,
 * `requireUnchanged` reads and compares the whole block.
 *
 * @param inputs the inputs of the plan, by path on this machine
 */
export function checkedFile(opened: OpenFile, inputs: ReadonlyMap<string, InputFile>): OpenFile {
  const { path } = opened;
  const input = inputs.get(resolve(path));
  if (input === undefined) throw new PtxlabError('changed', `${path}: is not an input of the plan`);
  if (opened.size !== input.bytes) throw hasChanged(path);
  if (String(opened.modified) === input.modified) return opened;
  const checked = new Set<number>();
  const begun = new Map<number, Beginning>();
  const check = (block: number, checksum: number): void => {
    if (hex(checksum, 32) !== input.blocks.slice(block * 8, block * 8 + 8)) throw hasChanged(path);
    begun.delete(block);
    checked.add(block);
  };
  const endOf = (block: number): number => Math.min((block + 1) * blockBytes, opened.size);
  const readAndCheck = async (block: number): Promise<void> => {
    const first = block * blockBytes;
    const whole = new Uint8Array(endOf(block) - first);
    await opened.read(first, whole);
    check(block, crc32(whole));
  };
  const read = async (offset: number, into: Uint8Array): Promise<void> => {
    await opened.read(offset, into);
    const end = offset + into.byteLength;
    for (let block = Math.floor(offset / blockBytes); block * blockBytes < end; block++) {
      if (checked.has(block)) continue;
      const { end: from, checksum } = begun.get(block) ?? { end: block * blockBytes, checksum: 0 };
      if (from < offset || from > end) {
        await readAndCheck(block);
        continue;
      }
      const to = Math.min(endOf(block), end);
      const longer = crc32(into.subarray(from - offset, to - offset), checksum);
      if (to === endOf(block)) check(block, longer);
      else begun.set(block, { end: to, checksum: longer });
    }
  };
  const requireUnchanged = async (): Promise<void> => {
    for (const block of begun.keys()) await readAndCheck(block);
    await opened.requireUnchanged();
  };
  return { ...opened, read, requireUnchanged };
}

/** The part of a block that has been read so far. It starts at the beginning of the block. */
interface Beginning {
  /** Offset in the file. */
  readonly end: number;
  readonly checksum: number;
}
