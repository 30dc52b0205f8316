/** The architecture and PTX version that callers name, for everything that is judged by them. */
import { PtxlabError } from '../base/error.ts';
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
  /** Judge for this architecture: `sm_90a`. */
  readonly target?: TargetName;
  /** Judge by this PTX version: `8.1`. */
  readonly version?: VersionName;
  /** The same as `version`, by the name of the command line's flag; `version` wins. */
  readonly isa?: VersionName;
}

/** Null for what is not named. */
export interface Judgement {
  readonly target: Target | null;
  readonly version: Version | null;
}

/**
 * What the options name.
 *
 * @throws PtxlabError `unknown-target`, `unknown-version`
 */
export function readJudgeOptions({ target, version, isa }: JudgeOptions): Judgement {
  const named = version ?? isa;
  return {
    target: target === undefined ? null : readTarget(target),
    version: named === undefined ? null : readVersion(named),
  };
}

/**
 * Options from texts, such as those of a request in JSON.
 *
 * @throws PtxlabError `unknown-target`, `unknown-version`
 */
export function judgeOptionsOf(target: string | undefined, version: string | undefined): JudgeOptions {
  return {
    ...(target === undefined ? {} : { target: readTarget(target).name }),
    ...(version === undefined ? {} : { version: requireVersion(version) }),
  };
}

/** The target for a name given by the caller. */
export function readTarget(name: string): Target {
  const target = findTarget(name);
  if (target === undefined) throw new PtxlabError('unknown-target', `'${name}' is not a PTX target`);
  return target;
}

/** The version for a text given by the caller, such as `8.1`. */
export function readVersion(text: string): Version {
  return parseVersion(requireVersion(text));
}

function requireVersion(text: string): VersionName {
  if (!isVersionName(text)) {
    throw new PtxlabError('unknown-version', `'${text}' is not a version of PTX up to ${formatVersion(newestVersion)}`);
  }
  return text;
}
