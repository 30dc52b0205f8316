/** The manifest of a plan: all the information that its shards and the merge need. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { listOf, mistakeIn, oneOf, recordWith, type Rule, text, whole } from '../../base/rules.ts';
import { fileTrouble } from '../../hosts/file-errors.ts';
import { makeFolder } from '../../hosts/node-folders.ts';
import { requireOutputs, writeFiles } from '../../hosts/node-output.ts';
import { UsageError } from '../exit.ts';
import { packageVersion, programHash } from '../version.ts';
import { coverTrouble, cutUnits, type UnitRange } from './cut.ts';
import { count, type What, whatRule } from './what.ts';

/** A build of ptxlab, identified by the hash of its program. */
interface Program {
  readonly version: string;
  readonly sha256: string;
}

/** A file that shards read. */
export interface InputFile {
  /** Relative to the plan's folder, unless the user gave an absolute path. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** The CRC-32 of each block of the file, as eight hex digits each; empty if the file is always read as a whole. */
  readonly blocks: string;
  /**
   * Time of the last modification, in nanoseconds since 1970. Empty if the file had just been modified when the plan
   * was made, because a later modification might then have the same time. In that case, shards must always compare
   * checksums.
   */
  readonly modified: string;
}

/** The resources that one shard needs. */
export interface TaskNeeds {
  /** The number of CPUs, which is also the number of threads. */
  readonly cpus: number;
  readonly memoryBytes: number;
  /** The disk space that the results of a shard take up. For a check, this is an estimate. */
  readonly diskBytes: number;
}

export interface Manifest {
  readonly format: 'ptxlab plan 1';
  readonly what: What;
  readonly ptxlab: Program;
  /** The GPUs whose arithmetic is simulated; empty if the results do not depend on a GPU. */
  readonly gpus: readonly string[];
  readonly inputs: readonly InputFile[];
  readonly task: TaskNeeds;
  /** Number of units of work. */
  readonly units: number;
  readonly shards: readonly UnitRange[];
}

/** A manifest and its location. */
export interface Plan {
  readonly folder: string;
  /** SHA-256 of the manifest file. Results use it to identify the plan that they belong to. */
  readonly id: string;
  readonly manifest: Manifest;
}

const manifestRule: Rule<Manifest> = recordWith<Manifest>({
  format: oneOf('ptxlab plan 1'),
  what: whatRule,
  ptxlab: recordWith<Program>({ version: text, sha256: text }),
  gpus: listOf(text),
  inputs: listOf(recordWith<InputFile>({ path: text, bytes: count, sha256: text, blocks: text, modified: text })),
  task: recordWith<TaskNeeds>({ cpus: whole(256, '256', 1), memoryBytes: count, diskBytes: count }),
  units: count,
  shards: listOf(recordWith<UnitRange>({ from: count, to: count })),
});

/** The work that a command plans, before it is divided. */
export interface Draft extends Pick<Manifest, 'gpus' | 'inputs'> {
  /** The cost of each unit. Only the proportions matter. */
  readonly weights: readonly number[];
  readonly cut: (shards: readonly UnitRange[]) => Promise<Pick<Manifest, 'what' | 'task'>>;
  /**
   * The smallest cost that is worth a separate shard; null if it is not known. In a shard of this cost, starting ptxlab
   * takes about a tenth of the CPU time.
   */
  readonly leastShard: number | null;
  /** Other files in the plan's folder, by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** @throws TensorFileError if the folder cannot be created or already contains a plan */
export async function requireNewPlan(folder: string): Promise<void> {
  await makeFolder(join(folder, 'results'));
  await requireOutputs([manifestOf(folder)], [], false);
}

/**
 * Writes the files of a plan. The manifest is written last, so a folder that contains a manifest contains a complete
 * plan.
 */
export async function writePlan(folder: string, draft: Draft, parts: number): Promise<Plan> {
  const { gpus, inputs, weights, files } = draft;
  const shards = cutUnits(weights, parts);
  const { what, task } = await draft.cut(shards);
  const manifest: Manifest = {
    format: 'ptxlab plan 1',
    what,
    ptxlab: thisProgram(),
    gpus,
    inputs,
    task,
    units: weights.length,
    shards,
  };
  const folders = new Set(['logs', ...[...files.keys()].map((name) => dirname(name))]);
  for (const name of folders) await makeFolder(join(folder, name));
  await writeFiles(
    [...files].map(([name, bytes]) => ({ path: join(folder, name), bytes })),
    true,
  );
  const content = `${JSON.stringify(manifest, null, 1)}\n`;
  await writeFiles([{ path: manifestOf(folder), bytes: Buffer.from(content) }], false);
  return { folder, id: hashOf(content), manifest };
}

/** @throws UsageError if the folder has no valid manifest, or if another build of ptxlab wrote it */
export async function readPlan(folder: string): Promise<Plan> {
  const path = manifestOf(folder);
  const content = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new UsageError(`${path}: ${fileTrouble(error)}; ptxlab plan creates it`);
  });
  const manifest: unknown = parseJson(content);
  requireManifest(manifest, path);
  const { version, sha256 } = thisProgram();
  const planned = manifest.ptxlab;
  if (planned.sha256 !== sha256) {
    const names = [planned, { version, sha256 }].map((one) => `${one.version} (${one.sha256.slice(0, 12)})`);
    throw new UsageError(`${path}: was planned by ptxlab ${names[0]}; this is ptxlab ${names[1]}`);
  }
  return { folder, id: hashOf(content), manifest };
}

function requireManifest(value: unknown, path: string): asserts value is Manifest {
  const mistake = mistakeIn(value, manifestRule);
  if (mistake !== null) {
    const place = mistake.path === '' ? 'the manifest' : mistake.path;
    throw new UsageError(`${path}: ${place} ${mistake.words}`);
  }
}

/** @throws UsageError if the ranges of the shards miss a unit or overlap */
export function requireCover({ folder, manifest: { shards, units } }: Plan): void {
  const trouble = coverTrouble(shards, units);
  if (trouble !== null) throw new UsageError(`${manifestOf(folder)}: ${trouble}`);
}

export function manifestOf(folder: string): string {
  return join(folder, 'manifest.json');
}

function thisProgram(): Program {
  return { version: packageVersion(), sha256: programHash() };
}

/** SHA-256 in hex. */
export function hashOf(data: string | Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

/** Parses JSON; returns null if the text is not valid JSON. */
export function parseJson(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return null;
  }
}
