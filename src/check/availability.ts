/**
 * Applies version and target rules: determines whether a variant of an instruction may be used in a module and, if not,
 * which versions and targets would accept it.
 */
import type { AvailabilityRow } from '../isa/conditions.ts';
import type { Variant } from '../isa/form.ts';
import type { HeaderChange } from '../diagnostics/fix.ts';
import { BoundedCache } from '../base/bounded-cache.ts';
import { joinWords } from '../base/join-words.ts';
import { doubleAt } from '../base/typed-reads.ts';
import { holds } from '../isa/rules.ts';
import {
  type Availability,
  containsRange,
  describeTargets,
  describeTargetSets,
  formatVersion,
  versionName,
  type VersionName,
  includesTarget,
  inVersion,
  isAvailable,
  newestVersion,
  type Target,
  type TargetName,
  type TargetSet,
  targets,
  type Version,
  versions,
} from '../isa/targets.ts';
import { type InstructionPart, type Problem, problem, wholeMnemonic } from './instructions/problem.ts';

/**
 * Targets for which 32-bit addresses are always accepted: every ptxas version that supports such a target compiles
 * modules with 32-bit addresses for it.
 */
export const shortAddressTargets: TargetSet = { kind: 'between', sm: 10, below: 75 };

/**
 * Whether textures include their samplers (`unified`) or samplers are separate (`independent`). Samplers are separate
 * if `.target` contains `texmode_independent`.
 */
export type Texmode = 'unified' | 'independent';

/** The version and target that the module declares, or those that the caller specified instead. */
export interface ModuleEnvironment {
  readonly version: Version;
  readonly target: Target;
  readonly addressSize: 32 | 64;
  /** Whether the module has an `.address_size`; without one, addresses are 32 bits wide. */
  readonly declaresAddressSize: boolean;
  readonly texmode: Texmode;
}

/** The facts on which version and target rules depend. */
export type Judged = Pick<ModuleEnvironment, 'version' | 'target'>;

/** A key that identifies an environment. Equal environments have the same key. */
export function environmentKey(environment: ModuleEnvironment): string {
  const { version, target, addressSize, declaresAddressSize, texmode } = environment;
  return `${version} ${target.name} ${addressSize} ${declaresAddressSize} ${texmode}`;
}

/** The version and target rules that apply to a variant. */
export function rowsOf(variant: Variant): readonly AvailabilityRow[] {
  return variant.form.availability.filter((row) => holds(row.when, variant));
}

/** Returns one problem for each rule that the module does not satisfy. */
export function checkRows(
  rows: readonly AvailabilityRow[],
  environment: Judged,
  place: InstructionPart = wholeMnemonic,
): readonly Problem[] {
  const { version, target } = environment;
  return rows
    .filter((row) => !isAvailable(row.ways, version, target))
    .map((row) => {
      const found = knownProblem(row, environment);
      return place === wholeMnemonic ? found : { ...found, place };
    });
}

/**
 * The problems that have been created so far. Problems are reused, because a module that uses an unavailable feature
 * often uses it many times.
 */
const knownProblems = new WeakMap<Judged, Map<AvailabilityRow, Problem>>();

function knownProblem(row: AvailabilityRow, environment: Judged): Problem {
  const known = knownProblems.get(environment) ?? new Map<AvailabilityRow, Problem>();
  knownProblems.set(environment, known);
  const found = known.get(row) ?? unavailable(row, environment);
  known.set(row, found);
  return found;
}

function unavailable(row: AvailabilityRow, { version, target }: Judged): Problem {
  const place = wholeMnemonic;
  const { subject, ways } = row;
  const help = adviceFor(ways, version, target);
  const accepted = headerChanges(ways, version, target);
  const here = ways.filter((way) => includesTarget(way.on, target));
  const now = ways.filter((way) => inVersion(way, version));
  const dropped = here.map((way) => way.until).find((until) => until !== undefined && version >= until);
  // If the feature was later reintroduced for other targets, it is more useful to list these targets than the version
  // that dropped the feature.
  if (dropped !== undefined && !now.some(({ since }) => since >= dropped)) {
    const last = formatVersion(dropped);
    return problem('PTX4004', place, { subject, last, found: formatVersion(version) }, { help, accepted });
  }
  const later = here.filter((way) => version < way.since);
  if (later.length > 0) {
    const needed = formatVersion(Math.min(...later.map((way) => way.since)));
    return problem('PTX4001', place, { subject, needed, found: formatVersion(version) }, { help, accepted });
  }
  if (now.length > 0) {
    const needed = describeTargetSets(now.map(({ on }) => on));
    return problem('PTX4002', place, { subject, needed, found: target.name }, { help, accepted });
  }
  const told = ways.filter((way) => !ways.some((other) => other.since <= way.since && containsRange(other.on, way.on)));
  const needed = joinWords(
    told.map((way) => `.version ${formatVersion(way.since)} on ${describeTargets(way.on)}`),
    'or',
  );
  return problem(
    'PTX4003',
    place,
    { subject, needed, found: target.name, version: formatVersion(version) },
    { help, accepted },
  );
}

