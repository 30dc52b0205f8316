/** Everything besides its text that can affect the meaning of an instruction. */
import { type Gpu, gpuOf } from './gpus.ts';
import { findTarget, parseVersion, type Target, type Version } from './targets.ts';

export interface Environment {
  /** Up to version 1.4, some 64-bit conversions do not flush subnormals. */
  readonly version: Version;
  /** sm_1x flushes f32 subnormals even without `.ftz`. */
  readonly target: Target;
  /** The GPU whose arithmetic is used where the ISA leaves a choice open. */
  readonly gpu: Gpu;
}

/** Makes an environment. The GPU is derived from the target unless it is given. */
export function environmentOf(version: Version, target: Target, gpu: Gpu = gpuOf(target)): Environment {
  return { version, target, gpu };
}

/**
 * The environment for names such as `sm_90` and `8.1`; the caller must know that they are valid. Throws if the name is
 * not a target.
 */
export function namedEnvironment(target: string, version: string): Environment {
  const found = findTarget(target);
  if (found === undefined) throw new Error(`'${target}' is not a target`);
  return environmentOf(parseVersion(version), found);
}
