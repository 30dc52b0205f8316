/**
 * A device that runs PTX on the CPU. The API follows the CUDA driver: a device has memory and loads modules, a module
 * has kernels, and a kernel is launched on a grid.
 *
 * ```ts
 * const device = await Device.create({ target: 'sm_90' });
 * const kernel = device.load(ptx).kernel('vecadd');
 * const a = device.alloc(Float32Array.of(1, 2, 3));
 * const c = device.alloc(12);
 * const result = await kernel.launch({ grid: 1, block: 32, args: [a, a, c, 3] });
 * if (result.ok) console.log(c.read('f32'));
 * ```
 *
 * @module
 */
import './base/platform-types.ts';
import { PtxlabError } from './base/error.ts';
import { requireText } from './base/require-text.ts';
import { requireOptions } from './base/require.ts';
import { shown } from './base/rules.ts';
import { readGpu, readJudgeOptions } from './check/judge-options.ts';
import { DeviceBuffer } from './device/buffer.ts';
import { deviceRules } from './device/check-options.ts';
import { LoadedModule, RefusedModuleError } from './device/loaded-module.ts';
import type { DeviceOptions, SamplerOptions, TexelOptions, TextureOptions } from './device/options.ts';
import { type DeviceTexture, makeSampler, makeSurface, makeTexture } from './device/texture.ts';
import { recentModule } from './device/recent-modules.ts';
import { CodeCache } from './jit/launch/cache.ts';
import type { ModuleOrigin } from './jit/launch/launch.ts';
import { environmentOf } from './isa/environment.ts';
import { type Gpu, runsOn } from './isa/gpus.ts';
import { DeviceHeap } from './machine/memory/device-heap.ts';
import { defaultMemorySize, GlobalMemory } from './machine/memory/global-memory.ts';

export type { Argument, SharedPart } from './device/arguments.ts';
export { PtxlabError } from './base/error.ts';
export type { Dim3 } from './machine/extents.ts';
export type { Fault } from './machine/fault.ts';
export type { TraceEvent, TraceRegister } from './interp/trace.ts';
export type { LaunchResult } from './machine/engine.ts';
export type { LaunchStats } from './machine/launch.ts';
export { mostRaces, type Race, type RaceAccess, type RaceMode } from './machine/races/race.ts';
export type { TraceChoice } from './device/trace-choice.ts';
export { DeviceBuffer } from './device/buffer.ts';
export { defaultMemorySize } from './machine/memory/global-memory.ts';
export { DeviceRange } from './device/device-range.ts';
export { Kernel } from './device/kernel.ts';
export type { KernelAttributes, KernelParameter, PointerFacts } from './device/kernel-facts.ts';
export { LoadedModule, RefusedModuleError } from './device/loaded-module.ts';
export { ModuleSymbol } from './device/module-symbol.ts';
export { tensorMap } from './device/tensor-map.ts';
export { DeviceTexture } from './device/texture.ts';
export { UnsupportedInstructionsError } from './device/unsupported.ts';
export type { UnsupportedInstruction } from './program/unsupported.ts';
export type { DecodedFormat, NativeArrays, NativeFormat } from './device/typed-read.ts';
export type {
  DeviceOptions,
  Extent,
  LaunchOptions,
  TensorElement,
  TensorMapOptions,
  SamplerOptions,
  TexelOptions,
  TextureAddressMode,
  TextureOptions,
} from './device/options.ts';
export type { GpuName } from './isa/gpus.ts';

/** A simulated GPU that has its own global memory. */
export class Device {
  private readonly options: DeviceOptions;
  /** Null if the GPU is derived from the target. */
  private readonly gpu: Gpu | null;
  private readonly memory: GlobalMemory;
  private readonly heap: DeviceHeap;
  private readonly code: CodeCache = new CodeCache();
  private isClosed = false;
  private buffers = 0;
  private textures = 0;

  private constructor(options: DeviceOptions, gpu: Gpu | null) {
    // JavaScript code can call this constructor, because only TypeScript enforces `private`.
    const given: unknown = gpu;
    if (given === undefined) throw new PtxlabError('bad-option', 'create a device with await Device.create()');
    this.options = options;
    this.gpu = gpu;
    this.memory = new GlobalMemory(options.memory ?? defaultMemorySize);
    this.heap = new DeviceHeap(this.memory);
  }

