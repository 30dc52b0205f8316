/** The fast engine as a device uses it: compiles a kernel once, and runs it on the calling thread or on workers. */
import type { VariableSymbol } from '../../check/symbols.ts';
import type { LaunchResult } from '../../machine/launch.ts';
import type { KernelProgram } from '../../program/link.ts';
import { sourceAt } from '../../program/source-places.ts';
import { type Compiled, compiledBefore, compiledOnce } from './cache.ts';
import { compileKernel } from '../compile.ts';
import { type CompiledLaunch, runCompiled } from './engine.ts';
import { earnsFours, hasFours, runsInFours } from '../simd/four-threads.ts';
import { runSpread } from './spread.ts';
import type { WorkerHost } from './worker-host.ts';

/** What a module was made of: its text, and how it was judged. */
export interface ModuleOrigin {
  readonly text: string;
  readonly target: string | undefined;
  readonly isa: string | undefined;
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
  const code = codeFor(launch, shared !== null);
  const ready = { ...launch, compiled: code.kernel, module: code.module };
  const result = shared === null ? await runCompiled(ready) : await runSpread(ready, shared, workers, await hostOf());
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

function codeFor(launch: FastLaunch, concurrent: boolean): Compiled {
  const { kernel, origin, memory, constants, checked, addressOf, addresses, shape } = launch;
  const sharedMemory = memory.share() !== null;
  const { name, parameterBytes } = kernel.entry;
  const facts = [name, origin.target, origin.isa, memory.origin, sharedMemory, concurrent, checked, addresses];
  const keyOf = (fours: boolean): string => JSON.stringify([fours, ...facts]);
  const executed = (): number => compiledBefore(origin.text, keyOf(false))?.executed ?? 0;
  const fours =
    hasFours(shape) && runsInFours(kernel.entry) && (launch.simd ?? earnsFours(kernel.entry, shape, executed()));
  return compiledOnce(origin.text, keyOf(fours), () => {
    const made = compileKernel(kernel, {
      origin: memory.origin,
      sharedMemory,
      concurrent,
      checked,
      fours,
      parameterBytes,
      addressOf,
      constantBytes: constants.byteLength,
      localBytes: kernel.stackBytes,
    });
    // The baseline compiler is quick; handing the module to another thread costs more than it saves.
    return { kernel: made.kernel, module: new WebAssembly.Module(made.bytes), executed: 0 };
  });
}
