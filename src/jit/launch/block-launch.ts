/** The data that the engine needs to run blocks of a compiled kernel. */
import type { BuiltinServices } from '../../machine/builtins.ts';
import type { EngineMemory } from '../../machine/memory/engine-memory.ts';
import type { LaunchShape } from '../../machine/launch.ts';
import type { NamedRange } from '../../machine/memory/segment.ts';
import type { CompiledKernel } from '../compiled-kernel.ts';
import type { LeftOut } from './linked-code.ts';

export interface BlockLaunch {
  readonly compiled: CompiledKernel;
  readonly module: WebAssembly.Module;
  /**
   * The code that was left out of the module. On workers, nothing is left out, because they receive the complete code.
   */
  readonly leftOut: LeftOut;
  readonly shape: LaunchShape;
  readonly memory: EngineMemory;
  readonly parameters: Uint8Array;
  readonly constants: Uint8Array;
  readonly constantRegions: readonly NamedRange[];
  /**
   * The services that built-in functions use; null on workers, which never run kernels that call built-in functions.
   */
  readonly services: Omit<BuiltinServices, 'load' | 'look'> | null;
  /** Number of bytes available for the blocks that run at the same time. */
  readonly residentBytes: number;
}
