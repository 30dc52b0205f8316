/**
 * A cache of compiled kernels, which are looked up by their source text. A device keeps each kernel until the device is
 * closed or the kernel is evicted. While a kernel is kept by any device, other devices can use it, too, so the same PTX
 * is compiled only once.
 */
import type { CompiledKernel } from '../compiled-kernel.ts';

export interface Compiled {
  readonly kernel: CompiledKernel;
  readonly module: WebAssembly.Module;
  /**
   * Returns a second module, which contains the code that `module` lacks and is compiled on the first call; null if
   * `module` contains all code. `look` throws if the launch has been aborted or has run out of time.
   */
  readonly rest: ((look: () => void) => WebAssembly.Module) | null;
  /** Number of instructions that the kernel has executed, summed over all threads. */
  executed: number;
}

/**
 * Maximum number of PTX texts whose compiled code a device keeps. `mostCharacters` limits the total length of these
 * texts.
 */
const mostTexts = 64;
const mostCharacters = 32 * 2 ** 20;

/**
 * The compiled code of all devices. The outer key is the source text; the inner key represents everything else that
 * affects the code.
 */
const everywhere = new Map<string, Map<string, WeakRef<Compiled>>>();

const collected = new FinalizationRegistry<readonly [text: string, key: string]>(([text, key]) => {
  const kernels = everywhere.get(text);
  // The entry must not be deleted if a new kernel has been compiled for the same key in the meantime.
  if (kernels?.get(key)?.deref() !== undefined) return;
  kernels?.delete(key);
  if (kernels?.size === 0) everywhere.delete(text);
});

/**
 * Keeps the code that was compiled for one device. If there are too many texts, the code of the least recently used
 * ones is dropped.
 */
export class CodeCache {
  private readonly byText = new Map<string, Map<string, Compiled>>();

  /**
   * Returns the kernel for this text and key, which is compiled if it is not in the cache. The key represents
   * everything that affects the code except the text.
   */
  once(text: string, key: string, make: () => Compiled): Compiled {
    const kernels = this.byText.get(text) ?? new Map<string, Compiled>();
    // The last entry of the map is the most recently used.
    this.byText.delete(text);
    this.byText.set(text, kernels);
    const found = kernels.get(key) ?? shared(text, key) ?? publish(text, key, make());
    kernels.set(key, found);
    this.forget();
    return found;
  }

  /** Returns the kernel compiled from this text under this key; null if it was never compiled or has been dropped. */
  before(text: string, key: string): Compiled | null {
    return this.byText.get(text)?.get(key) ?? shared(text, key);
  }

  clear(): void {
    this.byText.clear();
  }

  private forget(): void {
    const { byText } = this;
    let characters = 0;
    for (const text of byText.keys()) characters += text.length;
    for (const text of byText.keys()) {
      if (byText.size === 1 || (byText.size <= mostTexts && characters <= mostCharacters)) return;
      byText.delete(text);
      characters -= text.length;
    }
  }
}

/** Looks up a kernel among the kernels of all devices; null if it is not there or has been garbage-collected. */
function shared(text: string, key: string): Compiled | null {
  return everywhere.get(text)?.get(key)?.deref() ?? null;
}

function publish(text: string, key: string, made: Compiled): Compiled {
  const kernels = everywhere.get(text) ?? new Map<string, WeakRef<Compiled>>();
  everywhere.set(text, kernels);
  kernels.set(key, new WeakRef(made));
  collected.register(made, [text, key]);
  return made;
}
