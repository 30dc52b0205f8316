/** `ptxlab diff`: compares the tensors of two files, or two PTX modules. */
import { PtxlabError } from '../base/error.ts';
import { requireOutputs, writeFiles } from '../hosts/node-output.ts';
import { comparePairing, elementsToCompare } from '../tensors/compare-files.ts';
import { pairTensors } from '../tensors/pairing.ts';
import type { DiffFlags } from './diff/diff-flags.ts';
import type { FileDiff } from './diff/file-diff.ts';
import { isModule } from './diff/is-module.ts';
import { diffJson } from './diff/json.ts';
import { diffText } from './diff/text.ts';
import { isClean, type Limits } from './diff/verdict.ts';
import { modelOf } from '../tensors/checkpoints/model-tensors.ts';
import { modelWords, warn } from './warnings.ts';
import { type ExitCode, UsageError } from './exit.ts';
import { readCount } from './count-flag.ts';
import { write, writeJson } from './output.ts';
import { progressBar } from './progress.ts';
import { filesOfInput } from './input-files.ts';
import type { Session } from './session.ts';
import { isAscii, screenWidth, styleFor } from './style.ts';
import { openTensors, type TensorInput } from './tensor-input.ts';

interface DiffSettings {
  readonly limits: Limits;
  /** How many of the elements with the largest errors are shown for each tensor. */
  readonly worst: number;
  /** Number of tensors shown in detail. */
  readonly details: number;
}

export async function diffCommand(paths: readonly string[], flags: DiffFlags, session: Session): Promise<ExitCode> {
  const [pathA, pathB, more] = paths;
  if (pathA === undefined || pathB === undefined || more !== undefined)
    throw new UsageError('diff needs two tensor files, or two PTX files');
  const settings = readDiffSettings(flags);
  const modules = [await isModule(pathA), await isModule(pathB)];
  if (modules.includes(true)) {
    if (modules.includes(false))
      throw new UsageError('diff compares two tensor files or two PTX files, not one of each');
    const { diffModuleFiles } = await import('./diff/modules.ts');
    return diffModuleFiles(pathA, pathB, settings.details, flags, session);
  }
  return session.interruptible((signal) => diffFiles(pathA, pathB, { flags, settings, session, signal }));
}

interface Task {
  readonly flags: DiffFlags;
  readonly settings: DiffSettings;
  readonly session: Session;
  readonly signal: AbortSignal;
}

async function diffFiles(pathA: string, pathB: string, task: Task): Promise<ExitCode> {
  const { flags, settings, session, signal } = task;
  const a = await openTensors(pathA, flags);
  try {
    const b = await openTensors(pathB, flags);
    try {
      if (flags.html !== undefined)
        await requireOutputs([flags.html], [a, b].flatMap(filesOfInput), flags.force === true);
      if (flags.quiet !== true)
        for (const { path, file } of [a, b]) await warn(session.stderr, path, modelWords(modelOf(file)));
      const diff = await compared(a, b, task);
      if (signal.aborted) return 2;
      if (flags.only !== undefined && diff.pairs.length + diff.onlyInA.length + diff.onlyInB.length === 0)
        throw new PtxlabError('no-such-tensor', '--only matches no tensor in either file');
      const exit = isClean(diff, settings.limits) ? 0 : 1;
      session.expectExit?.(exit);
      await report(diff, task);
      return exit;
    } finally {
      await b.close();
    }
  } finally {
    await a.close();
  }
}

async function compared(a: TensorInput, b: TensorInput, { flags, settings, session, signal }: Task): Promise<FileDiff> {
  const pairing = pairTensors(modelOf(a.file), modelOf(b.file), a.takes);
  const progress = await progressBar('comparing', elementsToCompare(pairing), session, flags.quiet === true);
  try {
    const found = await comparePairing(pairing, {
      worst: settings.worst,
      withExponents: flags.html !== undefined,
      signal,
      progress: progress.add,
      names: [a.path, b.path],
    });
    return { a, b, ...found };
  } finally {
    progress.end();
  }
}

async function report(diff: FileDiff, { flags, settings, session }: Task): Promise<void> {
  const { limits, details } = settings;
  const { stdout, env } = session;
  if (flags.html !== undefined) await writeReport(flags.html, diff, limits, flags.force === true);
  if (flags.json === true) return writeJson(stdout, diffJson(diff, limits));
  const layout = {
    style: await styleFor(flags.color, stdout, env),
    width: screenWidth(stdout, env),
    isAscii: isAscii(flags.ascii === true, env),
    details,
  };
  await write(stdout, diffText(diff, limits, layout));
}

async function writeReport(path: string, diff: FileDiff, limits: Limits, replace: boolean): Promise<void> {
  const { diffHtml } = await import('./diff/html.ts');
  await writeFiles([{ path, bytes: Buffer.from(diffHtml(diff, limits)) }], replace);
}

function readDiffSettings({ maxAbs, maxRel, minSqnr, worst = '5', details = '3' }: DiffFlags): DiffSettings {
  return {
    limits: {
      maxAbs: readLimit('--max-abs', maxAbs),
      maxRel: readLimit('--max-rel', maxRel),
      minSqnr: readLimit('--min-sqnr', minSqnr),
    },
    worst: readCount('--worst', worst, { least: 0, most: 9999 }),
    details: readCount('--details', details, { least: 0, most: 9999 }),
  };
}

function readLimit(flag: string, text: string | undefined): number | null {
  if (text === undefined) return null;
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(value) || (flag !== '--min-sqnr' && value < 0))
    throw new UsageError(`${flag} takes a number such as 0.01, not '${text}'`);
  return value;
}
