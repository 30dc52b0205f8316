/** Determines for which architectures ptxas compiles a module. */
import { findGpu, runsOn } from '../../isa/gpus.ts';
import { findTarget, type Target } from '../../isa/targets.ts';

/** A value of `-arch`. */
export interface Architecture {
  /** The name as the user wrote it. */
  readonly name: string;
  readonly target: Target;
  /** False for names such as `compute_90` and `lto_90`, for which ptxas neither links nor generates machine code. */
  readonly isReal: boolean;
}

/** `name` must be one of the values that the option accepts. */
export function architectureOf(name: string): Architecture {
  const underscore = name.indexOf('_');
  const target = findTarget(`sm_${name.slice(underscore + 1)}`);
  if (target === undefined) throw new Error(`no target is called ${name}`);
  return { name, target, isReal: name.startsWith('sm_') };
}

/** sm_101 was renamed sm_110. */
const current = (sm: number): number => (sm === 101 ? 110 : sm);

/** The message that ptxas prints if a module for `target` cannot be compiled for this architecture; null if it can. */
export function misfit(target: Target, { name, target: to }: Architecture): string | null {
  if (target.suffix === '')
    return target.sm <= to.sm ? null : 'SM version specified by .target is higher than default SM version assumed';
  if (current(target.sm) > to.sm) return 'SM version specified by .target is higher than default SM version assumed';
  if (target.suffix === 'a') {
    if (current(target.sm) !== to.sm)
      return `Program with .target '${target.name}' cannot be compiled to future architecture`;
    return to.suffix === 'a' ? null : `PTX with .target '${target.name}' cannot be compiled for architecture '${name}'`;
  }
  const gpu = findGpu(`sm_${to.sm}`);
  const family = { ...target, sm: current(target.sm) };
  if (gpu !== undefined && runsOn(family, gpu)) return null;
  return `Program with .target '${target.name}' cannot be compiled to different SM-family architecture`;
}
