/** `ptxlab inspect`: shows the contents of tensor files. */
import { PtxlabError } from '../base/error.ts';
import { modelOf, type ModelTensor, plainTensor } from '../tensors/checkpoints/model-tensors.ts';
import { summarizeTensor } from '../tensors/summarize.ts';
import { isReadable } from '../tensors/tensor-values.ts';
import { type ExitCode, UsageError, worse } from './exit.ts';
import type { InspectedTensor, Inspection } from './inspect/inspection.ts';
import { inspectionJson } from './inspect/json.ts';
import { inspectionText } from './inspect/text.ts';
import { plural } from './number-text.ts';
import type { CommonFlags } from './options.ts';
import { write, writeJson } from './output.ts';
import { progressBar } from './progress.ts';
import type { Session } from './session.ts';
import { isAscii, screenWidth, styleFor } from './style.ts';
import { openTensors, type TensorFlags, type TensorInput } from './tensor-input.ts';
import { modelWords, warn } from './warnings.ts';

export interface InspectFlags extends CommonFlags, TensorFlags {
  /**
   * False if the flag `--no-stats` was given. The name is `stats` because commander removes `no-` from the names of
   * such flags.
   */
  readonly stats: boolean;
  readonly histogram?: boolean;
  readonly json?: boolean;
  readonly ascii?: boolean;
}

export async function inspectCommand(
  paths: readonly string[],
  flags: InspectFlags,
  session: Session,
): Promise<ExitCode> {
  if (paths.length === 0) throw new UsageError('inspect needs a tensor file');
  return session.interruptible(async (signal) => {
    let exit: ExitCode = 0;
    const records: object[] = [];
    for (const path of paths) {
      try {
        const inspection = await inspectFile(path, flags, session, signal);
        if (signal.aborted) return 2;
        if (flags.json === true) records.push(inspectionJson(inspection));
        else await write(session.stdout, await textOf(inspection, flags, session, path !== paths[0]));
      } catch (error) {
        if (!(error instanceof PtxlabError)) throw error;
        await write(session.stderr, `ptxlab: ${error.message}\n`);
        exit = worse(exit, 2);
      }
    }
    if (flags.json === true) await writeJson(session.stdout, records);
    return exit;
  });
}

async function textOf(
  inspection: Inspection,
  flags: InspectFlags,
  { stdout, env }: Session,
  isNext: boolean,
): Promise<string> {
  const style = await styleFor(flags.color, stdout, env);
  const text = inspectionText(inspection, {
    style,
    width: screenWidth(stdout, env),
    isAscii: isAscii(flags.ascii === true, env),
    withBinades: flags.histogram,
    withStatistics: flags.stats,
  });
  return isNext ? `\n${text}` : text;
}

/**
 * A tensor is listed together with its scales. Scales are listed as separate tensors only if `--only` selects the
 * scales but not the tensor to which they belong.
 */
function shownOf(tensor: ModelTensor, { takes }: TensorInput, { only }: InspectFlags): readonly ModelTensor[] {
  if (takes(tensor.entry.name)) return [tensor];
  return only === undefined ? [] : tensor.parts.filter(({ name }) => takes(name)).map(plainTensor);
}

async function inspectFile(
  path: string,
  flags: InspectFlags,
  session: Session,
  signal: AbortSignal,
): Promise<Inspection> {
  const input = await openTensors(path, flags);
  try {
    const model = modelOf(input.file);
    if (flags.quiet !== true) await warn(session.stderr, path, modelWords(model));
    const entries = model.tensors.flatMap((tensor) => shownOf(tensor, input, flags));
    if (entries.length === 0 && flags.only !== undefined)
      throw new PtxlabError(
        'no-such-tensor',
        `${path}: --only matches none of its ${plural(model.tensors.length, 'tensor')}`,
      );
    if (!flags.stats) return { input, model, tensors: entries.map((tensor) => ({ ...tensor, summary: null })) };
    const elements = entries.reduce((sum, { entry }) => sum + (isReadable(entry) ? entry.elements : 0), 0);
    const progress = await progressBar('reading', elements, session, flags.quiet === true);
    try {
      const options = { progress: progress.add, signal };
      const tensors: InspectedTensor[] = [];
      for (const tensor of entries) {
        if (signal.aborted) break;
        tensors.push({ ...tensor, summary: await summarizeTensor(model.file, tensor, options) });
      }
      return { input, model, tensors };
    } finally {
      progress.end();
    }
  } finally {
    await input.close();
  }
}
