/** Runs recorded jobs on one of ptxlab's engines. */
import { Device, type GpuName, type LaunchOptions, tensorMap } from '../../src/device.ts';
import type { Argument } from '../../src/device/arguments.ts';
import type { DeviceBuffer } from '../../src/device/buffer.ts';
import type { Job, JobArgument } from './job.ts';

export interface ReplayOptions extends Pick<LaunchOptions, 'engine' | 'simd' | 'uninitialized'> {
  readonly gpu: GpuName;
}

/**
 * Returns the contents of the returned buffers in hexadecimal, in the order of the arguments, or the message of the
 * fault that ended the launch.
 */
export async function replay(job: Job, options: ReplayOptions): Promise<readonly string[] | string> {
  const { gpu, ...launchOptions } = options;
  const device = await Device.create({ gpu, memory: 2 ** 26 });
  const buffers = job.args.map((argument) => (argument.kind === 'buffer' ? allocate(device, argument) : null));
  const args = job.args.map((argument, i) => argumentOf(device, argument, buffers, i));
  const result = await device
    .load(job.source)
    .kernel(job.kernel)
    .launch({
      grid: job.grid,
      block: job.block,
      ...(job.cluster && { cluster: job.cluster }),
      sharedBytes: job.shared ?? 0,
      args,
      ...launchOptions,
    });
  const found = result.ok
    ? buffers.flatMap((buffer, i) => (buffer !== null && isReturned(job.args[i]) ? [hexOf(buffer)] : []))
    : `${result.fault.code}: ${result.fault.message}`;
  device.close();
  return found;
}

const isReturned = (argument: JobArgument | undefined): boolean =>
  argument?.kind === 'buffer' && argument.returned === true;

const hexOf = (buffer: DeviceBuffer): string => Buffer.from(buffer.read()).toString('hex');

function allocate(device: Device, { size, bytes = '' }: Extract<JobArgument, { kind: 'buffer' }>): DeviceBuffer {
  const contents = new Uint8Array(size);
  contents.set(Buffer.from(bytes, 'hex'));
  return device.alloc(contents);
}

function argumentOf(
  device: Device,
  argument: JobArgument,
  buffers: readonly (DeviceBuffer | null)[],
  index: number,
): Argument {
  switch (argument.kind) {
    case 'scalar':
      return Uint8Array.from(Buffer.from(argument.bytes, 'hex'));
    case 'buffer':
      return bufferAt(buffers, index);
    case 'tensorMap': {
      const map = tensorMap({ ...argument.options, tensor: bufferAt(buffers, argument.buffer) });
      return argument.byPointer === true ? device.alloc(map) : map;
    }
    case 'texture':
      return device.texture({ ...argument.options, texels: bufferAt(buffers, argument.buffer) });
    case 'surface':
      return device.surface({ ...argument.options, texels: bufferAt(buffers, argument.buffer) });
  }
}

function bufferAt(buffers: readonly (DeviceBuffer | null)[], index: number): DeviceBuffer {
  const buffer = buffers[index];
  if (buffer === undefined || buffer === null) throw new Error(`argument ${index} is not a buffer`);
  return buffer;
}
