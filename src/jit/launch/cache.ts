/**
 * Compiled kernels by their source. A device keeps its kernels until it is closed or they are evicted. Other devices
 * find them for as long as they exist, so that the same PTX is compiled only once.
 */
import type { CompiledKernel } from '../compiled-kernel.ts';

export interface Compiled {
  readonly kernel: CompiledKernel;
  readonly module: WebAssembly.Module;
  /** Thread-instructions that the kernel has run. */
  executed: number;
}

/** Most PTX texts that a device keeps code for, and the limit of their total length in characters. */
const mostTexts = 64;
const mostCharacters = 32 * 2 ** 20;

/** By text, then by key. */
const everywhere = new Map<string, Map<string, WeakRef<Compiled>>>();

const collected = new FinalizationRegistry<readonly [text: string, key: string]>(([text, key]) => {
  const kernels = everywhere.get(text);
  // Another kernel may have been compiled for the same key in the meantime.
  if (kernels?.get(key)?.deref() !== undefined) return;
  kernels?.delete(key);
  if (kernels?.size === 0) everywhere.delete(text);
});

/** The code of one device. If there are too many texts, the least recently used ones are dropped. */
export class CodeCache {
  private readonly byText = new Map<string, Map<string, Compiled>>();

  /**
   * The kernel compiled from that text under that key; compiles it if needed. The key covers everything else that the
   * code depends on.
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

  /** The kernel compiled from that text under that key; null if none was compiled, or it was dropped. */
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

/** Kernels of all devices that have not been garbage-collected yet. */
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
