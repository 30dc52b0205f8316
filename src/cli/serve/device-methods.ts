/** The methods for devices and for their modules, buffers and launches. */
import { listOf, mapOf, objectOf } from '../../base/rules.ts';
import { SourceText } from '../../base/source-text.ts';
import { type Argument, DeviceTexture, type LoadedModule } from '../../device.ts';
import { deviceRules, launchRules, type PlainLaunch, plainLaunchRules } from '../../device/check-options.ts';
import { diagnosticRecord } from '../../diagnostics/renderers/json.ts';
import { bufferMethods } from './buffer-methods.ts';
import { readGpu, readIsa, readTarget } from '../options.ts';
import { found, type OpenDevice } from './device-table.ts';
import { RequestError } from './errors.ts';
import {
  argumentOf,
  argumentRule,
  bindAll,
  handleRule,
  type LaunchArgument,
  type LaunchHandle,
} from './launch-arguments.ts';
import { bytesOfData, count, type Method, method, required, text } from './method.ts';
import { countUnload } from './steady-memory.ts';

interface CreateParams {
  readonly target?: string;
  readonly isa?: string;
  readonly gpu?: string;
  readonly memory?: number;
  readonly workers?: number;
}

const { target, isa, gpu, memory, workers } = deviceRules;

const create = method<CreateParams>(
  objectOf<CreateParams>({ target, isa, gpu, memory, workers }),
  async (given, { devices, limits }) => {
    const size = given.memory ?? limits.memory;
    if (size > limits.memory)
      throw new RequestError('limit-exceeded', `memory: ${size} exceeds the server's limit of ${limits.memory} bytes`);
    const named = { target: readTarget(given.target), isa: readIsa(given.isa), gpu: readGpu(given.gpu) };
    const device = await devices.create({
      memory: size,
      workers: given.workers ?? 0,
      ...(named.target == null ? {} : { target: named.target }),
      ...(named.isa == null ? {} : { isa: named.isa }),
      ...(named.gpu == null ? {} : { gpu: named.gpu }),
    });
    return { device };
  },
);

/** The handles of a device and of one of its modules or buffers. */
interface Place {
  readonly device?: number;
  readonly module?: number;
  readonly buffer?: number;
}

const close = method<Pick<Place, 'device'>>(objectOf({ device: count }), ({ device }, { devices }) => {
  const handle = required(device, 'device');
  return devices.inOrder(handle, () => {
    devices.close(handle);
    return {};
  });
});

interface LoadParams extends Pick<Place, 'device'> {
  readonly source?: string;
}

const load = method<LoadParams>(objectOf<LoadParams>({ device: count, source: text }), (given, { devices }) =>
  devices.inOrder(required(given.device, 'device'), (one) => {
    const source = required(given.source, 'source');
    const [module, loaded] = devices.load(one, source);
    const place = new SourceText(source, '<source>');
    return {
      module,
      kernels: loaded.kernelNames,
      symbols: loaded.symbolNames,
      diagnostics: loaded.report.diagnostics.map((finding) => diagnosticRecord(place, finding)),
    };
  }),
);

type ModuleParams = Pick<Place, 'device' | 'module'>;

const unload = method<ModuleParams>(objectOf<ModuleParams>({ device: count, module: count }), (given, { devices }) =>
  devices.inOrder(required(given.device, 'device'), ({ modules }) => {
    const handle = required(given.module, 'module');
    found(modules, handle, 'module').unload();
    modules.delete(handle);
    countUnload();
    return {};
  }),
);

interface KernelParams extends ModuleParams {
  readonly kernel?: string;
}

/** The parameters and attributes of a kernel. */
const kernel = method<KernelParams>(
  objectOf<KernelParams>({ device: count, module: count, kernel: text }),
  (given, { devices }) =>
    devices.inOrder(required(given.device, 'device'), ({ modules }) => {
      const loaded = kernelOf(modules, given);
      return { kernel: loaded.name, parameters: loaded.parameters, attributes: loaded.attributes };
    }),
);

function kernelOf(modules: OpenDevice['modules'], { module, kernel: name }: KernelParams) {
  const loaded: LoadedModule = found(modules, required(module, 'module'), 'module');
  if (name !== undefined) return loaded.kernel(name);
  const [only, ...others] = loaded.kernelNames;
  if (only !== undefined && others.length === 0) return loaded.kernel(only);
  throw new RequestError('bad-params', `kernel: the module has ${loaded.kernelNames.length} kernels; name one`);
}

interface LaunchParams extends KernelParams, PlainLaunch {
  readonly args?: readonly LaunchArgument[];
  /** The textures, surfaces and samplers of the module, by the names of their variables. */
  readonly bind?: Readonly<Record<string, LaunchHandle>>;
  readonly workers?: number;
}

const launch = method<LaunchParams>(
  objectOf<LaunchParams>({
    device: count,
    module: count,
    kernel: text,
    ...plainLaunchRules,
    args: listOf(argumentRule),
    bind: mapOf(handleRule),
    workers: launchRules.workers,
  }),
  (given, { devices, folder, limits }, signal) =>
    devices.inOrder(required(given.device, 'device'), async (one) => {
      const { device: _device, module: _module, kernel: _kernel, args = [], bind = {}, ...options } = given;
      const passed: Argument[] = [];
      const launched = kernelOf(one.modules, given);
      try {
        for (const [i, argument] of args.entries())
          passed.push(argumentOf(argument, `args[${i}]`, one, (data) => bytesOfData(data, folder)));
        bindAll(bind, found(one.modules, required(given.module, 'module'), 'module'), one);
        const result = await launched.launch({
          ...options,
          args: passed,
          timeout: Math.min(given.timeout ?? limits.timeout, limits.timeout),
          printLimit: Math.min(given.printLimit ?? 2 ** 20, Math.floor(limits.message / 8)),
          signal,
        });
        if (signal.aborted) throw new RequestError('cancelled', 'the launch was cancelled');
        return result;
      } finally {
        // Unlike buffers, textures belong to the launch.
        for (const argument of passed) if (argument instanceof DeviceTexture) argument.free();
      }
    }),
);

export const deviceMethods: Readonly<Record<string, Method>> = {
  'device/create': create,
  'device/close': close,
  'module/load': load,
  'module/unload': unload,
  'module/kernel': kernel,
  ...bufferMethods,
  launch,
};
