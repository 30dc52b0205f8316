/** `ptxlab convert`: converts the tensors of a file to another number format or another container. */
import { stat } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import { PtxlabError } from '../base/error.ts';
import { refuseSameFiles } from '../hosts/node-output.ts';
import { openUnfinished, type UnfinishedFile } from '../hosts/node-unfinished.ts';
import type { ConversionChoice } from '../tensors/conversion-choice.ts';
import { type ConversionPlan, planConversion } from '../tensors/conversion-plan.ts';
import { type ConversionReport, convertFile, type Position, isPosition } from '../tensors/convert-file.ts';
import { modelOf } from '../tensors/checkpoints/model-tensors.ts';
import { requireValues } from '../tensors/lost-values.ts';
import { named, TensorFileError } from '../tensors/tensor-error.ts';
import { type Container, containers } from '../tensors/containers.ts';
import { choiceOf, type ConvertFlags, containerOf, idlePatterns, shardingOf } from './convert/choice.ts';
import { configureModel } from './convert/config.ts';
import { keptWords, planText, planJson, reportWords, scaleNote, summaryText, unchangedWords } from './convert/text.ts';
import { type ExitCode, UsageError } from './exit.ts';
import { write, writeJson } from './output.ts';
import { progressBar } from './progress.ts';
import { filesOfInput } from './input-files.ts';
import type { Session } from './session.ts';
import { openTensors, type TensorInput } from './tensor-input.ts';
import { modelWords, warn } from './warnings.ts';

export async function convertCommand(
  paths: readonly string[],
  flags: ConvertFlags,
  session: Session,
): Promise<ExitCode> {
  const { stdout, stderr } = session;
  const [from, to, ...more] = paths;
  if (from === undefined || to === undefined || more.length > 0)
    throw new UsageError('convert takes two files: IN OUT');
  const choice = { ...choiceOf(flags), shards: shardingOf(to, flags) };
  const container = containerOf(to);
  return session.interruptible(async (signal) => {
    const input = await openTensors(from, { ...flags, only: [] });
    try {
      const idle = idlePatterns(input, flags);
      if (flags.quiet !== true) {
        for (const words of idle) await write(stderr, `ptxlab: warning: ${words}\n`);
        await warn(stderr, from, modelWords(modelOf(input.file)));
      }
      const plan = planFor(to, input, container, choice);
      await refuseSameFiles(filesOfInput(input), filesOf(to, plan));
      if (flags.dryRun === true) {
        await requireValues(plan, input.file);
        await (flags.json === true ? writeJson(stdout, planJson(plan)) : write(stdout, planText(plan)));
        return 0;
      }
      const started = performance.now();
      const report = await writeConverted(input, to, plan, { flags, session, signal });
      if (report === null || signal.aborted) return 2;
      const seconds = (performance.now() - started) / 1000;
      if (flags.json === true) await writeJson(stdout, { ...planJson(plan), ...report, seconds });
      if (flags.quiet === true) return 0;
      await warn(stderr, from, [...keptWords(plan), ...unchangedWords(plan), ...reportWords(report)]);
      await write(stderr, `${scaleNote(plan)}${summaryText(plan, input.size, seconds)}`);
      if (plan.quantizationConfig !== null)
        await write(stderr, await configureModel(from, to, choice.layout, plan.quantizationConfig));
      return 0;
    } finally {
      await input.close();
    }
  });
}

/** Plans the conversion. The message of an error about the container contains the path of the output file. */
function planFor(to: string, { file }: TensorInput, container: Container, choice: ConversionChoice): ConversionPlan {
  try {
    return planConversion(file, container, choice);
  } catch (error) {
    if (!(error instanceof TensorFileError)) throw error;
    const isSaid = error.code === 'unsupported';
    const message = isSaid ? error.message : `${containers[container].words} cannot hold this: ${error.message}`;
    const help = error.code === 'bad-shape' ? '; --keep GLOB leaves tensors as they are' : '';
    throw new PtxlabError(error.code, `${to}: ${message}${help}`, { cause: error });
  }
}

/** Every output file. */
function filesOf(to: string, { layout }: ConversionPlan): readonly string[] {
  return layout.files?.map(({ name }) => join(dirname(to), name)) ?? [to];
}