/** The smallest change that makes the feature available, such as a suffix or a newer version. */
function adviceFor(ways: readonly Availability[], version: Version, target: Target): string | null {
  for (const way of ways) {
    const suffixed = targets
      .filter((other) => other.sm === target.sm && includesTarget(way.on, other))
      .map((other) => other.name);
    if (suffixed.length === 0 || suffixed.includes(target.name)) continue;
    const lacks =
      target.suffix === '' ? `${target.name} lacks the suffix` : `the suffix ${target.suffix} is not enough`;
    const since = version >= way.since ? '' : ` with .version ${formatVersion(way.since)} or later`;
    return `${lacks}: use ${joinWords(suffixed, 'or')}${since}`;
  }
  return null;
}

const mostTargets = 4;

/**
 * The changes to the module's header that would make a feature available: first a later version, then other targets,
 * nearest first.
 */
function headerChanges(ways: readonly Availability[], version: Version, target: Target): readonly HeaderChange[] {
  const [later] = acceptingVersions(ways, version, target);
  const raised = later === undefined ? [] : [{ version: formatVersion(later), target: null }];
  const others = targets.filter((other) => other !== target && acceptingVersions(ways, version, other).length > 0);
  // A target with a suffix is left out if the same target without a suffix is enough.
  const plain = new Set(others.filter(({ suffix }) => suffix === '').map(({ sm }) => sm));
  const telling = others.filter(({ sm, suffix }) => suffix === '' || !plain.has(sm));
  const distance = ({ sm }: Target): number => (sm >= target.sm ? sm - target.sm : 1000 + target.sm - sm);
  const nearest = telling.toSorted((a, b) => distance(a) - distance(b)).slice(0, mostTargets);
  const changed = nearest.map((other) => {
    const [first = version] = acceptingVersions(ways, version, other);
    return { version: first === version ? null : formatVersion(first), target: other.name };
  });
  return [...raised, ...changed];
}

/** The versions, `from` or later, in which a feature is available on a target. */
function acceptingVersions(ways: readonly Availability[], from: Version, target: Target): readonly Version[] {
  return versions.filter((one) => one >= from && one >= target.since && isAvailable(ways, one, target));
}

// --- where a whole module would be accepted -------------------------------------------------------------------------

/** A target that can accept a module, and the lowest PTX version in which it does so. */
export interface Acceptance {
  readonly target: TargetName;
  readonly since: VersionName;
}

/**
 * The targets that can accept a module, each with the lowest PTX version in which it does so. `rows` contains the
 * version and target rules of all features that the module uses. Equal results share one object.
 */
export function acceptance(rows: ReadonlySet<AvailabilityRow>): readonly Acceptance[] {
  const earliest = Float64Array.from(targets.map(({ since }) => since));
  const ending: AvailabilityRow[] = [];
  for (const row of rows) {
    raise(earliest, firstVersions(row.ways));
    if (row.ways.some(({ until }) => until !== undefined)) ending.push(row);
  }
  for (const { ways } of ending) {
    targets.forEach((target, i) => {
      if (!isAvailable(ways, doubleAt(earliest, i), target)) earliest[i] = Number.POSITIVE_INFINITY;
    });
  }
  return acceptedSince(earliest);
}

/**
 * The results of `acceptance` so far, keyed by the versions that they contain. Even a large program has only a few
 * different results.
 */
const knownAcceptances = new BoundedCache<string, readonly Acceptance[]>(1000);

function acceptedSince(versionOfTargets: Float64Array): readonly Acceptance[] {
  return knownAcceptances.of(versionOfTargets.join(), () =>
    targets.flatMap((target, i) => {
      const since = doubleAt(versionOfTargets, i);
      return since > newestVersion ? [] : [{ target: target.name, since: versionName(since) }];
    }),
  );
}

/**
 * Replaces each version in the first array with the corresponding version in the second array if the second version is
 * later.
 */
function raise(versionOfTargets: Float64Array, others: Float64Array): void {
  for (let i = 0; i < others.length; i++) {
    versionOfTargets[i] = Math.max(doubleAt(versionOfTargets, i), doubleAt(others, i));
  }
}

/**
 * Caches the results of `firstVersions`. The keys are objects from the instruction tables, so all modules share them.
 */
const knownFirsts = new WeakMap<readonly Availability[], Float64Array>();

/** The earliest suitable version for each target; `Infinity` if no version is suitable. */
function firstVersions(ways: readonly Availability[]): Float64Array {
  const known = knownFirsts.get(ways);
  if (known !== undefined) return known;
  const made = new Float64Array(targets.length).fill(Number.POSITIVE_INFINITY);
  for (const { on, since } of ways) {
    targets.forEach((target, i) => {
      if (since < doubleAt(made, i) && includesTarget(on, target)) made[i] = since;
    });
  }
  knownFirsts.set(ways, made);
  return made;
}

/**
 * True if at least one target supports the variant in this version. If the user does not specify a target, this is all
 * that `eval` requires.
 */
export function isAvailableSomewhere(variant: Variant, version: Version): boolean {
  const rows = rowsOf(variant);
  return targets.some(
    (target) => version >= target.since && rows.every((row) => isAvailable(row.ways, version, target)),
  );
}
