/** Runs compiled sweeps. This file does not import the instruction tables, so that a worker starts quickly. */
import { compileModule } from '../compile-module.ts';
import { exportedFunction } from '../exported-function.ts';
import type { SweepKernel } from './sweep-kernel.ts';

/** The data that is needed to compute the digests of a sweep. */
export interface SweepTask {
  readonly kernel: SweepKernel;
  /** Number of inputs per chunk. */
  readonly chunkSize: number;
}

export type ChunkDigest = readonly [chunk: number, digest: number];

/**
 * Computes the digests of chunks in this thread. The number of chunks that are processed at the same time equals the
 * number of lanes of the kernel.
 */
export function* sweepChunks(
  { kernel, chunkSize }: SweepTask,
  chunks: Iterable<number>,
): Generator<readonly ChunkDigest[]> {
  const runner = new SweepRunner(kernel);
  const list = [...chunks];
  for (let at = 0; at < list.length; at += kernel.lanes) {
    const group = list.slice(at, at + kernel.lanes);
    const digests = runner.run(
      group.map((chunk) => chunk * chunkSize),
      chunkSize,
    );
    yield group.map((chunk, i) => [chunk, digests[i] ?? 0] as const);
  }
}

/**
 * Instantiates a module. The module imports all callbacks of the engine. Code for conversions never calls them, so the
 * callbacks provided here only throw an error.
 */
export function instanceWithoutEngine(module: WebAssembly.Module, memory: WebAssembly.Memory): WebAssembly.Instance {
  const refuse = (): never => {
    throw new Error('a conversion called the engine');
  };
  const functions = WebAssembly.Module.imports(module).filter(({ kind }) => kind === 'function');
  const env = Object.fromEntries(functions.map(({ name }) => [name, refuse] as const));
  return new WebAssembly.Instance(module, { env: { ...env, memory } });
}

/** Runs a kernel in this thread. */
export class SweepRunner {
  private readonly words: Uint32Array;
  private readonly sweep: (count: number) => void;
  private readonly lanes: number;

  constructor({ lanes, wasm }: SweepKernel) {
    const memory = new WebAssembly.Memory({ initial: 1 });
    const instance = instanceWithoutEngine(compileModule(wasm), memory);
    this.words = new Uint32Array(memory.buffer, 0, 8);
    this.sweep = exportedFunction(instance.exports, 'sweep');
    this.lanes = lanes;
  }

  /**
   * For each element of `starts`, runs the instruction on `count` consecutive inputs, beginning with this element.
   * Returns one digest of the results for each element. The number of starts must not exceed the number of lanes of the
   * kernel.
   */
  run(starts: readonly number[], count: number): readonly number[] {
    for (let lane = 0; lane < this.lanes; lane++) this.words[lane] = starts[lane] ?? 0;
    this.words.fill(0, 4);
    // V8 cannot switch to the optimized form of a function while the function is running, so each call is kept short.
    for (let done = 0; done < count; done += slice) this.sweep(Math.min(slice, count - done));
    return [...this.words.subarray(4, 4 + starts.length)];
  }
}

const slice = 2 ** 16;
