/**
 * A table of the containers of tensor files, with one row for each container. open.ts opens existing files, and
 * layout.ts lays out new ones.
 */
import { oneOf, type Rule } from '../base/rules.ts';
import { keysOf } from '../base/records.ts';

export type Container = 'safetensors' | 'npy' | 'npz' | 'gguf' | 'raw';

export interface ContainerRow {
  /** The name of the container in lists, for example `.npy`. */
  readonly title: string;
  /** How messages refer to a file of this container, for example `a GGUF file`. */
  readonly words: string;
  /** File name extensions, without the dot. */
  readonly endings: readonly string[];
  /** The first bytes of every file of this container; null if the files do not begin with a fixed signature. */
  readonly signature: readonly number[] | null;
  /**
   * For a container without a signature: a function that takes the first nine bytes of a file and returns whether the
   * file may be of this kind. Null if the container cannot be detected from the contents of a file.
   */
  readonly resembles: ((start: Uint8Array) => boolean) | null;
  /** Whether a file holds exactly one tensor. */
  readonly holdsOne: boolean;
  /** Whether a model can consist of several files of this kind and an index. */
  readonly sharded: boolean;
  /** Where the scales of quantized elements are stored: in separate tensors, or inside blocks. */
  readonly scales: 'beside' | 'in blocks';
}

export const npyMagic: readonly number[] = [0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59];

const plain = { signature: null, resembles: null, holdsOne: false, sharded: false, scales: 'beside' } as const;

export const containers: Readonly<Record<Container, ContainerRow>> = {
  safetensors: {
    ...plain,
    title: 'safetensors',
    words: 'a safetensors file',
    endings: ['safetensors'],
    // A safetensors file begins with an eight-byte header length, followed by a header that begins with a brace. The
    // index file of a model is JSON, so it begins with a brace itself.
    resembles: (start) => start[8] === 0x7b || start[0] === 0x7b,
    sharded: true,
  },
  npy: {
    ...plain,
    title: '.npy',
    words: 'an .npy file',
    endings: ['npy'],
    signature: npyMagic,
    holdsOne: true,
  },
  npz: { ...plain, title: '.npz', words: 'an .npz file', endings: ['npz'], signature: [0x50, 0x4b] },
  gguf: {
    ...plain,
    title: 'GGUF',
    words: 'a GGUF file',
    endings: ['gguf'],
    signature: [0x47, 0x47, 0x55, 0x46],
    scales: 'in blocks',
  },
  raw: { ...plain, title: 'raw', words: 'a raw file', endings: ['raw', 'bin'], holdsOne: true },
};

export const containerNames: readonly Container[] = keysOf(containers);

export const containerRule: Rule<Container> = oneOf(...containerNames);

function hasHeader({ signature, resembles }: ContainerRow): boolean {
  return signature !== null || resembles !== null;
}

/** The container that the first nine bytes of a file identify; null if these bytes do not identify a container. */
export function containerThatBegins(start: Uint8Array): Container | null {
  const signed = containerNames.find((name) => containers[name].signature?.every((byte, i) => start[i] === byte));
  return signed ?? containerNames.find((name) => containers[name].resembles?.(start)) ?? null;
}

/** The container that a file's extension implies; null if the extension is unknown. */
export function containerNamed(path: string): Container | null {
  const ending = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return containerNames.find((name) => containers[name].endings.includes(ending)) ?? null;
}

/** Whether the file's extension belongs to a container whose files begin with a header. */
export function isNamedForHeader(path: string): boolean {
  const container = containerNamed(path);
  return container !== null && hasHeader(containers[container]);
}

/** The titles of all containers, or only of those whose files begin with a header. */
export function containerTitles(which: 'all' | 'with header' = 'all'): readonly string[] {
  return Object.values(containers)
    .filter((row) => which === 'all' || hasHeader(row))
    .map(({ title }) => title);
}
