/** Packs kernel arguments into the bytes of the parameter space. */
import { PtxlabError } from '../base/error.ts';
import { shown } from '../base/rules.ts';
import { types } from '../isa/types.ts';
import { numberBits, isBasicFloat } from '../numerics/number-bits.ts';
import type { Placed } from '../program/layout.ts';
import { storeWide } from '../program/store.ts';

/** Anything that has an address in device memory. */
export interface Addressed {
  readonly address: bigint;
}

/**
 * A number of bytes in a block's shared memory, for a parameter that points to shared memory. These bytes are added to
 * the launch's shared memory.
 */
export interface SharedPart {
  readonly shared: number;
}

/** A scalar, an address, or the raw bytes of a parameter. */
export type PlacedArgument = number | bigint | Addressed | Uint8Array;

/**
 * A scalar, a buffer, the raw bytes of a parameter, or a part of shared memory. For a buffer, the kernel receives its
 * address.
 */
export type Argument = PlacedArgument | SharedPart;

/**
 * The parameter space of a launch.
 *
 * @throws PtxlabError `argument-count`, `argument-size`, `argument-type` if the arguments do not match the kernel's
 *   parameters
 */
export function packArguments(
  kernel: string,
  parameters: readonly Placed[],
  bytes: number,
  args: readonly PlacedArgument[],
  addressBytes: 4 | 8,
): Uint8Array {
  if (args.length !== parameters.length) {
    const names = parameters.map((parameter) => describe(parameter)).join(', ');
    const expected = `${parameters.length} argument${parameters.length === 1 ? '' : 's'}`;
    throw new PtxlabError('argument-count', `kernel '${kernel}' takes ${expected} (${names}); got ${args.length}`);
  }
  const space = new Uint8Array(bytes);
  parameters.forEach((parameter, i) => {
    const argument: unknown = args[i];
    if (!isArgument(argument)) {
      const words = 'a number, a bigint, memory of a device or the bytes of a parameter';
      throw new PtxlabError('argument-type', `argument ${i} must be ${words}, not ${shown(argument)}`);
    }
    space.set(argumentBytes(parameter, i, argument, addressBytes), parameter.offset);
  });
  return space;
}

function isArgument(value: unknown): value is PlacedArgument {
  if (typeof value === 'number' || typeof value === 'bigint') return true;
  return value instanceof Uint8Array || isAddressed(value);
}

export function isAddressed(value: unknown): value is Addressed {
  return typeof value === 'object' && value !== null && 'address' in value && typeof value.address === 'bigint';
}

function describe({ name, variable, size }: Placed): string {
  return variable.dimensions.length > 0 ? `${size} bytes ${name}` : `${variable.type} ${name}`;
}

function argumentBytes(parameter: Placed, index: number, argument: PlacedArgument, addressBytes: 4 | 8): Uint8Array {
  const { size } = parameter;
  if (argument instanceof Uint8Array) {
    if (argument.byteLength === size) return argument;
    const found = `${argument.byteLength} bytes`;
    throw new PtxlabError(
      'argument-size',
      `argument ${index} is ${found}; parameter ${describe(parameter)} has ${size}`,
    );
  }
  if (parameter.variable.dimensions.length > 0 || parameter.variable.vector !== null) {
    throw new PtxlabError(
      'argument-type',
      `argument ${index} must be ${size} raw bytes for parameter ${describe(parameter)}`,
    );
  }
  const bytes = new Uint8Array(size);
  storeWide(bytes, size, scalarBits(parameter, index, argument, addressBytes));
  return bytes;
}

function scalarBits(
  parameter: Placed,
  index: number,
  argument: number | bigint | Addressed,
  addressBytes: 4 | 8,
): bigint {
  const type = types.get(parameter.variable.type);
  const { size } = parameter;
  if (typeof argument === 'object') {
    if (parameter.variable.pointer?.space === '.shared') {
      throw new PtxlabError(
        'argument-type',
        `argument ${index} is a buffer; parameter ${describe(parameter)} points to shared memory, so it takes { shared: bytes } (--arg shared:BYTES)`,
      );
    }
    // All addresses of device memory fit into 32 bits.
    if (size === 8 || size === addressBytes) return argument.address;
    throw new PtxlabError(
      'argument-type',
      `argument ${index} is a buffer; parameter ${describe(parameter)} cannot hold its address`,
    );
  }
  const format = type?.class === 'float' ? type.format : null;
  if (format !== null && isBasicFloat(format)) return numberBits(format, Number(argument));
  if (typeof argument === 'number' && !Number.isInteger(argument)) {
    throw new PtxlabError(
      'argument-type',
      `argument ${index} is ${argument}; parameter ${describe(parameter)} requires an integer`,
    );
  }
  const value = BigInt(argument);
  const bits = BigInt(size * 8);
  if (value < -(1n << (bits - 1n)) || value >= 1n << bits) {
    throw new PtxlabError(
      'argument-size',
      `argument ${index} is ${value}, which does not fit in parameter ${describe(parameter)}`,
    );
  }
  return value;
}
