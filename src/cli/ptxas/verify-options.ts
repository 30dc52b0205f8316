import type { Architecture } from './architecture.ts';

export interface VerifyOptions {
  readonly architecture: Architecture;
  /** True for `-c`: the module may use names that are defined in another module. */
  readonly isPart: boolean;
  readonly warnings: 'print' | 'hide' | 'refuse';
  /** Kernels that must exist. */
  readonly entries: readonly string[];
  readonly allowUnverified: boolean;
}
