/** Describes sets of targets in a few words. */
import { append } from '../base/append.ts';
import { lastOf } from '../base/element-at.ts';
import type { Acceptance } from '../check/availability.ts';
import { findTarget, formatVersion, parseVersion, type Target, targets } from '../isa/targets.ts';

/** Targets for which the same PTX version was the first to accept the construct. */
export interface AcceptanceGroup {
  readonly since: string;
  readonly targets: readonly string[];
  /** The targets in words: `sm_80 or higher`, `sm_100a, sm_103a`. */
  readonly words: string;
}

/**
 * Groups targets by the first version that supports the feature on them, lowest version first. If a target has
 * supported the feature since the version that introduced the target, this version does not show when the feature
 * itself became available. Such a target is therefore placed in the group with the lowest version.
 */
export function groupAcceptance(accepted: readonly Acceptance[]): readonly AcceptanceGroup[] {
  const lowest = Math.min(...accepted.map(({ since }) => parseVersion(since)));
  const groups = new Map<number, string[]>();
  for (const { target, since } of accepted) {
    const version = parseVersion(since);
    const key = findTarget(target)?.since === version ? lowest : version;
    append(groups, key, target);
  }
  return [...groups]
    .sort(([a], [b]) => a - b)
    .map(([version, names]) => ({ since: formatVersion(version), targets: names, words: describeSet(names) }));
}

/** Describes a list of target names as briefly as possible, for example as a range of consecutive targets. */
export function describeSet(names: readonly string[]): string {
  const chosen = targets.filter((target) => names.includes(target.name));
  const [first] = chosen;
  const last = chosen[chosen.length - 1];
  if (first === undefined || last === undefined) return 'no target';
  if (chosen.length === targets.length) return 'any target';
  const isAll = (matches: (target: Target) => boolean): boolean => targets.filter(matches).length === chosen.length;
  const newest = lastOf(targets);
  if (isAll(({ sm }) => sm >= first.sm) && last === newest) return `sm_${first.sm} or higher`;
  if (chosen.length > 3 && isAll(({ sm }) => sm >= first.sm && sm <= last.sm)) return `sm_${first.sm} to sm_${last.sm}`;
  const suffixed = chosen.every((target) => target.suffix !== '') && last === newest;
  if (suffixed && isAll(({ sm, suffix }) => sm >= first.sm && suffix !== '')) {
    return `sm_${first.sm}a, sm_${first.sm}f and later ones with suffix a or f`;
  }
  return chosen.map(({ name }) => name).join(', ');
}
