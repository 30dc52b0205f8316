/** Parses flags that several commands share. */
import { elementAt } from '../base/element-at.ts';
import type { TargetChoice } from '../explain/target-choice.ts';
import { findGpu, gpuNames, type GpuName } from '../isa/gpus.ts';
import { helpForTarget } from '../isa/nearest-target.ts';
import {
  findTarget,
  formatVersion,
  isTargetName,
  isVersionName,
  newestVersion,
  parseVersion,
  type TargetName,
  targets,
  type VersionName,
  versions,
} from '../isa/targets.ts';
import { UsageError } from './exit.ts';
import type { ColorChoice } from './style.ts';

/** Options of every command. */
export interface CommonFlags {
  readonly color: ColorChoice;
  readonly quiet?: boolean;
}

export interface JudgeFlags extends CommonFlags {
  readonly target?: string;
  readonly isa?: string;
}

/** The names in a list of targets, such as `--target A,B`. */
export function readTargets(text: string): readonly TargetName[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  if (names.length === 0) throw new UsageError('--target needs a name such as sm_90a');
  return [...new Set(names.map(requireTarget))];
}

/** The name given in `--target`, for commands that accept only one. */
export function readTarget(text: string | undefined): TargetName | undefined {
  if (text === undefined) return undefined;
  const [name, second] = readTargets(text);
  if (second !== undefined) throw new UsageError('--target takes only one name with this command');
  return name;
}

function requireTarget(name: string): TargetName {
  if (isTargetName(name)) return name;
  const names = targets.map((target) => target.name);
  const hint = helpForTarget(name) ?? `known targets are ${names[0]} to ${names[names.length - 1]}`;
  throw new UsageError(`unknown target '${name}' (${hint})`);
}

/** The version given in `--isa V`. */
export function readIsa(text: string | undefined): VersionName | undefined {
  if (text === undefined) return undefined;
  if (isVersionName(text)) return text;
  const oldest = formatVersion(elementAt(versions, 0));
  throw new UsageError(
    `unknown PTX version '${text}' (known versions are ${oldest} to ${formatVersion(newestVersion)})`,
  );
}

/** The target and the version that the flags select. */
export function readTargetChoice(flags: JudgeFlags): TargetChoice {
  const target = readTarget(flags.target);
  const isa = readIsa(flags.isa);
  return {
    target: target === undefined ? null : (findTarget(target) ?? null),
    version: isa === undefined ? null : parseVersion(isa),
  };
}

/**
 * The GPU with the given name, which may be an architecture or a product, in upper or lower case; null if the flag is
 * absent.
 */
export function readGpu(name: string | undefined): GpuName | null {
  if (name === undefined) return null;
  const gpu = findGpu(name);
  if (gpu === undefined) throw new UsageError(`unknown GPU '${name}' (${gpuNames(name)})`);
  return gpu.name;
}
