/**
 * Stores compiled kernels for later processes, and reads them again. They are valid only for the build of the package
 * that compiled them, so code that runs from its sources, as in tests, has no store.
 */
import { readCode, writeCode } from '#code-store';
import type { CompiledKernel } from '../compiled-kernel.ts';
import { compileModule } from '../compile-module.ts';
import type { EngineCall } from '../engine-call.ts';
import { fusesProducts } from '../simd/fuses-products.ts';
import type { Compiled } from './cache.ts';

/** A number of the build, which the bundler puts here. */
declare const buildNumber: string | undefined;

const build: string | null = typeof buildNumber === 'undefined' ? null : buildNumber;

/** Kernels that are compiled in less time, in milliseconds, are not stored. */
const leastTime = 10;

interface Stored {
  /** The kernel, without its `engineCalls`. */
  readonly kernel: Omit<CompiledKernel, 'engineCalls'>;
  readonly engineCalls: EngineCall[];
  readonly leftOut: readonly number[];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Only this module writes to the store, under keys that contain the build, so the parts have the right types. */
function isStored(value: unknown): value is Stored {
  return typeof value === 'object' && value !== null && 'bytes' in value && 'engineCalls' in value;
}

/** Returns the code that an earlier process compiled from this text for this key, or null if there is none. */
export function storedCode(text: string, key: string): Compiled | null {
  const stored = build === null ? null : readCode(nameOf(build, text, key));
  if (!isStored(stored)) return null;
  const { kernel, engineCalls, leftOut, bytes } = stored;
  try {
    const module = compileModule(bytes);
    return { kernel: { ...kernel, engineCalls }, module, engineCalls, leftOut, alone: new Map(), executed: 0 };
  } catch {
    return null;
  }
}

/** Stores compiled code if compiling it took long enough, in milliseconds. */
export function storeCode(
  text: string,
  key: string,
  { kernel, engineCalls, leftOut, bytes }: Pick<Compiled, 'kernel' | 'engineCalls' | 'leftOut'> & Pick<Stored, 'bytes'>,
  time: number,
): void {
  if (build === null || time < leastTime) return;
  const { engineCalls: _, ...rest } = kernel;
  const stored: Stored = { kernel: rest, engineCalls, leftOut, bytes };
  writeCode(nameOf(build, text, key), stored);
}

function nameOf(number: string, text: string, key: string): string {
  return JSON.stringify([number, fusesProducts(), key, text]);
}
