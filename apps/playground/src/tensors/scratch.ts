/**
 * Provides space for writing a converted file: in memory if the file is small, and otherwise in the browser's private
 * storage on disk.
 */
import { type ByteSink, type ByteSource, memorySink, memorySource, TensorFileError } from 'ptxlab/tensors';

export interface Scratch {
  readonly place: ByteSource & ByteSink;
  /** Returns the finished file. After this call, nothing more may be written to `place`. */
  readonly finish: () => Promise<Blob>;
  /** Frees the space if `finish` has not been called. */
  readonly drop: () => Promise<void>;
}

/** The size in bytes up to which a file is kept in memory. */
const mostInMemory = 2 ** 26;
/** The size in bytes up to which a file is kept in memory if the browser does not provide storage. */
const mostWithoutStorage = 2 ** 30;

export async function scratchOf(size: number, name: string): Promise<Scratch> {
  if (size <= mostInMemory) return memoryScratch(size);
  try {
    return await diskScratch(size, name);
  } catch (cause) {
    if (size <= mostWithoutStorage) return memoryScratch(size);
    throw new TensorFileError('disk-full', `the browser has no room for ${size} bytes`, { cause });
  }
}

function memoryScratch(size: number): Scratch {
  const bytes = new Uint8Array(size);
  return {
    place: { ...memorySource(bytes), ...memorySink(bytes) },
    finish: async () => new Blob([bytes]),
    drop: async () => undefined,
  };
}

/** The operations that workers can perform on a file in the browser's storage. */
interface OpenFile {
  read(into: Uint8Array, options: { readonly at: number }): number;
  write(bytes: Uint8Array, options: { readonly at: number }): number;
  truncate(size: number): void;
  flush(): void;
  close(): void;
}

type WorkerFileHandle = FileSystemFileHandle & { createSyncAccessHandle(): Promise<OpenFile> };

function isForWorkers(file: FileSystemFileHandle): file is WorkerFileHandle {
  return 'createSyncAccessHandle' in file;
}

async function diskScratch(size: number, name: string): Promise<Scratch> {
  const folder = await navigator.storage.getDirectory();
  const file = await folder.getFileHandle(name, { create: true });
  if (!isForWorkers(file)) throw new Error('only workers can write to a file at a given offset');
  const handle = await file.createSyncAccessHandle();
  handle.truncate(0);
  handle.truncate(size);
  return {
    place: {
      size,
      read: async (at, into) => void handle.read(into, { at }),
      write: async (at, bytes) => void handle.write(bytes, { at }),
    },
    finish: async () => {
      handle.flush();
      handle.close();
      return file.getFile();
    },
    drop: async () => {
      handle.close();
      await folder.removeEntry(name);
    },
  };
}
