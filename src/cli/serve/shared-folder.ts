/**
 * The folder through which a server exchanges large data with its client. The folder is in shared memory if the system
 * supports that. Only the owner can open the folder, which is removed when the server exits. Folders of servers that
 * crashed are removed when the next server starts.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RequestError } from './errors.ts';

const prefix = 'ptxlab-serve-';

/** Data is copied in pieces of this size, which is small enough for a piece to stay in the processor's cache. */
const pieceBytes = 2 ** 20;

export class SharedFolder {
  readonly path: string;
  private readonly most: number;
  private readonly piece = new Uint8Array(pieceBytes);

  /** @param most the maximum size of a file in bytes */
  constructor(most: number, parent: string = sharedMemory()) {
    removeAbandoned(parent);
    this.path = mkdtempSync(join(parent, `${prefix}${process.pid}-`));
    this.most = most;
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }

  /**
   * Reads part of a file piece by piece, and calls `take` with each piece and its offset. A piece is valid only during
   * the call.
   */
  read(name: string, at: number, bytes: number | undefined, take: (piece: Uint8Array, offset: number) => void): void {
    this.within(name, constants.O_RDONLY, (file, size) => {
      const count = bytes ?? size - at;
      this.requireSize(count);
      if (count < 0 || at + count > size) {
        throw new RequestError('bad-file', `'${name}' has ${size} bytes, not ${count} at ${at}`);
      }
      for (let done = 0; done < count; ) {
        const got = readSync(file, this.piece, 0, Math.min(pieceBytes, count - done), at + done);
        if (got === 0) throw new RequestError('bad-file', `'${name}' became shorter while it was being read`);
        take(this.piece.subarray(0, got), done);
        done += got;
      }
    });
  }

  /**
   * The size of a part of a file: `bytes` if it is given, otherwise the size of everything from offset `at` to the end.
   */
  sizeOf(name: string, at: number, bytes: number | undefined): number {
    const size = bytes ?? this.within(name, constants.O_RDONLY, (_, whole) => Math.max(0, whole - at));
    this.requireSize(size);
    return size;
  }

  /** Writes bytes into a file, and creates the file if necessary. The other bytes of the file are preserved. */
  write(name: string, at: number, bytes: Uint8Array): void {
    this.requireSize(at + bytes.byteLength);
    this.within(name, constants.O_WRONLY | constants.O_CREAT, (file) => {
      for (let done = 0; done < bytes.byteLength; ) {
        done += writeSync(file, bytes, done, bytes.byteLength - done, at + done);
      }
    });
  }

  private requireSize(bytes: number): void {
    if (bytes <= this.most) return;
    throw new RequestError('limit-exceeded', `${bytes} bytes exceed the limit of ${this.most} for a file`);
  }

  /** Opens a file directly in the folder; links and special files are rejected. */
  private within<T>(name: string, flags: number, use: (file: number, size: number) => T): T {
    if (!/^\w[\w.-]{0,127}$/.test(name)) {
      throw new RequestError('bad-file', `'${name.slice(0, 80)}' is not the name of a file in the server's folder`);
    }
    let file: number;
    try {
      file = openSync(join(this.path, name), flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600);
    } catch (error) {
      const why = error instanceof Error && 'code' in error ? String(error.code) : 'error';
      throw new RequestError('bad-file', `cannot open '${name}' in the server's folder: ${why}`);
    }
    try {
      const found = fstatSync(file);
      if (!found.isFile()) throw new RequestError('bad-file', `'${name}' is not a regular file`);
      return use(file, found.size);
    } finally {
      closeSync(file);
    }
  }
}

function sharedMemory(): string {
  return existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
}

/** Removes the folders of servers that this user started and that are no longer running. */
function removeAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = /^ptxlab-serve-(\d+)-\w+$/.exec(name)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    const path = join(parent, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    const isOwn = found?.isDirectory() === true && (process.getuid === undefined || found.uid === process.getuid());
    if (isOwn) rmSync(path, { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH');
  }
}
