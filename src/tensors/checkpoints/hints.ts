/**
 * Reads the information that is needed to interpret the packed integers of a checkpoint, in addition to the names,
 * types and shapes of the tensors.
 */
import { elementDecoder } from '../../arrays/elements/element-values.ts';
import { readBytes } from '../bytes.ts';
import type { ModelHints, TensorEntry, TensorFile } from '../tensor-file.ts';

export const noHints: ModelHints = { shapes: new Map(), gptq: null };

/** Reads a small file in the checkpoint's folder; null if it does not exist. */
export type ReadBeside = (name: string) => Promise<Uint8Array | null>;

/**
 * Returns the hints for a file. Small tensors and the configuration are read only if the file has packed integers that
 * need them.
 */
export async function hintsOf(file: TensorFile, readBeside: ReadBeside | undefined): Promise<ModelHints> {
  if (file.container !== 'safetensors') return noHints;
  const names = new Set(file.tensors.map(({ name }) => name));
  const shapes = new Map<string, readonly number[]>();
  for (const entry of file.tensors) if (isShape(entry, names)) shapes.set(entry.name, await integersOf(file, entry));
  const isGptq = file.tensors.some(({ name }) => name.endsWith('.qweight'));
  const gptq = isGptq && readBeside !== undefined ? await gptqFormat(readBeside) : null;
  return shapes.size === 0 && gptq === null ? noHints : { shapes, gptq };
}

function isShape({ name, elements, format }: TensorEntry, names: ReadonlySet<string>): boolean {
  if (!name.endsWith('_shape') || elements !== 2 || (format !== 's64' && format !== 's32')) return false;
  return names.has(`${name.slice(0, -'_shape'.length)}_packed`);
}

async function integersOf(file: TensorFile, entry: TensorEntry): Promise<readonly number[]> {
  const bytes = await readBytes(file.data(entry), 0, entry.byteLength);
  return [...elementDecoder(entry.format === 's64' ? 's64' : 's32', false).values(bytes, entry.elements)];
}

/** `checkpoint_format` in `quantize_config.json`, or in the `quantization_config` of `config.json`. */
async function gptqFormat(readBeside: ReadBeside): Promise<ModelHints['gptq']> {
  for (const name of ['quantize_config.json', 'config.json']) {
    const config = parsed(await readBeside(name));
    const own = memberOf(config, 'quantization_config') ?? config;
    const format = memberOf(own, 'checkpoint_format');
    if (format === 'gptq') return 1;
    if (format === 'gptq_v2') return 2;
  }
  return null;
}

function parsed(bytes: Uint8Array | null): unknown {
  if (bytes === null) return null;
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    // A configuration that cannot be read is ignored.
    return null;
  }
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
}
