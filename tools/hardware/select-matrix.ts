/**
 * Selects recorded jobs of jobs-matrix.ts and jobs-wgmma.ts for test/golden/hardware, and cuts each of them down to a
 * few warps or warpgroups: npx tsx tools/hardware/select-matrix.ts FOLDER
 *
 * FOLDER contains matrix.jsonl.gz and wgmma.jsonl.gz. It may also contain matrix-nans.jsonl.gz, with jobs like those in
 * matrix.jsonl.gz. Every mnemonic is selected at least once.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import type { BufferArgument, JobArgument, Recorded } from '../../test/hardware/job.ts';
import { readLines } from '../../test/hardware/read-lines.ts';

/** The blocks that a job keeps. */
interface Blocks {
  readonly first: number;
  readonly count: number;
}

/** Which jobs of a kind are selected, and how many of their blocks. */
interface Selection {
  /** Matches the part of a job's id after the mnemonic. */
  readonly id: RegExp;
  /**
   * One job is selected out of every group of this many jobs. Jobs whose id matches `always` are always selected, and
   * are not counted.
   */
  readonly every: number;
  readonly always?: RegExp;
  readonly blocks: number;
}

const ofWarps: readonly Selection[] = [
  { id: /m8n32k16.*: fragment$/, every: 1, blocks: 8 },
  { id: /load\.(a|c)\..*\.row.*: fragment$|load\.b\..*\.col.*: fragment$/, every: 2, blocks: 8 },
  { id: /: order c$/, every: 1, blocks: 3 },
  { id: /m8n8k4.*row\.col.*f16: order 2$|\.e4m3\.e4m3.*: order 2$/, every: 1, blocks: 6 },
  { id: /ordered_metadata.*: kept columns$/, every: 3, blocks: 2 },
  { id: /: unordered metadata$/, every: 3, always: /tf32/, blocks: 1 },
  { id: /: nans$/, every: 4, blocks: 2 },
];

const ofWarpgroups: readonly Selection[] = [
  { id: /: order c$/, every: 3, blocks: 2 },
  { id: /: (negated|twice)/, every: 10, blocks: 1 },
  { id: /: layout/, every: 10, blocks: 1 },
  { id: /: columns$/, every: 20, blocks: 1 },
  { id: /: kept columns/, every: 4, always: /tf32/, blocks: 1 },
  { id: /: unordered metadata$/, every: 2, always: /tf32/, blocks: 1 },
  { id: /: places of/, every: 20, blocks: 2 },
];

/** The number of bytes of a buffer that belong to one block; 0 if all blocks share the same bytes. */
function strideOf({ args, grid }: Recorded, index: number): number {
  const next = args[index + 1];
  // In jobs of wgmma, the argument after each buffer is the distance between the parts of two blocks.
  if (next?.kind === 'scalar') return Buffer.from(next.bytes, 'hex').readUInt32LE();
  return sizeOf(args[index]) / grid[0];
}

const sizeOf = (argument: JobArgument | undefined): number => (argument?.kind === 'buffer' ? argument.size : 0);

function cutBuffer(argument: BufferArgument, stride: number, { first, count }: Blocks): BufferArgument {
  if (stride === 0) return argument;
  const { bytes, ...rest } = argument;
  const size = stride * count;
  const kept = bytes?.slice(2 * stride * first, 2 * (stride * first + size)).replace(/(00)+$/, '');
  return { ...rest, size, ...(kept && { bytes: kept }) };
}

function cut(job: Recorded, blocks: Blocks): Recorded {
  const { args, grid, result } = job;
  if (typeof result === 'number') throw new Error(`${job.id} failed`);
  const strides = args.map((_, i) => strideOf(job, i));
  const returned = args.flatMap((argument, i) => (argument.kind === 'buffer' && argument.returned ? [i] : []));
  return {
    ...job,
    grid: [blocks.count, grid[1], grid[2]],
    args: args.map((argument, i) =>
      argument.kind === 'buffer' ? cutBuffer(argument, strides[i] ?? 0, blocks) : argument,
    ),
    result: result.map((bytes, i) => {
      const stride = strides[returned[i] ?? 0] ?? 0;
      return bytes.slice(2 * stride * blocks.first, 2 * stride * (blocks.first + blocks.count));
    }),
  };
}

/** Selects one block of random data for each mnemonic. The kind of data is different from mnemonic to mnemonic. */
function selectData(jobs: readonly Recorded[]): readonly Recorded[] {
  const byMnemonic = new Map<string, Recorded[]>();
  for (const job of jobs.filter(({ id }) => id.endsWith(': data'))) {
    const mnemonic = job.id.split(/:? /)[0] ?? '';
    byMnemonic.set(mnemonic, [...(byMnemonic.get(mnemonic) ?? []), job]);
  }
  return [...byMnemonic.values()].flatMap((own, i) => {
    const job = own[i % own.length];
    return job === undefined ? [] : [cut(job, { first: (5 * i) % job.grid[0], count: 1 })];
  });
}

function selectOthers(jobs: readonly Recorded[], { id, every, always, blocks }: Selection): readonly Recorded[] {
  let count = 0;
  return jobs
    .filter((job) => id.test(job.id) && (always?.test(job.id) === true || count++ % every === 0))
    .map((job) => cut(job, { first: 0, count: Math.min(blocks, job.grid[0]) }));
}

function writeSelected(names: readonly string[], target: string, selections: readonly Selection[]): void {
  const found = names.map((name) => `${folder}/${name}.jsonl.gz`).filter((path) => existsSync(path));
  const files = found.map((path) => readLines(path));
  const jobs = files.flatMap(([, ...lines]) => lines.map((line): Recorded => JSON.parse(line)));
  const selected = [...selectData(jobs), ...selections.flatMap((selection) => selectOthers(jobs, selection))];
  const lines = [files[0]?.[0] ?? '', ...selected.map((job) => JSON.stringify(job))];
  const packed = gzipSync(`${lines.join('\n')}\n`, { level: 9 });
  writeFileSync(target, packed);
  console.log(`${target}: ${selected.length} jobs, ${packed.length} bytes`);
}

const [folder = ''] = process.argv.slice(2);
writeSelected(['matrix', 'matrix-nans'], 'test/golden/hardware/matrix.jobs.jsonl.gz', ofWarps);
writeSelected(['wgmma'], 'test/golden/hardware/wgmma.jobs.jsonl.gz', ofWarpgroups);