interface Task {
  readonly flags: ConvertFlags;
  readonly session: Session;
  readonly signal: AbortSignal;
}

async function writeConverted(
  input: TensorInput,
  to: string,
  plan: ConversionPlan,
  task: Task,
): Promise<ConversionReport | null> {
  const { flags, session, signal } = task;
  const { size, files } = plan.layout;
  const out = await openUnfinished(to, {
    size,
    files,
    replace: flags.force === true,
    resume: flags.resume === true,
    work: await workOf(input, plan, flags),
  });
  const total = plan.work.reduce((sum, { entry }) => sum + entry.byteLength, 0);
  const progress = await progressBar('converting', total, session, flags.quiet === true);
  const journal = new JournalKeeper(out);
  let report: ConversionReport;
  try {
    report = await convertFile(plan, input.file, out.file, {
      ...(isPosition(out.position) ? { from: out.position } : {}),
      signal,
      onProgress: async (position, bytes) => {
        progress.add(bytes);
        await journal.reached(position);
      },
    });
    await input.requireUnchanged();
  } catch (error) {
    progress.end();
    await giveUp(error, { ...task, input, to, out, isKept: journal.isKept });
    return null;
  }
  progress.end();
  // If the output consists of several files, a crash during the commit can leave some of them renamed and others not. A
  // later run that resumes the conversion after such a crash must know that all tensors have been converted, so the
  // final position is saved before the commit.
  if (files !== null) await out.note({ work: plan.work.length, piece: 0 } satisfies Position);
  await out.commit();
  return report;
}

interface Broken extends Task {
  readonly input: TensorInput;
  readonly to: string;
  readonly out: UnfinishedFile;
  /** Whether the data is safely on disk. */
  readonly isKept: boolean;
}

/**
 * Keeps the data if a later run can resume the conversion, and removes it otherwise. Then rethrows the error, unless
 * the user interrupted the conversion.
 */
async function giveUp(error: unknown, broken: Broken): Promise<void> {
  const { input, to, flags, session, signal, out, isKept } = broken;
  const changed = await input.requireUnchanged().then(
    () => null,
    (found: unknown) => found,
  );
  // A result that mixes two versions of the input would be useless.
  const canResume = isKept && changed === null;
  await (canResume ? out.suspend() : out.discard());
  if (signal.aborted) {
    if (canResume && flags.quiet !== true) await write(session.stderr, `ptxlab: ${to}: unfinished; ${advice}\n`);
    return;
  }
  // All error messages already contain the path of the file, except those about values.
  const isValue = error instanceof PtxlabError && (error.code === 'bad-scale' || error.code === 'values-lost');
  const told = changed ?? (isValue ? named(input.path, error) : error);
  throw canResume ? withAdvice(told) : told;
}

const advice = '--resume continues where it stopped';

function withAdvice(error: unknown): unknown {
  if (!(error instanceof PtxlabError)) return error;
  return new PtxlabError(error.code, `${error.message}; ${advice}`, { cause: error });
}

/** Saves the position only from time to time, because syncing takes time. */
class JournalKeeper {
  isKept: boolean;
  private readonly out: UnfinishedFile;
  private noted = performance.now();

  constructor(out: UnfinishedFile) {
    this.out = out;
    this.isKept = out.position !== null;
  }

  async reached(position: Position): Promise<void> {
    if (performance.now() - this.noted < noteEvery) return;
    await this.out.note(position);
    this.isKept = true;
    this.noted = performance.now();
  }
}

/** Milliseconds. */
const noteEvery = 1000;

/** Returns a key for the input and the options. `--resume` continues a conversion only if the key is still the same. */
async function workOf(source: TensorInput, plan: ConversionPlan, flags: ConvertFlags): Promise<string> {
  const found = await Promise.all(filesOfInput(source).map((path) => stat(path)));
  const input = found.map(({ size, mtimeMs }) => ({ size, mtimeMs }));
  const { to, layout, scale, scaleRule, rounding, seed, saturate, semantics, only, keep } = flags;
  const { size: output, files } = plan.layout;
  const header = createHash('sha256').update(plan.layout.header).digest('hex');
  const options = { to, layout, scale, scaleRule, rounding, seed, saturate, semantics, only, keep };
  return JSON.stringify({ version: 4, input, output, files, header, options });
}
