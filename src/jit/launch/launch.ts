/** The fast engine as a device uses it: compiles a kernel once, and runs it on the calling thread or on workers. */
import type { VariableSymbol } from '../../check/symbols.ts';
import type { Environment } from '../../isa/environment.ts';
import type { LaunchResult } from '../../machine/launch.ts';
import type { KernelProgram } from '../../program/link.ts';
import { sourceAt } from '../../program/source-places.ts';
import { type Compiled, compiledBefore, compiledOnce } from './cache.ts';
import { compileKernel } from '../compile.ts';
import { type BetterCode, type CompiledLaunch, runCompiled } from './engine.ts';
import { earnsFours, hasFours, paysOff, runsInFours } from '../simd/four-threads.ts';
import { runSpread } from './spread.ts';
import type { WorkerHost } from './worker-host.ts';

/** What a module was made of: its text, and what its meaning depends on beside that. */
export interface ModuleOrigin {
  readonly text: string;
  readonly environment: Environment;
}

export interface FastLaunch extends Omit<CompiledLaunch, 'compiled' | 'module'> {
  readonly kernel: KernelProgram;
  readonly origin: ModuleOrigin;
  /** Address of a module's variable, or its offset in const memory; all of them in the order of the module. */
  readonly addressOf: (symbol: VariableSymbol) => number | null;
  readonly addresses: readonly number[];
  readonly checked: boolean;
  /** Whether there is to be code for four threads at a time; undefined: where the launch earns it. */
  readonly simd: boolean | undefined;
  /** Worker threads; 0 for the calling thread. */
  readonly workers: number;
}

export async function runFast(launch: FastLaunch): Promise<LaunchResult> {
  const { kernel, memory, workers } = launch;
  const shared = workers > 0 && !callsBuiltins(kernel) ? memory.share() : null;
  const makers = makersOf(launch, shared !== null);
  const { code } = makers;
  const ready = { ...launch, compiled: code.kernel, module: code.module };
  const result =
    shared === null ? await runCompiled(ready, makers.better) : await runSpread(ready, shared, workers, await hostOf());
  code.executed += result.stats.instructions;
  return withSource(kernel, result);
}

async function hostOf(): Promise<WorkerHost> {
  const { host } = await import('#host');
  return host;
}

/** Compiled code knows lines of the PTX text; what they were made of is known here. */
function withSource(kernel: KernelProgram, result: LaunchResult): LaunchResult {
  if (result.ok) return result;
  const { fault } = result;
  return { ...result, fault: { ...fault, source: sourceAt(kernel, fault.line) } };
}

/** These print, and change the list of allocations. */
function callsBuiltins({ functions }: KernelProgram): boolean {
  return functions.some(({ kind }) => kind === 'builtin');
}

interface Makers {
  /** What the launch begins with. */
  readonly code: Compiled;
  /** Code for four threads, where it begins without and they would be whole fours. */
  readonly better: BetterCode | null;
}

function makersOf(launch: FastLaunch, concurrent: boolean): Makers {
  const { kernel, shape, simd } = launch;
  const make = (fours: boolean): Compiled => codeOf(launch, concurrent, fours);
  if (simd === false || !hasFours(shape) || !runsInFours(kernel.entry)) return { code: make(false), better: null };
  const key = keyOf(launch, concurrent, false);
  const executed = compiledBefore(launch.origin.text, key)?.executed ?? 0;
  if (simd === true || earnsFours(kernel.entry, shape, executed)) return { code: make(true), better: null };
  const better: BetterCode = (now) => {
    if (!paysOff(executed + now)) return null;
    const { kernel: compiled, module } = make(true);
    return { compiled, module };
  };
  return { code: make(false), better };
}

/** What compiled code depends on beside the text. */
function keyOf(
  { kernel, origin, memory, checked, addresses }: FastLaunch,
  concurrent: boolean,
  fours: boolean,
): string {
  const { name } = kernel.entry;
  const sharedMemory = memory.share() !== null;
  const { version, target, gpu } = origin.environment;
  const facts = [name, version, target.name, gpu.name, memory.origin, sharedMemory, concurrent, checked, addresses];
  return JSON.stringify([fours, ...facts]);
}

function codeOf(launch: FastLaunch, concurrent: boolean, fours: boolean): Compiled {
  const { kernel, origin, memory, constants, checked, addressOf } = launch;
  return compiledOnce(origin.text, keyOf(launch, concurrent, fours), () => {
    const made = compileKernel(kernel, {
      origin: memory.origin,
      sharedMemory: memory.share() !== null,
      concurrent,
      checked,
      fours,
      parameterBytes: kernel.entry.parameterBytes,
      addressOf,
      constantBytes: constants.byteLength,
      reservedBytes: kernel.entry.reservedBytes,
      localBytes: kernel.stackBytes,
    });
    // The baseline compiler is quick; handing the module to another thread costs more than it saves.
    return { kernel: made.kernel, module: new WebAssembly.Module(made.bytes), executed: 0 };
  });
}
