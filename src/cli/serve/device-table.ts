/** The devices, modules and buffers of a server, with the handles by which the client refers to them. */
import { Device, type DeviceBuffer, type DeviceOptions, type LoadedModule } from '../../device.ts';
import { RequestError } from './errors.ts';
import type { Limits } from './limits.ts';

/** A device and its requests, which are processed in the order in which they arrive. */
export interface OpenDevice {
  readonly device: Device;
  readonly modules: Map<number, LoadedModule>;
  readonly buffers: Map<number, DeviceBuffer>;
  /** Resolves when the last request has been answered. */
  last: Promise<unknown>;
  /** The number of requests that have not been answered. */
  waiting: number;
}

export class DeviceTable {
  private readonly open = new Map<number, OpenDevice>();
  private readonly limits: Limits;
  private next = 1;

  constructor(limits: Limits) {
    this.limits = limits;
  }

  /** Handles are never reused. */
  handle(): number {
    return this.next++;
  }

  async create(options: DeviceOptions): Promise<number> {
    if (this.open.size >= this.limits.devices) throw tooMany('devices', this.limits.devices);
    const device = await Device.create(options);
    const handle = this.handle();
    this.open.set(handle, { device, modules: new Map(), buffers: new Map(), last: Promise.resolve(), waiting: 0 });
    return handle;
  }

  close(handle: number): void {
    this.find(handle).device.close();
    this.open.delete(handle);
  }

  find(handle: number): OpenDevice {
    return found(this.open, handle, 'device');
  }

  /** Calls `act` once all earlier requests to the device have been answered. */
  inOrder<T>(handle: number, act: (device: OpenDevice) => T | Promise<T>): T | Promise<T> {
    const one = this.find(handle);
    const run = async (): Promise<T> => {
      try {
        return await act(this.find(handle));
      } finally {
        one.waiting--;
      }
    };
    if (one.waiting === 0) {
      const result = act(one);
      if (!(result instanceof Promise)) return result;
      one.waiting++;
      const ended = result.finally(() => one.waiting--);
      one.last = ended.catch(() => undefined);
      return ended;
    }
    one.waiting++;
    const next = one.last.then(run);
    one.last = next.catch(() => undefined);
    return next;
  }

  load(one: OpenDevice, source: string): readonly [handle: number, module: LoadedModule] {
    if (one.modules.size >= this.limits.modules) throw tooMany('modules on a device', this.limits.modules);
    const module = one.device.load(source);
    const handle = this.handle();
    one.modules.set(handle, module);
    return [handle, module];
  }
}

export function found<T>(table: ReadonlyMap<number, T>, handle: number, noun: string): T {
  const value = table.get(handle);
  if (value !== undefined) return value;
  throw new RequestError('unknown-handle', `${noun} ${handle} does not exist`);
}

function tooMany(what: string, most: number): RequestError {
  return new RequestError('limit-exceeded', `a server has at most ${most} ${what}`);
}
