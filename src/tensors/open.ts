/** Opens a tensor file of any container. */
import type { FormatSpelling } from '../arrays/spellings.ts';
import { requireOptions } from '../base/require.ts';
import { callback, list, oneOf, type RulesFor, text, term } from '../base/rules.ts';
import { joinWords } from '../base/join-words.ts';
import { type ByteSource, readBytes } from './bytes.ts';
import { hintsOf, noHints } from './checkpoints/hints.ts';
import {
  type Container,
  containerNamed,
  containerRule,
  containers,
  containerThatBegins,
  containerTitles,
  isNamedForHeader,
} from './containers.ts';
import { openNpy } from './npy/file.ts';
import { openRaw } from './raw.ts';
import { openSafetensors } from './safetensors/safetensors.ts';
import { isIndexName, openShards } from './safetensors/shards.ts';
import { TensorFileError } from './tensor-error.ts';
import type { TensorFile } from './tensor-file.ts';

export interface OpenOptions {
  /** The file's name or path. The extension determines the container if the first bytes of the file do not. */
  readonly name?: string;
  /**
   * The container. By default, the container is detected. Only `raw` cannot be detected and must always be specified.
   */
  readonly container?: Container;
  /**
   * The name of the element format. It must be specified for `raw` files. It must also be specified for .npy files
   * whose elements have the type `V1` or `V2`, because numpy has no type code for their format.
   */
  readonly dtype?: FormatSpelling;
  /** For `raw`: the extents. */
  readonly shape?: readonly number[];
  /** How elements narrower than 8 bits are packed in a `raw` file. Default: `dense`. */
  readonly packing?: 'whole' | 'dense';
  /**
   * Opens a file in the same folder. The function is called for the shards that a file such as
   * `model.safetensors.index.json` lists.
   */
  readonly openBeside?: (name: string) => Promise<ByteSource>;
  /**
   * Reads a small file in the same folder; resolves with null if there is no such file. The function is called for
   * files with GPTQ matrices, because `quantize_config.json` or `config.json` specifies which of GPTQ's two formats the
   * matrices use.
   */
  readonly readBeside?: (name: string) => Promise<Uint8Array | null>;
}

const rules: RulesFor<OpenOptions> = {
  name: text,
  container: containerRule,
  dtype: term(),
  shape: list,
  packing: oneOf('whole', 'dense'),
  openBeside: callback(),
  readBeside: callback(),
};

/**
 * Reads the header of a tensor file. Throws TensorFileError if the header is not well-formed. No tensor data is read,
 * except from small tensors that contain the shapes of matrices of packed integers. The caller must close the sources.
 * The code for .npz and GGUF is loaded only if it is needed. The tensor in an .npy file has the name of the file,
 * without folder and extension.
 */
export async function openTensorFile(source: ByteSource, options: OpenOptions = {}): Promise<TensorFile> {
  if (!isSource(source)) throw new TensorFileError('io', 'a source of bytes has a size and a function read');
  requireOptions(options, rules, 'openTensorFile');
  const file = await openAs(source, options);
  const hints = await hintsOf(file, options.readBeside);
  return hints === noHints ? file : { ...file, hints };
}

async function openAs(source: ByteSource, options: OpenOptions): Promise<TensorFile> {
  if (options.container === undefined && isIndexName(options.name ?? '')) return openIndex(source, options);
  const container = options.container ?? (await containerOf(source, options.name ?? ''));
  return openers[container](source, options);
}

function isSource(source: unknown): boolean {
  if (typeof source !== 'object' || source === null || !('size' in source) || !('read' in source)) return false;
  const { size, read } = source;
  return Number.isSafeInteger(size) && Number(size) >= 0 && typeof read === 'function';
}

type Opener = (source: ByteSource, options: OpenOptions) => Promise<TensorFile>;

const openers: Readonly<Record<Container, Opener>> = {
  safetensors: async (source, options) =>
    (await isIndex(source)) ? openIndex(source, options) : openSafetensors(source),
  npy: (source, { name, dtype }) => openNpy(source, tensorName(name), dtype),
  npz: async (source, { dtype }) => (await import('./npz/npz.ts')).openNpz(source, dtype),
  gguf: async (source) => (await import('./gguf/gguf.ts')).openGguf(source),
  raw: openRawAs,
};

/** Detects the container from the first bytes or, if they are not conclusive, from the name. */
async function containerOf(source: ByteSource, name: string): Promise<Container> {
  const found = containerThatBegins(await readBytes(source, 0, Math.min(source.size, 9)));
  if (found !== null) return found;
  const named = containerNamed(name);
  if (named !== null && isNamedForHeader(name)) return named;
  const titles = joinWords(containerTitles('with header'), 'or');
  throw new TensorFileError('not-this-container', `not a ${titles} file`);
}

/**
 * Whether a file is the index file of a model. This file is JSON, so it starts with a brace. A safetensors file starts
 * with eight bytes that contain the length of its header. The first of these bytes may have the same value as a brace,
 * but in that case, the four high bytes of the length are zero.
 */
async function isIndex(source: ByteSource): Promise<boolean> {
  const start = await readBytes(source, 0, Math.min(source.size, 8));
  return start[0] === 0x7b && start.slice(4).some((byte) => byte !== 0);
}

function openIndex(source: ByteSource, { openBeside }: OpenOptions): Promise<TensorFile> {
  if (openBeside === undefined)
    throw new TensorFileError('unsupported', 'the index of a model needs the files that it names, in its folder');
  return openShards(source, openBeside);
}

async function openRawAs(source: ByteSource, { name, dtype, shape, packing }: OpenOptions): Promise<TensorFile> {
  if (dtype === undefined || shape === undefined)
    throw new TensorFileError('unknown-dtype', 'a file without a header needs a dtype and a shape');
  return openRaw(source, { name: tensorName(name), dtype, shape, ...(packing && { packing }) });
}

/** The name of a tensor for which the file does not store a name: it is derived from the name of the file. */
function tensorName(path = 'tensor'): string {
  const name = path.replace(/^.*[/\\]/s, '');
  const container = containerNamed(name);
  return container !== null && containers[container].holdsOne ? name.replace(/\.[^.]+$/, '') : name;
}
