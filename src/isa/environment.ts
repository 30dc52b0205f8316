/** What the meaning of an instruction may depend on besides its text. */
import { type Gpu, gpuOf } from './gpus.ts';
import { findTarget, parseVersion, type Target, type Version } from './targets.ts';

export interface Environment {
  /** Up to 1.4 some 64-bit conversions do not flush subnormals. */
  readonly version: Version;
  /** sm_1x flushes f32 subnormals without `.ftz`. */
  readonly target: Target;
  /** The GPU whose arithmetic is used where the ISA leaves it open. */
  readonly gpu: Gpu;
}

/** Derived from the target unless given. */
export function environmentOf(version: Version, target: Target, gpu: Gpu = gpuOf(target)): Environment {
  return { version, target, gpu };
}

/**
 * The environment for names such as `sm_90` and `8.1`, for programs that know them to be valid. Throws if the name is
 * not a target.
 */
export function namedEnvironment(target: string, version: string): Environment {
  const found = findTarget(target);
  if (found === undefined) throw new Error(`'${target}' is not a target`);
  return environmentOf(parseVersion(version), found);
}
