/** The methods for buffers, and for reading and writing the variables of modules. */
import { listOf, objectOf, type RulesFor } from '../../base/rules.ts';
import type { Device, DeviceBuffer } from '../../device.ts';
import { type DeviceTable, found, type OpenDevice } from './device-table.ts';
import { RequestError } from './errors.ts';
import {
  count,
  type DataSource,
  type DataTarget,
  giveData,
  type Method,
  method,
  readData,
  required,
  sizeOfData,
  sourceRule,
  targetRule,
  text,
} from './method.ts';
import type { SharedFolder } from './shared-folder.ts';

/** The handle of a device. */
interface On {
  readonly device?: number;
}

/** The contents of a new buffer. */
interface Contents {
  /** The size of the buffer in bytes. Default: the size of the data. */
  readonly bytes?: number;
  readonly data?: DataSource;
}

interface AllocParams extends On, Contents {
  /** The contents of several buffers. If one of them cannot be allocated, none is. */
  readonly buffers?: readonly Contents[];
}

const contentsRules: RulesFor<Contents> = { bytes: count, data: sourceRule };

const alloc = method<AllocParams>(
  objectOf<AllocParams>({ device: count, ...contentsRules, buffers: listOf(objectOf<Contents>(contentsRules)) }),
  (given, { devices, folder }) =>
    devices.inOrder(required(given.device, 'device'), ({ device, buffers }) => {
      if (given.buffers === undefined) return placed(allocated(device, given, folder), buffers, devices);
      const made: DeviceBuffer[] = [];
      try {
        for (const one of given.buffers) made.push(allocated(device, one, folder));
      } catch (error) {
        for (const one of made) one.free();
        throw error;
      }
      return { buffers: made.map((one) => placed(one, buffers, devices)) };
    }),
);

function allocated(device: Device, { bytes, data }: Contents, folder: SharedFolder): DeviceBuffer {
  const made = device.alloc(bytes ?? sizeOfData(required(data, 'data'), folder));
  try {
    if (data !== undefined) readData(data, folder, (piece, offset) => made.write(piece, offset));
    return made;
  } catch (error) {
    made.free();
    throw error;
  }
}

/** Gives a buffer a handle, and describes the buffer. */
function placed(made: DeviceBuffer, buffers: OpenDevice['buffers'], devices: DeviceTable): object {
  const buffer = devices.handle();
  buffers.set(buffer, made);
  return { buffer, bytes: made.byteLength, address: `0x${made.address.toString(16)}` };
}

interface FreeParams extends On {
  readonly buffer?: number;
  readonly buffers?: readonly number[];
}

const free = method<FreeParams>(
  objectOf<FreeParams>({ device: count, buffer: count, buffers: listOf(count) }),
  (given, { devices }) =>
    devices.inOrder(required(given.device, 'device'), ({ buffers }) => {
      for (const handle of given.buffers ?? [required(given.buffer, 'buffer')]) {
        found(buffers, handle, 'buffer').free();
        buffers.delete(handle);
      }
      return {};
    }),
);

/** A buffer, or a variable of a module. */
interface Range {
  readonly module?: number;
  readonly buffer?: number;
  readonly symbol?: string;
  /** The offset of the first byte in the buffer or variable. Default 0. */
  readonly at?: number;
}

function rangeOf({ buffers, modules }: OpenDevice, { buffer, module, symbol }: Range) {
  if (symbol === undefined) return found(buffers, required(buffer, 'buffer'), 'buffer');
  return found(modules, required(module, 'module'), 'module').symbol(symbol);
}

interface ReadRange extends Range {
  /** Default: everything up to the end. */
  readonly bytes?: number;
  readonly into?: DataTarget;
}

interface ReadParams extends On, ReadRange {
  /** Several ranges to read. */
  readonly reads?: readonly ReadRange[];
}

const rangeRules: RulesFor<ReadRange> = {
  module: count,
  buffer: count,
  symbol: text,
  at: count,
  bytes: count,
  into: targetRule,
};

const read = method<ReadParams>(
  objectOf<ReadParams>({ device: count, ...rangeRules, reads: listOf(objectOf<ReadRange>(rangeRules)) }),
  (given, { devices, folder, limits }) =>
    devices.inOrder(required(given.device, 'device'), (one) => {
      let inMessage = 0;
      const give = (range: ReadRange): object => {
        const { at = 0, bytes, into } = range;
        const part = rangeOf(one, range).view(at, bytes);
        if (into?.file === undefined) inMessage += part.byteLength;
        if (inMessage > limits.message / 2)
          throw new RequestError('limit-exceeded', 'the data is too large for a message; name a file in `into`');
        return giveData(part, into, folder);
      };
      return given.reads === undefined ? give(given) : { reads: given.reads.map(give) };
    }),
);

interface WriteParams extends On, Range {
  readonly data?: DataSource;
}

const write = method<WriteParams>(
  objectOf<WriteParams>({ device: count, module: count, buffer: count, symbol: text, at: count, data: sourceRule }),
  (given, { devices, folder }) =>
    devices.inOrder(required(given.device, 'device'), (one) => {
      const range = rangeOf(one, given);
      const { at = 0 } = given;
      readData(required(given.data, 'data'), folder, (piece, offset) => range.write(piece, at + offset));
      return {};
    }),
);

export const bufferMethods: Readonly<Record<string, Method>> = {
  'buffer/alloc': alloc,
  'buffer/free': free,
  'buffer/read': read,
  'buffer/write': write,
};
