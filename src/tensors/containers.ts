/** The containers of tensor files, a row each. How one is opened is in open.ts, how it is written in layout.ts. */

export type Container = 'safetensors' | 'npy' | 'npz' | 'gguf' | 'raw';

export interface ContainerRow {
  /** In lists: `.npy`. */
  readonly title: string;
  /** A file of it, in words. */
  readonly words: string;
  /** What names of such files end with, without the dot. */
  readonly endings: readonly string[];
  /** Bytes that such files begin with; null where they have none. */
  readonly signature: readonly number[] | null;
  /** Without signature: whether these may be the first nine bytes of one. Null where nothing in a file tells. */
  readonly resembles: ((start: Uint8Array) => boolean) | null;
  /** It holds exactly one tensor. */
  readonly holdsOne: boolean;
  /** A model can be several of its files, with an index. */
  readonly sharded: boolean;
  /** Where scales of codes go: into tensors beside them, or into blocks with them. */
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
    // Its header begins with a brace after eight bytes, and an index with a brace.
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

export const containerNames: readonly Container[] = Object.keys(containers) as Container[];

function hasHeader({ signature, resembles }: ContainerRow): boolean {
  return signature !== null || resembles !== null;
}

/** The container whose files begin with these nine bytes; null where none does. */
export function containerThatBegins(start: Uint8Array): Container | null {
  const signed = containerNames.find((name) => containers[name].signature?.every((byte, i) => start[i] === byte));
  return signed ?? containerNames.find((name) => containers[name].resembles?.(start)) ?? null;
}

/** The container that a file is named for; null where its ending says nothing. */
export function containerNamed(path: string): Container | null {
  const ending = /\.([^./\\]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  return containerNames.find((name) => containers[name].endings.includes(ending)) ?? null;
}

/** True for the name of a file that says itself what it holds. */
export function isNamedForHeader(path: string): boolean {
  const container = containerNamed(path);
  return container !== null && hasHeader(containers[container]);
}

/** The containers in lists: all, or those whose files say themselves what they hold. */
export function containerTitles(which: 'all' | 'with header' = 'all'): readonly string[] {
  return Object.values(containers)
    .filter((row) => which === 'all' || hasHeader(row))
    .map(({ title }) => title);
}
