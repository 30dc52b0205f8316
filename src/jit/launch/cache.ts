/**
 * Compiled kernels by what they were made of, so that the same PTX is compiled once in a process. The oldest texts go
 * when there are too many.
 */
import type { CompiledKernel } from '../compiled-kernel.ts';

export interface Compiled {
  readonly kernel: CompiledKernel;
  readonly module: WebAssembly.Module;
  /** Thread-instructions that it has run. */
  executed: number;
}

/** Texts of PTX, and characters of all of them. */
const mostTexts = 64;
const mostCharacters = 32 * 2 ** 20;

const byText = new Map<string, Map<string, Compiled>>();

/** What was made of that text under that key, or is now. The key tells apart whatever else it depends on. */
export function compiledOnce(text: string, key: string, make: () => Compiled): Compiled {
  const kernels = byText.get(text) ?? new Map<string, Compiled>();
  // Last in the map is used last.
  byText.delete(text);
  byText.set(text, kernels);
  const known = kernels.get(key);
  if (known !== undefined) return known;
  const made = make();
  kernels.set(key, made);
  forget();
  return made;
}

/** What was made of that text under that key; null where nothing was, or it is forgotten. */
export function compiledBefore(text: string, key: string): Compiled | null {
  return byText.get(text)?.get(key) ?? null;
}

function forget(): void {
  let characters = 0;
  for (const text of byText.keys()) characters += text.length;
  for (const text of byText.keys()) {
    if (byText.size === 1 || (byText.size <= mostTexts && characters <= mostCharacters)) return;
    byText.delete(text);
    characters -= text.length;
  }
}
