/**
 * A cache of compiled kernels, which are looked up by their source text. A device keeps each kernel until the device is
 * closed or the kernel is evicted. Until then, other devices can use it, too, so the same PTX is compiled only once.
 */
import type { CompiledKernel } from '../compiled-kernel.ts';
import type { EngineCall } from '../engine-call.ts';

export interface Compiled {
  readonly kernel: CompiledKernel;
  readonly module: WebAssembly.Module;
  /** The `engineCalls` list of `kernel`. If more code is compiled later, its calls are added to this list. */
  readonly engineCalls: EngineCall[];
  /** The regions whose single-thread code was left out of `module`. */
  readonly leftOut: readonly number[];
  /** The modules that have been compiled for the regions in `leftOut`, by region. */
  readonly alone: Map<number, WebAssembly.Module>;
  /** Number of instructions that the kernel has executed, summed over all threads. */
  executed: number;
}

/**
 * Maximum number of PTX texts whose compiled code is kept. `mostCharacters` limits the total length of these texts.
 * Both limits apply to each device, and also to all devices together.
 */
const mostTexts = 64;
const mostCharacters = 32 * 2 ** 20;

/** The kernels compiled from one text. The key represents everything else that affects the code. */
type Kernels = Map<string, Compiled>;

/** Texts and their kernels; the most recently used text is the last entry. */
type Texts = Map<string, Kernels>;

/** The compiled code of all devices. */
const everywhere: Texts = new Map();

/** Drops the code of a device that has been garbage-collected. */
const dropped = new FinalizationRegistry<Texts>((texts) => {
  release(texts);
});

/**
 * Keeps the code that was compiled for one device. If there are too many texts, the code of the least recently used
 * ones is dropped.
 */
export class CodeCache {
  private readonly own: Texts = new Map();

  constructor() {
    dropped.register(this, this.own);
  }

  /** Keeps a kernel that is used under this text and key, and returns it. */
  keep(text: string, key: string, compiled: Compiled): Compiled {
    put(this.own, text, key, compiled);
    put(everywhere, text, key, compiled);
    return compiled;
  }

  /** Returns the kernel compiled from this text under this key; null if it was never compiled or has been dropped. */
  before(text: string, key: string): Compiled | null {
    return this.own.get(text)?.get(key) ?? everywhere.get(text)?.get(key) ?? null;
  }

  clear(): void {
    release(this.own);
  }
}

function put(texts: Texts, text: string, key: string, compiled: Compiled): void {
  const kernels = texts.get(text) ?? new Map<string, Compiled>();
  texts.delete(text);
  texts.set(text, kernels);
  kernels.set(key, compiled);
  let characters = 0;
  for (const one of texts.keys()) characters += one.length;
  for (const oldest of texts.keys()) {
    if (texts.size === 1 || (texts.size <= mostTexts && characters <= mostCharacters)) return;
    texts.delete(oldest);
    characters -= oldest.length;
  }
}

/**
 * Drops the texts of a device. Other devices that use one of these texts keep the compiled code, but no longer share
 * it.
 */
function release(texts: Texts): void {
  for (const text of texts.keys()) everywhere.delete(text);
  texts.clear();
}
