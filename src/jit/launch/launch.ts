/**
 * The interface through which a device uses the fast engine: compiles a kernel once, and runs it on the calling thread
 * or on workers.
 */
import { compileModule } from '../compile-module.ts';
import { PtxlabError } from '../../base/error.ts';
import { once } from '../../base/once.ts';
import type { Environment } from '../../isa/environment.ts';
import { type Launch, type LaunchResult, runToEnd } from '../../machine/engine.ts';
import { blocksOf, blocksPerCluster } from '../../machine/extents.ts';
import { checkTime, clock } from '../../machine/time-limit.ts';
import type { LaunchLayout } from '../layout.ts';
import type { KernelProgram } from '../../program/link.ts';
import { sourceAt } from '../../program/source-at.ts';
import type { CodeCache, Compiled } from './cache.ts';
import { type CompileAlone, compileKernel } from '../compile.ts';
import { tensorBytesOf } from '../compiled-kernel.ts';
import { type BetterCode, type CompiledCode, FastEngine, type LocalCode } from './engine.ts';
import { fusesProducts } from '../simd/fuses-products.ts';
import { earnsFours, hasFours, paysOff, runsInFours } from '../simd/four-threads.ts';
import { type Crew, runSpread, usefulWorkers } from './spread.ts';
import { storeCode, storedCode } from './stored-code.ts';
import { borrowThreads } from './turns.ts';

/** The source of a module: its PTX text, and the environment, which can change the meaning of the text. */
export interface ModuleOrigin {
  readonly text: string;
  readonly environment: Environment;
}

export interface FastOptions {
  readonly origin: ModuleOrigin;
  /** The device's code cache. */
  readonly code: CodeCache;
  readonly checked: boolean;
  /**
   * Whether to generate code that runs four threads at a time. If undefined, such code is generated only for launches
   * that run long enough to make up for the cost of generating it.
   */
  readonly simd: boolean | undefined;
  /** Number of worker threads; 0 for the calling thread. */
  readonly workers: number;
}

export async function runFast(launch: Launch, options: FastOptions): Promise<LaunchResult> {
  if (options.workers === 0 || callsBuiltins(launch.kernel)) return runHere(launch, options);
  const crew = await borrowCrew(launch, options.workers);
  try {
    return (await runOnCrew(launch, options, crew)) ?? (await runHere(launch, options));
  } finally {
    crew.release();
  }
}

async function runHere(launch: Launch, options: FastOptions): Promise<LaunchResult> {
  const makers = makersOf(launch, options, false);
  return counted(makers.code, await runToEnd(engineOf(launch, options, makers), launch));
}

/**
 * Runs a launch on workers. The code is compiled while the workers are starting. Returns null if they do not start, or
 * if they cannot share the device's memory.
 */
async function runOnCrew(launch: Launch, options: FastOptions, crew: Crew): Promise<LaunchResult | null> {
  const shared = launch.memory.share();
  if (shared === null) return null;
  const { code } = makersOf(launch, options, true);
  if (!(await crew.running)) return null;
  return counted(code, withSource(launch.kernel, await runSpread(launch, codeIn(code), shared, crew)));
}

/** Adds the number of instructions that a launch has executed to the total of its code. */
function counted(code: Compiled, result: LaunchResult): LaunchResult {
  code.executed += result.stats.instructions;
  return result;
}

/** Returns the engine that runs a launch on the calling thread, even if there are workers. */
export function fastEngine(launch: Launch, options: FastOptions): FastEngine {
  return engineOf(launch, options, makersOf(launch, options, false));
}

function engineOf(launch: Launch, options: FastOptions, { code, better }: Makers): FastEngine {
  return new FastEngine(launch, localCode(code, launch, options), better);
}

function codeIn({ kernel, module }: Compiled): CompiledCode {
  return { compiled: kernel, module };
}

function localCode(code: Compiled, launch: Launch, options: FastOptions): LocalCode {
  const compile = (region: number): WebAssembly.Module =>
    code.alone.get(region) ?? compileAlone(code, region, launch, options);
  return { ...codeIn(code), leftOut: { regions: code.leftOut, compile } };
}

/** Borrows as many of the requested workers as the launch can use. */
async function borrowCrew({ shape }: Launch, asked: number): Promise<Crew> {
  const { host } = await import('#host');
  const workers = usefulWorkers(asked, blocksOf(shape) / blocksPerCluster(shape), host.processors);
  return { ...(await borrowThreads(host, workers)), workers, host };
}

/** Adds the position in the original source to a fault. Compiled code contains only the line numbers of the PTX. */
function withSource(kernel: KernelProgram, result: LaunchResult): LaunchResult {
  if (result.ok) return result;
  const { fault } = result;
  return { ...result, fault: { ...fault, source: sourceAt(kernel, fault.line) } };
}

/** Whether a kernel calls built-in functions. Built-in functions can print output or change the list of allocations. */
function callsBuiltins({ functions }: KernelProgram): boolean {
  return functions.some(({ kind }) => kind === 'builtin');
}

interface Makers {
  /** The code that the launch starts with. */
  readonly code: Compiled;
  /**
   * Returns code that runs four threads at a time. The launch can switch to this code while it is running. Null if the
   * launch already starts with such code, or if it cannot use such code, for example because the x extent of its blocks
   * is not a multiple of four.
   */
  readonly better: BetterCode | null;
}

