/**
 * The results of shards, which are stored in the plan's folder: as `results/K.json`, with large data in
 * `results/K.bin`. A result appears under these names only once it is complete. Each result identifies the plan and the
 * shard that it belongs to.
 */
import { readdir, readFile, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { follows, oneOf, recordWith, type Rule, text } from '../../base/rules.ts';
import { fileTrouble, systemCode } from '../../hosts/file-errors.ts';
import { writeFiles } from '../../hosts/node-output.ts';
import { UsageError } from '../exit.ts';
import { hashOf, parseJson, type Plan } from './manifest.ts';
import { count } from './what.ts';

interface Envelope {
  readonly format: 'ptxlab result 1';
  /** The id of the plan. */
  readonly plan: string;
  readonly shard: number;
  /** Size of `K.bin`; 0 if it does not exist. */
  readonly dataBytes: number;
  /** The SHA-256 hash of the JSON text of the body. */
  readonly sha256: string;
  readonly body: object;
}

/** The result that a shard has computed. */
export type ShardResult = Pick<Envelope, 'body' | 'dataBytes'>;

const anyObject: Rule<object> = { takes: 'an object', accepts: (value) => typeof value === 'object' && value !== null };

const envelopeRule: Rule<Envelope> = recordWith<Envelope>({
  format: oneOf('ptxlab result 1'),
  plan: text,
  shard: count,
  dataBytes: count,
  sha256: text,
  body: anyObject,
});

/** A reason why results cannot be merged. `file` is the file that contains the result in question. */
export type Trouble =
  | { readonly kind: 'missing'; readonly shard: number }
  | { readonly kind: 'torn'; readonly shard: number; readonly file: string; readonly why: string }
  | { readonly kind: 'foreign'; readonly file: string; readonly why: string }
  | { readonly kind: 'doubled'; readonly shard: number; readonly file: string };

export interface Done {
  readonly kind: 'done';
  readonly shard: number;
  readonly body: object;
}

export type Found = Done | Trouble;

export function resultsOf({ folder }: Plan): string {
  return join(folder, 'results');
}

export function dataFileOf(plan: Plan, shard: number): string {
  return join(resultsOf(plan), `${shard}.bin`);
}

/** Writes the result of a shard. If the result has data, the data must already be in its file. */
export async function writeResult(plan: Plan, shard: number, { body, dataBytes }: ShardResult): Promise<void> {
  const envelope: Envelope = {
    format: 'ptxlab result 1',
    plan: plan.id,
    shard,
    dataBytes,
    sha256: hashOf(JSON.stringify(body)),
    body,
  };
  const path = join(resultsOf(plan), `${shard}.json`);
  await writeFiles([{ path, bytes: Buffer.from(`${JSON.stringify(envelope)}\n`) }], true);
}

/**
 * Reads the result of a shard. If the result is missing or cannot be used, returns the reason instead. Only the size of
 * the data is checked.
 */
export async function readResult(plan: Plan, shard: number): Promise<Found> {
  const file = join(resultsOf(plan), `${shard}.json`);
  const found = await readEnvelope(file);
  if (found === null) return { kind: 'missing', shard };
  if (typeof found === 'string') return { kind: 'torn', shard, file, why: found };
  if (found.plan !== plan.id) return { kind: 'foreign', file, why: 'belongs to another plan' };
  if (found.shard !== shard) return { kind: 'doubled', shard: found.shard, file };
  const why = await dataTrouble(dataFileOf(plan, shard), found.dataBytes);
  return why === null ? { kind: 'done', shard, body: found.body } : { kind: 'torn', shard, file, why };
}

/**
 * Reads the result in a file, together with the information about its shard. Returns null if the file does not exist.
 * If the file does not contain a complete result, returns a message that says why.
 */
async function readEnvelope(file: string): Promise<Envelope | string | null> {
  let content: string;
  try {
    content = await readFile(file, 'utf8');
  } catch (error) {
    return systemCode(error) === 'ENOENT' ? null : fileTrouble(error);
  }
  const value = parseJson(content);
  if (!isEnvelope(value)) return 'is not a complete result';
  return hashOf(JSON.stringify(value.body)) === value.sha256 ? value : 'does not match the hash that it contains';
}

function isEnvelope(value: unknown): value is Envelope {
  return follows(value, envelopeRule);
}

async function dataTrouble(file: string, bytes: number): Promise<string | null> {
  if (bytes === 0) return null;
  const size = await stat(file).then(
    (found) => found.size,
    () => null,
  );
  if (size === bytes) return null;
  return size === null ? `lacks its data, ${file}` : `has data of ${size} bytes instead of ${bytes} in ${file}`;
}

/** The results of all shards, and the other files in their folder. */
export async function readResults(plan: Plan): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const shard of plan.manifest.shards.keys()) found.push(await readResult(plan, shard));
  return [...found, ...(await strayResults(plan))];
}

async function strayResults(plan: Plan): Promise<readonly Trouble[]> {
  const { shards } = plan.manifest;
  const own = new Set([...shards.keys()].map((shard) => `${shard}.json`));
  const names = await readdir(resultsOf(plan)).catch(() => []);
  const strays = names.filter((name) => name.endsWith('.json') && !name.startsWith('.') && !own.has(name)).sort();
  return Promise.all(
    strays.map(async (name): Promise<Trouble> => {
      const file = join(resultsOf(plan), name);
      const content = await readEnvelope(file);
      const isOwn = content !== null && typeof content !== 'string' && content.plan === plan.id;
      if (isOwn && content.shard < shards.length) return { kind: 'doubled', shard: content.shard, file };
      return { kind: 'foreign', file, why: 'is not the result of a shard of this plan' };
    }),
  );
}

export function troubleText(plan: Plan, trouble: Trouble): string {
  switch (trouble.kind) {
    case 'missing':
      return `shard ${trouble.shard} is missing; ptxlab work ${plan.folder} --shard ${trouble.shard} computes it`;
    case 'torn':
      return `shard ${trouble.shard} is torn: ${trouble.file} ${trouble.why}; ptxlab work computes it again`;
    case 'foreign':
      return `${trouble.file} is foreign: it ${trouble.why}`;
    case 'doubled':
      return `shard ${trouble.shard} is doubled: ${trouble.file} is another result for it`;
  }
}

/** The error for a result that is well-formed but does not match its shard. */
export function tornShard(plan: Plan, shard: number, why: string): UsageError {
  const file = join(resultsOf(plan), `${shard}.json`);
  return new UsageError(troubleText(plan, { kind: 'torn', shard, file, why }));
}

/** Removes temporary files that were left behind by killed tasks. */
export async function removeLeftovers(plan: Plan): Promise<void> {
  for (const name of await readdir(resultsOf(plan)).catch(() => [])) {
    if (/^\.\d+\.(?:json|bin)\.[0-9a-f]{12}\.ptxlab-part$/.test(name))
      await unlink(join(resultsOf(plan), name)).catch(() => undefined);
  }
}
