/**
 * Reads the options that callers use to choose an architecture and a PTX version. Many functions accept these options.
 */
import { PtxlabError } from '../base/error.ts';
import { anything, type RulesFor, shown } from '../base/rules.ts';
import { findGpu, gpuNames, type Gpu } from '../isa/gpus.ts';
import {
  findTarget,
  formatVersion,
  isVersionName,
  newestVersion,
  parseVersion,
  type Target,
  type TargetName,
  type Version,
  type VersionName,
} from '../isa/targets.ts';

export interface JudgeOptions {
  /** The architecture to check against, such as `sm_90a`. */
  readonly target?: TargetName;
  /** The PTX version to check against, such as `8.1`. */
  readonly version?: VersionName;
  /** The same as `version`; this name matches the command-line flag `--isa`. If both are given, `version` is used. */
  readonly isa?: VersionName;
}

/** The options of all functions that check against an architecture and a version. */
export const judgeRules: RulesFor<JudgeOptions> = { target: anything(), version: anything(), isa: anything() };

/** The architecture and the version that a caller has chosen; null where the caller made no choice. */
export interface Judgment {
  readonly target: Target | null;
  readonly version: Version | null;
}

/**
 * The architecture and version that the caller chose.
 *
 * @throws PtxlabError `unknown-target`, `unknown-version`
 */
export function readJudgeOptions({ target, version, isa }: JudgeOptions): Judgment {
  const named = version ?? isa;
  return {
    target: target === undefined ? null : readTarget(target),
    version: named === undefined ? null : readVersion(named),
  };
}

/**
 * Parses options given as text, for example in a JSON request.
 *
 * @throws PtxlabError `unknown-target`, `unknown-version`
 */
export function judgeOptionsOf(target: string | undefined, version: string | undefined): JudgeOptions {
  return {
    ...(target === undefined ? {} : { target: readTarget(target).name }),
    ...(version === undefined ? {} : { version: requireVersion(version) }),
  };
}

/** The target that the caller specified. */
export function readTarget(name: string): Target {
  const target = typeof name === 'string' ? findTarget(name) : undefined;
  if (target === undefined) throw new PtxlabError('unknown-target', `${shown(name)} is not a PTX target`);
  return target;
}

/** The version that the caller specified as text, such as `8.1`. */
export function readVersion(text: string): Version {
  return parseVersion(requireVersion(text));
}

function requireVersion(text: string): VersionName {
  if (typeof text !== 'string' || !isVersionName(text)) {
    throw new PtxlabError(
      'unknown-version',
      `${shown(text)} is not a known PTX version; the newest is ${formatVersion(newestVersion)}`,
    );
  }
  return text;
}

/**
 * The GPU that the caller specified as an architecture or a product.
 *
 * @throws PtxlabError `unknown-gpu`
 */
export function readGpu(name: string): Gpu {
  const gpu = typeof name === 'string' ? findGpu(name) : undefined;
  if (gpu === undefined) throw new PtxlabError('unknown-gpu', `unknown GPU ${shown(name)} (${gpuNames(name)})`);
  return gpu;
}
