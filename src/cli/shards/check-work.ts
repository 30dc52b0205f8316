/** One shard of a check: the reports on some of the files. */
import { elementAt } from '../../base/element-at.ts';
import { noSettings, type Settings } from '../../check/settings.ts';
import { judge } from '../check.ts';
import type { Judged } from '../check/report.ts';
import { UsageError } from '../exit.ts';
import { readIsa, readTargets } from '../options.ts';
import { settingsFileAbove, validSettings } from '../settings-file.ts';
import { type CheckBody, readPlanned, sourceOf } from './check-files.ts';
import type { UnitRange } from './cut.ts';
import { pathOfInput } from './inputs.ts';
import type { Plan } from './manifest.ts';
import type { CheckWhat } from './what.ts';

/** Resolves with null if the signal stopped the work. */
export async function checkShard(
  plan: Plan,
  what: CheckWhat,
  { from, to }: UnitRange,
  signal: AbortSignal,
): Promise<CheckBody | null> {
  const { target, isa, W } = what.choice;
  const targets = target === undefined ? [undefined] : readTargets(target);
  const version = readIsa(isa);
  const files: Judged['report'][][] = [];
  for (let unit = from; unit < to; unit++) {
    const source = await sourceOf(plan, what, unit);
    const settings = await settingsOf(plan, what, unit);
    const judged = targets.map((name) => judge(source, { target: name, isa: version, settings }, W === 'error'));
    files.push(judged.map(({ report }) => report));
    if (signal.aborted) return null;
  }
  return { files };
}

/**
 * The settings that applied to a file when the plan was made. Throws if different settings would apply to the file now.
 */
async function settingsOf(plan: Plan, { files }: CheckWhat, unit: number): Promise<Settings> {
  const { inputs } = plan.manifest;
  const path = pathOfInput(plan.folder, elementAt(inputs, unit));
  const planned = inputs.find((input) => input.path === elementAt(files, unit).settings);
  const expected = planned === undefined ? null : pathOfInput(plan.folder, planned);
  const found = settingsFileAbove(path);
  if (found !== expected)
    throw new UsageError(
      `${path}: was planned with ${expected ?? 'no settings'}, but ${found ?? 'no settings'} would apply now`,
    );
  return planned === undefined ? noSettings : validSettings(await readPlanned(plan, planned), planned.path);
}
