/**
 * PTX versions and `.target` architectures in order of introduction (section 11.1.2 and the release notes of PTX ISA
 * 9.1; the first version that supports each target was determined with ptxas 13.0).
 */
import { lastOf, valueAt } from '../base/element-at.ts';
import { joinWords } from '../base/join-words.ts';

/** A PTX ISA version as one comparable number: `major * 100 + minor`. */
export type Version = number;

const versionNames = [
  '1.0',
  '1.1',
  '1.2',
  '1.3',
  '1.4',
  '1.5',
  '2.0',
  '2.1',
  '2.2',
  '2.3',
  '3.0',
  '3.1',
  '3.2',
  '4.0',
  '4.1',
  '4.2',
  '4.3',
  '5.0',
  '5.1',
  '6.0',
  '6.1',
  '6.2',
  '6.3',
  '6.4',
  '6.5',
  '7.0',
  '7.1',
  '7.2',
  '7.3',
  '7.4',
  '7.5',
  '7.6',
  '7.7',
  '7.8',
  '8.0',
  '8.1',
  '8.2',
  '8.3',
  '8.4',
  '8.5',
  '8.6',
  '8.7',
  '8.8',
  '9.0',
  '9.1',
  '9.2',
  '9.3',
  '9.4',
] as const;

/** A PTX version as text: `8.1`. */
export type VersionName = (typeof versionNames)[number];

export function isVersionName(text: string): text is VersionName {
  return versionNames.some((name) => name === text);
}

/** All known versions, oldest first. */
export const versions: readonly Version[] = versionNames.map(parseVersion);

/**
 * The newest version whose rules the tables contain. If the `.version` of a module is newer, the module is checked by
 * the rules of this version, and a warning is issued.
 */
export const newestVersion: Version = lastOf(versions);

/** Parses a version such as `8.1`; the caller guarantees that it is well-formed. */
export function parseVersion(text: string): Version {
  const dot = text.indexOf('.');
  return Number(text.slice(0, dot)) * 100 + Number(text.slice(dot + 1));
}

export function formatVersion(version: Version): string {
  return `${Math.floor(version / 100)}.${version % 100}`;
}

const namesByVersion: ReadonlyMap<Version, VersionName> = new Map(
  versionNames.map((name) => [parseVersion(name), name]),
);

/** The name of a known version. */
export function versionName(version: Version): VersionName {
  return valueAt(namesByVersion, version);
}

/**
 * The suffix after the number. A target with suffix `a` also supports the features that are specific to its
 * architecture, and a target with suffix `f` also supports the features that are common to its family (section 11.1.2
 * of PTX ISA 9.1).
 */
export type TargetSuffix = '' | 'a' | 'f';

export interface Target {
  readonly name: TargetName;
  readonly sm: number;
  readonly suffix: TargetSuffix;
  /** The first PTX version that supports the target. */
  readonly since: Version;
}

type TargetRow = readonly [sm: number, since: VersionName, a?: VersionName, f?: VersionName];

const targetRows = [
  [10, '1.0'],
  [11, '1.0'],
  [12, '1.2'],
  [13, '1.2'],
  [20, '2.0'],
  [21, '2.0'],
  [30, '3.0'],
  [32, '4.0'],
  [35, '3.1'],
  [37, '4.1'],
  [50, '4.0'],
  [52, '4.1'],
  [53, '4.2'],
  [60, '5.0'],
  [61, '5.0'],
  [62, '5.0'],
  [70, '5.1'],
  [72, '6.1'],
  [75, '6.3'],
  [80, '7.0'],
  [82, '6.2'],
  [86, '7.1'],
  [87, '7.4'],
  [88, '7.3'],
  [89, '7.8'],
  [90, '7.8', '8.0'],
  [100, '8.6', '8.6', '8.8'],
  [101, '8.6', '8.6', '8.8'],
  [103, '8.8', '8.8', '8.8'],
  [107, '9.4', '9.4', '9.4'],
  [110, '9.0', '9.0', '9.0'],
  [120, '8.7', '8.7', '8.8'],
  [121, '8.8', '8.8', '8.8'],
] as const;

targetRows satisfies readonly TargetRow[];

type WithoutSuffix<R extends TargetRow> = `sm_${R[0]}`;
type WithA<R extends TargetRow> = R extends readonly [unknown, unknown, string, ...unknown[]] ? `sm_${R[0]}a` : never;
type WithF<R extends TargetRow> = R extends readonly [unknown, unknown, string, string] ? `sm_${R[0]}f` : never;
type Suffixed<R extends TargetRow> = WithoutSuffix<R> | WithA<R> | WithF<R>;

/** The name of an architecture: `sm_90`, `sm_90a`, `sm_100f`. */
export type TargetName = Suffixed<(typeof targetRows)[number]>;

export function isTargetName(text: string): text is TargetName {
  return targets.some(({ name }) => name === text);
}

function expandTarget([sm, since, a, f]: TargetRow): readonly Target[] {
  const make = (suffix: TargetSuffix, text: string): Target => ({
    // The cast is safe, because the type `TargetName` is derived from the same rows.
    name: `sm_${sm}${suffix}` as TargetName,
    sm,
    suffix,
    since: parseVersion(text),
  });
  const found = [make('', since)];
  if (a !== undefined) found.push(make('a', a));
  if (f !== undefined) found.push(make('f', f));
  return found;
}

