/** Creates the arguments of a launch from their descriptions in a job or on the command line. */
import { PtxlabError } from '../../base/error.ts';
import { type Argument, type Device, type DeviceBuffer, type DeviceTexture, tensorMap } from '../../device.ts';
import { UsageError } from '../exit.ts';
import type { HandleInput, PartInput, RunInput } from './inputs.ts';
import { structBytes } from './struct-bytes.ts';

/** Where to find the buffers that arguments refer to. */
export interface ArgumentPlace {
  readonly device: Device;
  readonly inputs: readonly RunInput[];
  /** The buffers that belong to the launch, in the order of the arguments. */
  readonly buffers: readonly (DeviceBuffer | null)[];
  readonly named: ReadonlyMap<string, DeviceBuffer>;
}

/** The argument that an input describes. Messages mention `path`, which is the path of the input in the job. */
export function argumentOf(input: RunInput, path: string, index: number, place: ArgumentPlace): Argument {
  switch (input.kind) {
    case 'buffer': {
      const buffer = place.buffers[index] ?? null;
      if (buffer === null) throw new Error('a buffer argument without its buffer');
      return buffer;
    }
    case 'named':
    case 'bytes':
    case 'tensor map':
      return plainOf(input, path, place);
    case 'struct': {
      const parts = input.parts.map(({ at, input: part }, i) => ({
        at,
        value: plainOf(part, `${path}.struct.parts[${i}]`, place),
      }));
      return described(`${path}.struct`, () => structBytes(input.whole, parts));
    }
    case 'texture':
    case 'surface':
    case 'sampler':
      return handleOf(input, path, place);
    case 'shared':
      return { shared: input.bytes };
    case 'number':
      return input.value;
  }
}

/** An argument that can also be a part of a structure. */
function plainOf(input: PartInput['input'], path: string, place: ArgumentPlace): DeviceBuffer | Uint8Array {
  switch (input.kind) {
    case 'named':
      return bufferNamed(input.name, place.named);
    case 'bytes':
      return input.bytes;
    case 'tensor map': {
      const { tensor, ...box } = input.map;
      // The path need not include the key `tensorMap`, because the error message itself begins with this word.
      return described(path, () => tensorMap({ ...box, tensor: bufferOf(tensor, `${path}.tensorMap.tensor`, place) }));
    }
  }
}

export function handleOf(input: HandleInput, path: string, place: ArgumentPlace): DeviceTexture {
  const { device } = place;
  const own = `${path}.${input.kind}`;
  return described(own, () => {
    switch (input.kind) {
      case 'texture': {
        const { texels, ...options } = input.texture;
        return device.texture({ ...options, texels: bufferOf(texels, `${own}.texels`, place) });
      }
      case 'surface': {
        const { texels, ...options } = input.surface;
        return device.surface({ ...options, texels: bufferOf(texels, `${own}.texels`, place) });
      }
      case 'sampler':
        return device.sampler(input.sampler);
    }
  });
}

/**
 * Calls `make`, which creates or uses an object that a job describes at `path`. Error messages begin with this path.
 */
export function described<T>(path: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof PtxlabError) throw new UsageError(`${path}: ${error.message}`, { cause: error });
    throw error;
  }
}

/** The buffer to which the value at `path` refers, either by name or by the index of an argument that is a buffer. */
function bufferOf(
  which: string | number | undefined,
  path: string,
  { inputs, buffers, named }: ArgumentPlace,
): DeviceBuffer {
  const input = typeof which === 'number' ? inputs[which] : undefined;
  const name = input?.kind === 'named' ? input.name : which;
  if (typeof name === 'string' && named.has(name)) return bufferNamed(name, named);
  const buffer = typeof name === 'number' ? (buffers[name] ?? null) : null;
  if (buffer !== null) return buffer;
  const wanted = `${path}: must be the name of a buffer or the index of an argument that is a buffer`;
  throw new UsageError(typeof name === 'string' ? `${wanted}; the job has no buffer '${name}'` : wanted);
}

function bufferNamed(name: string, named: ReadonlyMap<string, DeviceBuffer>): DeviceBuffer {
  const found = named.get(name);
  if (found === undefined) throw new UsageError(`the job has no buffer '${name}'`);
  return found;
}
