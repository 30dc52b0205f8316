/** `ptxlab sweep`: prints digests of conversions over whole input ranges. */
import { lstat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { requireOutputs } from '../hosts/node-output.ts';
import { sweepInThreads } from '../hosts/sweep-threads.ts';
import { prepareSweep, type Sweep } from '../sweep.ts';
import { type ChunkDigests, DigestFile } from './sweep/digest-file.ts';
import { type ExitCode, UsageError, worse } from './exit.ts';
import { readTargetChoice } from './options.ts';
import { readCount } from './count-flag.ts';
import { write } from './output.ts';
import { progressBar } from './progress.ts';
import { writeRefusal } from './refusal.ts';
import type { Session } from './session.ts';
import { readChunks, readSweepSettings, type SweepChoiceFlags } from './sweep/choice.ts';
import { firstWrong, rateText, sweepJson, type Swept, sweptText } from './sweep/text.ts';

export interface SweepFlags extends SweepChoiceFlags {
  readonly expect?: string;
  readonly published?: boolean;
  readonly out?: string;
  readonly threads?: string;
  readonly json?: boolean;
}

/** The digests that ship with ptxlab. */
const publishedFile = fileURLToPath(new URL('../../digests/conversions.json', import.meta.url));

export async function sweepCommand(
  instructions: readonly string[],
  flags: SweepFlags,
  session: Session,
): Promise<ExitCode> {
  const expected = await readExpected(flags, session);
  const names = instructions.length > 0 ? instructions : [...(expected?.sweeps.keys() ?? [])];
  if (names.length === 0)
    throw new UsageError('sweep needs an instruction, or --expect FILE to check every instruction in the file');
  const out = flags.out === undefined ? null : await readOut(flags.out, session);
  return session.interruptible(async (signal) => {
    let worst: ExitCode = 0;
    for (const name of names) {
      // No results are lost, because finished chunks have already been written to the --out file.
      if (signal.aborted) break;
      worst = worse(worst, await sweepOne(name, flags, { expected, out, session, signal }));
    }
    return worst;
  });
}

/**
 * Reads the file to which a sweep adds its digests. The path must not be a symbolic link, because writing would replace
 * the link with a file.
 */
async function readOut(path: string, session: Session): Promise<DigestFile> {
  await requireOutputs([path], [publishedFile], !(await isLink(path)));
  return DigestFile.read(path, session, true);
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
}

interface Task {
  readonly expected: DigestFile | null;
  readonly out: DigestFile | null;
  readonly session: Session;
  readonly signal: AbortSignal;
}

async function sweepOne(instruction: string, flags: SweepFlags, task: Task): Promise<ExitCode> {
  const { expected, out, session, signal } = task;
  const { stdout, stderr } = session;
  const prepared = prepareSweep(instruction, readTargetChoice(flags), readSweepSettings(flags));
  if (!prepared.ok) {
    await writeRefusal(prepared.error, flags.color, session);
    return 1;
  }
  const sweep = prepared.value;
  const chunks = readChunks(flags.chunks, sweep.chunks);
  const wanted = expected === null ? null : expectedOf(expected, sweep.name, chunks);
  const known = out?.of(sweep.name) ?? new Map<number, number>();
  const started = performance.now();
  const left = chunks.filter((chunk) => !known.has(chunk));
  await run(sweep, left, { known, wanted, flags, ...task });
  if (signal.aborted) return 2;
  const milliseconds = performance.now() - started;
  const swept: Swept = { sweep, chunks, known, wanted, inputs: left.length * sweep.chunkSize, milliseconds };
  await write(stdout, flags.json === true ? `${JSON.stringify(sweepJson(swept))}\n` : sweptText(swept));
  if (flags.quiet !== true) await write(stderr, rateText(swept));
  return firstWrong(swept) === null ? 0 : 1;
}

interface Job extends Task {
  readonly known: ChunkDigests;
  readonly wanted: ChunkDigests | null;
  readonly flags: SweepFlags;
}

/** Computes the digests of chunks and adds them to `known`. Stops at the first digest that is wrong. */
async function run(sweep: Sweep, chunks: readonly number[], job: Job): Promise<void> {
  const { known, wanted, out, session, signal, flags } = job;
  const threads =
    flags.threads === undefined
      ? availableParallelism()
      : readCount('--threads', flags.threads, { least: 1, most: 256 });
  const progress = await progressBar(sweep.mnemonic, chunks.length * sweep.chunkSize, session, flags.quiet === true);
  let isWrong = false;
  try {
    for await (const digests of sweepInThreads(sweep, chunks, threads, { signal, enough: () => isWrong })) {
      for (const [chunk, digest] of digests) {
        known.set(chunk, digest);
        isWrong ||= wanted !== null && wanted.get(chunk) !== digest;
      }
      await out?.write();
      progress.add(digests.length * sweep.chunkSize);
    }
  } finally {
    progress.end();
  }
}

async function readExpected({ expect, published }: SweepFlags, session: Session): Promise<DigestFile | null> {
  if (expect !== undefined && published === true) throw new UsageError('--expect and --published cannot be combined');
  const path = published === true ? publishedFile : expect;
  return path === undefined ? null : DigestFile.read(path, session, false);
}

function expectedOf(file: DigestFile, name: string, chunks: readonly number[]): ChunkDigests {
  const found = file.sweeps.get(name);
  if (found === undefined) throw new UsageError(`the digest file has no ${name}`);
  const missing = chunks.find((chunk) => !found.has(chunk));
  if (missing !== undefined) throw new UsageError(`the digest file has no chunk ${missing} of ${name}`);
  return found;
}
