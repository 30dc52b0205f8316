/** Runs small kernels on a fresh device. */
import { Device, type DeviceOptions, type Fault, type LaunchOptions, type LaunchResult } from '../../src/device.ts';

/** The ways to run a kernel on the calling thread. */
export const ways: Readonly<Record<string, LaunchOptions>> = {
  interp: { engine: 'interp' },
  jit: { engine: 'jit', simd: false },
  'jit with simd': { engine: 'jit', simd: true },
};

export interface Source {
  readonly body: string;
  readonly parameters?: string;
  /** Declarations before the kernel. */
  readonly module?: string;
  readonly target?: string;
  readonly version?: string;
}

const registers = `
  .reg .pred %p<10>; .reg .b8 %b<4>; .reg .b16 %h<10>; .reg .b32 %r<20>; .reg .b64 %rd<20>; .reg .f32 %f<10>; .reg .f64 %fd<10>;
`;

/** A module with kernel `k`. The body begins at line 6 and needs no `ret`. */
export function moduleOf(source: Source): string {
  const { body, parameters = '.param .u64 out', module = '', target = 'sm_100a', version = '9.0' } = source;
  return `.version ${version}
.target ${target}
.address_size 64
${module.replaceAll('\n', ' ')}
.visible .entry k(${parameters}) {${registers.replaceAll('\n', '')}
${body}
ret; }
`;
}

/**
 * Launches `k` with a buffer of `bytes` zeros as its only argument and returns the buffer's contents afterwards. By
 * default, the kernel is compiled to code that runs four threads at once, although it would normally be too small for
 * that.
 */
export async function outcome(
  source: Source,
  bytes: number,
  options: LaunchOptions = {},
  on: DeviceOptions = { simd: true },
): Promise<{ readonly result: LaunchResult; readonly words: readonly number[] }> {
  const device = await Device.create(on);
  const kernel = device.load(moduleOf(source)).kernel('k');
  const out = device.alloc(bytes);
  const result = await kernel.launch({ args: [out], ...options });
  const read = out.read();
  return { result, words: [...new Uint32Array(read.buffer, read.byteOffset, read.byteLength / 4)] };
}

/** The words of the output buffer after a launch that must succeed. */
export async function output(source: Source, bytes: number, options: LaunchOptions = {}): Promise<readonly number[]> {
  const { result, words } = await outcome(source, bytes, options);
  if (!result.ok) throw new Error(`${result.fault.code} at line ${result.fault.line}: ${result.fault.message}`);
  return words;
}

/** The fault of a launch that must fail. */
export async function faultOf(source: Source, options: LaunchOptions = {}): Promise<Fault> {
  const { result } = await outcome(source, 64, options);
  if (result.ok) throw new Error('no fault');
  return result.fault;
}
