/** Reads the inputs that are specified on the command line. */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { err, ok, type Result } from '../base/result.ts';
import { fileTrouble } from '../hosts/file-errors.ts';
import { UsageError } from './exit.ts';
import type { Session } from './session.ts';

/** The largest input that is read, 256 MiB; a larger file is rejected before any of it is read. */
export const sizeLimit: number = 256 * 1024 * 1024;

/** How a path is shown in messages. */
export function displayName(path: string): string {
  if (path === '-') return '<stdin>';
  return path === '' ? "''" : path;
}

/** The text of a file, or of stdin for `-`. If it cannot be read, the error is a single line that names the input. */
export async function readInput(path: string, { stdin }: Pick<Session, 'stdin'>): Promise<Result<string, string>> {
  try {
    const bytes = path === '-' ? await readStream(stdin()) : await readFile(path);
    return bytes === null ? err(tooLarge(path)) : ok(decodeText(bytes));
  } catch (error) {
    return err(`${displayName(path)}: ${fileTrouble(error)}`);
  }
}

/** The contents of a file; null if the file is larger than the limit. */
async function readFile(path: string): Promise<Uint8Array | null> {
  const file = await open(path, 'r');
  try {
    const stat = await file.stat();
    if (stat.isDirectory()) throw isDirectory();
    if (stat.size > sizeLimit) return null;
    if (stat.isFile() && stat.size > 0) return await file.readFile();
    return await readStream(file.createReadStream({ autoClose: false }));
  } finally {
    await file.close();
  }
}

function isDirectory(): Error {
  return Object.assign(new Error('is a directory'), { code: 'EISDIR' });
}

async function readStream(stream: AsyncIterable<Buffer>): Promise<Uint8Array | null> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    if (size > sizeLimit) return null;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, size);
}

/**
 * Yields the bytes of a file, or of stdin for `-`, as they arrive. If the input cannot be read, throws a UsageError
 * that names the input.
 */
export async function* streamInput(path: string, { stdin }: Pick<Session, 'stdin'>): AsyncGenerator<Buffer> {
  try {
    yield* path === '-' ? stdin() : createReadStream(path);
  } catch (error) {
    throw new UsageError(`${displayName(path)}: ${fileTrouble(error)}`);
  }
}

/** Decodes UTF-8; invalid bytes become U+FFFD, which the grammar accepts only in comments. */
function decodeText(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function tooLarge(path: string): string {
  return `${displayName(path)}: larger than ${sizeLimit / 1024 / 1024} MiB, the limit for one input`;
}
