/** Everything that can affect the meaning of an instruction, apart from the text of the instruction itself. */
import { type Gpu, gpuOf } from './gpus.ts';
import { findTarget, parseVersion, type Target, type Version } from './targets.ts';

export interface Environment {
  /** Up to version 1.4, some conversions with 64-bit types do not flush subnormals. */
  readonly version: Version;
  /** sm_1x flushes f32 subnormals even without `.ftz`. */
  readonly target: Target;
  /** The GPU whose arithmetic is simulated in cases that the ISA does not specify. */
  readonly gpu: Gpu;
}

/** Creates an environment. If no GPU is given, the GPU of the target's architecture is used. */
export function environmentOf(version: Version, target: Target, gpu: Gpu = gpuOf(target)): Environment {
  return { version, target, gpu };
}

/**
 * The environment for a target and a version, both given as text, such as `sm_90` and `8.1`. The caller must make sure
 * that the version is well-formed. Throws if the name is not a target.
 */
export function namedEnvironment(target: string, version: string): Environment {
  const found = findTarget(target);
  if (found === undefined) throw new Error(`'${target}' is not a target`);
  return environmentOf(parseVersion(version), found);
}
