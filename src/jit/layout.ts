/**
 * What compiled code and engine agree on: facts that are constants of a compiled kernel, and the context of a launch, a
 * run of 32-bit fields in borrowed global memory. All addresses are addresses of global memory.
 */
import type { VariableSymbol } from '../check/symbols.ts';

export interface LaunchLayout {
  /** Offset of address 0 in the WebAssembly memory; the map of what is allocated fills all before it. */
  readonly origin: number;
  readonly parameterBytes: number;
  readonly constantBytes: number;
  readonly localBytes: number;
  /** Address of a module's variable, or its offset in const memory. */
  readonly addressOf: (symbol: VariableSymbol) => number | null;
}

/** Offsets of the fields of a launch's context. */
export const context = {
  fuel: 0,
  blockX: 4,
  blockY: 8,
  blockZ: 12,
  threadsX: 16,
  threadsY: 20,
  threadsZ: 24,
  blocksX: 28,
  blocksY: 32,
  blocksZ: 36,
  sharedSize: 40,
  dynamicShared: 44,
  warps: 48,
  shared: 52,
  local: 56,
  frames: 60,
  states: 64,
  parameters: 68,
  constants: 72,
} as const;

export type ContextField = keyof typeof context;

export const contextSize = 128;

/** State of a thread between regions: four words. */
export const threadState = { region: 0, status: 4, barrier: 8, count: 12, size: 16 } as const;

export const status = { running: 0, waiting: 1, exited: 2 } as const;

export function alignTo16(size: number): number {
  return (size + 15) & ~15;
}