  /**
   * Creates a device. The promise settles immediately; the method is asynchronous only to allow for engines that have
   * to be loaded.
   *
   * @throws PtxlabError `bad-option`, `unknown-gpu`, `unknown-target` or `unknown-version` if an option is wrong;
   *   `out-of-memory` if the host cannot provide the device's memory
   */
  static async create(options: DeviceOptions = {}): Promise<Device> {
    requireOptions(options, deviceRules, 'a device');
    readJudgeOptions(options);
    const gpu = options.gpu === undefined ? null : readGpu(options.gpu);
    return Promise.resolve(new Device(options, gpu));
  }

  /**
   * Checks a module and places its variables in device memory. If no version was chosen for the device, a module is
   * loaded even if its `.version` is too low, provided that it has no other errors. The module is then checked against
   * the rules of the version that it needs, and its report contains warnings about the version.
   *
   * @throws RefusedModuleError if the module has errors
   * @throws PtxlabError `unfit-gpu` if the device's GPU cannot run code for the target of the module; `device-closed`
   */
  load(source: string): LoadedModule {
    this.checkOpen();
    requireText(source, 'the text of a module');
    const { workers = 0, simd } = this.options;
    const { report, module } = recentModule(source, this.options);
    if (module === null) throw new RefusedModuleError(report, source);
    const { memory, heap, code } = this;
    const checkOpen = (): void => this.checkOpen();
    const environment = environmentOf(module.environment.version, module.environment.target, this.gpu ?? undefined);
    if (!runsOn(environment.target, environment.gpu)) {
      const { gpu, target: found } = environment;
      throw new PtxlabError('unfit-gpu', `the device is ${gpu.name}, which cannot run code for ${found.name}`);
    }
    const origin: ModuleOrigin = { text: source, environment };
    return new LoadedModule(module, report, { memory, heap, origin, code, checkOpen, workers, simd });
  }

  /**
   * Allocates a buffer that is filled with zeros or with a copy of `contents`.
   *
   * @throws PtxlabError `out-of-memory`, `device-closed`
   */
  alloc(contents: number | ArrayBufferView): DeviceBuffer {
    this.checkOpen();
    const given: unknown = contents;
    const hasBytes = typeof given === 'object' && given !== null && 'byteLength' in given;
    if (typeof given !== 'number' && !hasBytes)
      throw new PtxlabError('buffer-size', `a buffer needs a number of bytes or an array, not ${shown(given)}`);
    const size = typeof contents === 'number' ? contents : contents.byteLength;
    if (!Number.isSafeInteger(size) || size < 0) throw new PtxlabError('buffer-size', `${size} is not a buffer size`);
    const buffer = new DeviceBuffer(this.memory, this.memory.allocate(size, `buffer ${this.buffers++}`));
    if (typeof contents !== 'number') {
      buffer.write(contents);
    }
    return buffer;
  }

  /**
   * Creates a texture from texels in a buffer, as cudaCreateTextureObject does. The texture is passed to a kernel as
   * the argument for a 64-bit parameter.
   *
   * @throws PtxlabError `bad-option` if the texels or the options break one of the rules; `out-of-memory`,
   *   `device-closed`
   */
  texture(options: TextureOptions): DeviceTexture {
    this.checkOpen();
    return makeTexture(this.memory, options, `texture ${this.textures++}`);
  }

  /**
   * Creates a sampler, which an instruction can use instead of the texture's own sampler. The sampler is either passed
   * to a kernel as the argument for a parameter of type `.samplerref`, or bound to a variable of this type with
   * `LoadedModule.bind`.
   *
   * @throws PtxlabError `bad-option`, `out-of-memory`, `device-closed`
   */
  sampler(options: SamplerOptions = {}): DeviceTexture {
    this.checkOpen();
    return makeSampler(this.memory, options, `sampler ${this.textures++}`);
  }

  /**
   * Creates a surface from texels in a buffer, as cudaCreateSurfaceObject does. Kernels can read and write its texels.
   *
   * @throws PtxlabError `bad-option`, `out-of-memory`, `device-closed`
   */
  surface(options: TexelOptions): DeviceTexture {
    this.checkOpen();
    return makeSurface(this.memory, options, `surface ${this.textures++}`);
  }

  /**
   * Releases the code compiled for the device's kernels. After that, nothing can be loaded, allocated or launched.
   * Buffers can still be read, and a running launch continues.
   */
  close(): void {
    this.isClosed = true;
    this.code.clear();
  }

  private checkOpen(): void {
    if (this.isClosed) throw new PtxlabError('device-closed', 'the device was closed');
  }
}