/** All targets, in ascending order of architecture. For each architecture, the target without a suffix comes first. */
export const targets: readonly Target[] = targetRows.flatMap(expandTarget);

/** The names of all targets, in the order of the table. */
export const targetNames: readonly TargetName[] = targets.map(({ name }) => name);

/** The newest target, which is the default. */
export const newestTarget: Target = lastOf(targets);

const byName: ReadonlyMap<string, Target> = new Map(targets.map((target) => [target.name, target]));

/** The target with a name such as `sm_90a`; undefined if the name is unknown. */
export function findTarget(name: string): Target | undefined {
  return byName.get(name);
}

/**
 * The target that a name in a `.target` directive refers to. ptxas 13.0 accepts `compute_90a` as another name for
 * `sm_90a`.
 */
export function findDeclaredTarget(name: string): Target | undefined {
  return byName.get(name) ?? byName.get(name.replace(/^compute_/, 'sm_'));
}

/**
 * The targets that support a feature. `from`: every target whose number is `sm` or higher. `suffixed`: the same, but
 * only targets with suffix `a` or `f`. `listed`: only the targets that are listed. `between`: every target from `sm` up
 * to, but not including, `below`.
 */
export type TargetSet =
  | { readonly kind: 'from'; readonly sm: number }
  | { readonly kind: 'suffixed'; readonly sm: number }
  | { readonly kind: 'listed'; readonly names: readonly TargetName[] }
  | { readonly kind: 'between'; readonly sm: number; readonly below: number };

export function includesTarget(set: TargetSet, target: Target): boolean {
  switch (set.kind) {
    case 'from':
      return target.sm >= set.sm;
    case 'suffixed':
      return target.sm >= set.sm && target.suffix !== '';
    case 'listed':
      return set.names.includes(target.name);
    case 'between':
      return target.sm >= set.sm && target.sm < set.below;
  }
}

/** Describes a set of targets: `sm_80 or higher`, `sm_100a or sm_103a`. */
export function describeTargets(set: TargetSet): string {
  switch (set.kind) {
    case 'from':
      return set.sm <= 10 ? 'any target' : `sm_${set.sm} or higher`;
    case 'suffixed':
      return joinWords(
        [...[`sm_${set.sm}a`, `sm_${set.sm}f`].filter(isTargetName), 'a later one with suffix a or f'],
        'or',
      );
    case 'listed':
      return joinWords(set.names, 'or');
    case 'between':
      return set.sm <= 10 ? `targets below sm_${set.below}` : `sm_${set.sm} or higher, but below sm_${set.below}`;
  }
}

/**
 * Describes several sets of targets. The names from all `listed` sets are combined into one list. A range is left out
 * if another range contains it.
 */
export function describeTargetSets(sets: readonly TargetSet[]): string {
  const names = sets.flatMap((set) => (set.kind === 'listed' ? set.names : []));
  const others = sets
    .filter((set) => set.kind !== 'listed' && !sets.some((other) => containsRange(other, set)))
    .map(describeTargets);
  return joinWords([...new Set(others), ...new Set(names)], 'or');
}

/**
 * Whether the first set is a `from` set that contains the range of the second one. If the two sets are equal, the
 * result is false.
 */
export function containsRange(set: TargetSet, other: TargetSet): boolean {
  return (
    set.kind === 'from' && (other.kind === 'from' ? other.sm > set.sm : other.kind === 'between' && other.sm >= set.sm)
  );
}

/** A range of PTX versions and a set of targets for which a feature is available. */
export interface Availability {
  readonly since: Version;
  /** The version in which the feature was removed; absent if it still exists. */
  readonly until?: Version;
  readonly on: TargetSet;
}

/** `at('7.8', 90)` means: available since version 7.8 on sm_90 and higher. */
export function at(version: VersionName, sm = 10): Availability {
  return { since: parseVersion(version), on: { kind: 'from', sm } };
}

/** True if the feature is available in every version and on every target. */
export function isAlways({ since, until, on }: Availability): boolean {
  return since <= parseVersion('1.0') && until === undefined && on.kind === 'from' && on.sm <= 10;
}

/** Available since `version` on targets with suffix `a` or `f` whose number is `sm` or higher. */
export function atSuffixed(version: VersionName, sm: number): Availability {
  return { since: parseVersion(version), on: { kind: 'suffixed', sm } };
}

/** Available since `version`, only on the given targets. */
export function atListed(version: VersionName, ...names: readonly TargetName[]): Availability {
  return { since: parseVersion(version), on: { kind: 'listed', names } };
}

/** Available on all targets from version 1.0 up to, but not including, `version`. */
export function atBefore(version: VersionName): Availability {
  return { ...at('1.0'), until: parseVersion(version) };
}

/**
 * Available since version 1.0 on targets from `sm` up to, but not including, `below`. If `until` is given, available
 * only in versions before `until`.
 */
export function atBetween(sm: number, below: number, until?: VersionName): Availability {
  const way: Availability = { since: parseVersion('1.0'), on: { kind: 'between', sm, below } };
  return until === undefined ? way : { ...way, until: parseVersion(until) };
}

/** True if at least one of the alternatives applies to the version and target. */
export function isAvailable(ways: readonly Availability[], version: Version, target: Target): boolean {
  return ways.some((way) => inVersion(way, version) && includesTarget(way.on, target));
}

/** True if the alternative applies to the version, regardless of the target. */
export function inVersion(way: Availability, version: Version): boolean {
  return version >= way.since && (way.until === undefined || version < way.until);
}
