/**
 * Compiled kernels by what they were made of. A device keeps its own until it is closed or forgotten; what one device has,
 * others find as long as it is there, so that the same PTX is compiled once.
 */
import type { CompiledKernel } from '../compiled-kernel.ts';

export interface Compiled {
  readonly kernel: CompiledKernel;
  readonly module: WebAssembly.Module;
  /** Thread-instructions that it has run. */
  executed: number;
}

/** Texts of PTX that a device keeps code of, and characters of all of them. */
const mostTexts = 64;
const mostCharacters = 32 * 2 ** 20;

/** By text, then by key. */
const everywhere = new Map<string, Map<string, WeakRef<Compiled>>>();

const collected = new FinalizationRegistry<readonly [text: string, key: string]>(([text, key]) => {
  const kernels = everywhere.get(text);
  // Something else may have been made for the same key since.
  if (kernels?.get(key)?.deref() !== undefined) return;
  kernels?.delete(key);
  if (kernels?.size === 0) everywhere.delete(text);
});

/** The code of one device. The texts not used for longest go when there are too many. */
export class CodeCache {
  private readonly byText = new Map<string, Map<string, Compiled>>();

  /** What was made of that text under that key, or is now. The key tells apart whatever else it depends on. */
  once(text: string, key: string, make: () => Compiled): Compiled {
    const kernels = this.byText.get(text) ?? new Map<string, Compiled>();
    // Last in the map is used last.
    this.byText.delete(text);
    this.byText.set(text, kernels);
    const found = kernels.get(key) ?? shared(text, key) ?? publish(text, key, make());
    kernels.set(key, found);
    this.forget();
    return found;
  }

  /** What was made of that text under that key; null where nothing was, or it is forgotten. */
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

/** What some device has, or has had and is not collected yet. */
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
