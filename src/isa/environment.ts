/** What the meaning of an instruction may depend on beside its text. */
import { type Gpu, gpuOf } from './gpus.ts';
import { findTarget, parseVersion, type Target, type Version } from './targets.ts';

export interface Environment {
  /** Up to 1.4 some 64-bit conversions do not flush subnormals. */
  readonly version: Version;
  /** sm_1x flushes f32 subnormals without `.ftz`. */
  readonly target: Target;
  /** Whose arithmetic it is where the ISA leaves that open. */
  readonly gpu: Gpu;
}

/** The GPU follows the target unless given. */
export function environmentOf(version: Version, target: Target, gpu: Gpu = gpuOf(target)): Environment {
  return { version, target, gpu };
}

/** The environment of names, for programs that know them: `sm_90`, `8.1`. Throws for a name that is not a target's. */
export function namedEnvironment(target: string, version: string): Environment {
  const found = findTarget(target);
  if (found === undefined) throw new Error(`'${target}' is not a target`);
  return environmentOf(parseVersion(version), found);
}