function makersOf(launch: Launch, options: FastOptions, concurrent: boolean): Makers {
  const { kernel, shape } = launch;
  const { simd, origin } = options;
  const make = (fours: boolean): Compiled => codeOf(launch, options, concurrent, fours);
  if (simd === false || !hasFours(shape) || !runsInFours(kernel)) return { code: make(false), better: null };
  const single = options.code.before(origin.text, keyOf(launch, options, concurrent, false));
  const executed = single?.executed ?? 0;
  const key = keyOf(launch, options, concurrent, true);
  const made = once(() => madeCode(options, key));
  // Only the first launch looks for code of earlier processes.
  const isMade = (): boolean => (single === null ? made() : options.code.before(origin.text, key)) !== null;
  if (simd === true || earnsFours(kernel, shape, executed, isMade))
    return { code: made() ?? compiledCode(launch, options, concurrent, true), better: null };
  const better: BetterCode = (now, remaining) => {
    if (!paysOff(kernel, executed + now, remaining)) return null;
    return localCode(make(true), launch, options);
  };
  return { code: make(false), better };
}

/** Returns a key for everything that compiled code depends on, apart from the text. */
function keyOf(
  { kernel, image: { addresses, constants }, memory, inLockstep }: Launch,
  { origin, checked }: FastOptions,
  concurrent: boolean,
  fours: boolean,
): string {
  const { name } = kernel.entry;
  const sharedMemory = memory.share() !== null;
  const { version, target, gpu } = origin.environment;
  const facts = [name, version, target.name, gpu.name, memory.origin, sharedMemory, concurrent, checked, addresses];
  return JSON.stringify([fours, inLockstep, constants.byteLength, ...facts]);
}

function codeOf(launch: Launch, options: FastOptions, concurrent: boolean, fours: boolean): Compiled {
  const found = madeCode(options, keyOf(launch, options, concurrent, fours));
  return found ?? compiledCode(launch, options, concurrent, fours);
}

function compiledCode(launch: Launch, options: FastOptions, concurrent: boolean, fours: boolean): Compiled {
  const { kernel } = launch;
  const { code, origin } = options;
  const key = keyOf(launch, options, concurrent, fours);
  const begun = clock();
  const made = compileKernel(kernel, layoutOf(launch, options, concurrent, fours));
  const module = moduleIn(made.bytes, kernel.entry.name);
  storeCode(origin.text, key, made, clock() - begun);
  const { engineCalls, leftOut } = made;
  const compiled: Compiled = { kernel: made.kernel, module, engineCalls, leftOut, alone: new Map(), executed: 0 };
  keepCompiler(kernel, compiled, made.compileAlone);
  return code.keep(origin.text, key, compiled);
}

/** Returns the code compiled by this process or an earlier one, or null if there is none. */
function madeCode({ code, origin: { text } }: FastOptions, key: string): Compiled | null {
  const found = code.before(text, key) ?? storedCode(text, key);
  return found === null ? null : code.keep(text, key, found);
}

function layoutOf(launch: Launch, { checked }: FastOptions, concurrent: boolean, fours: boolean): LaunchLayout {
  const { kernel, image, memory, limits, inLockstep } = launch;
  return {
    origin: memory.origin,
    sharedMemory: memory.share() !== null,
    concurrent,
    checked,
    fours,
    // Workers receive the complete code at the start, because they cannot compile more of it without the program.
    aloneLater: fours && !concurrent,
    fuses: fusesProducts(),
    inLockstep,
    parameterBytes: kernel.entry.parameterBytes,
    addressOf: image.addressOf,
    constantBytes: image.constants.byteLength,
    uncountedBytes: kernel.entry.reservedBytes + kernel.entry.hiddenBytes,
    reachesOtherBlocks: kernel.entry.reachesOtherBlocks,
    tensorBytes: tensorBytesOf(kernel.entry),
    localBytes: kernel.stackBytes,
    look: () => checkTime(limits),
  };
}

/**
 * For each kernel, the functions for compiling the code that was left out. These functions keep all data about the
 * kernel in memory. They are not stored with the compiled code, which may be kept for longer than the kernel.
 */
const compilers = new WeakMap<KernelProgram, Map<Compiled, CompileAlone>>();

function keepCompiler(kernel: KernelProgram, code: Compiled, compile: CompileAlone): void {
  if (code.leftOut.length === 0) return;
  compilers.set(kernel, (compilers.get(kernel) ?? new Map<Compiled, CompileAlone>()).set(code, compile));
}

function compileAlone(code: Compiled, region: number, launch: Launch, options: FastOptions): WebAssembly.Module {
  const { kernel, limits } = launch;
  // The code may have been compiled for another kernel that was loaded from the same text. In that case, the whole
  // kernel is compiled again to determine the layout of the frames.
  const compile =
    compilers.get(kernel)?.get(code) ?? compileKernel(kernel, layoutOf(launch, options, false, true)).compileAlone;
  keepCompiler(kernel, code, compile);
  const { engineCalls, alone } = code;
  const made = compile({ region, compiled: new Set(alone.keys()), engineCalls, look: () => checkTime(limits) });
  const module = moduleIn(made.bytes, kernel.entry.name);
  for (const one of made.regions) alone.set(one, module);
  return module;
}

/**
 * Compiles synchronously: the baseline compiler is fast, and sending the module to another thread would cost more than
 * it saves.
 */
function moduleIn(bytes: Uint8Array<ArrayBuffer>, name: string): WebAssembly.Module {
  try {
    return compileModule(bytes);
  } catch (error) {
    // The host may refuse to compile a module because a function is too large, has too many locals, or exceeds a
    // similar limit.
    if (!(error instanceof WebAssembly.CompileError) || !/maximum|too (?:large|many)|limit/.test(error.message))
      throw error;
    const message = `kernel '${name}' is too large for WebAssembly on this host; engine 'interp' can run it`;
    throw new PtxlabError('kernel-too-large', message, { cause: error });
  }
}
