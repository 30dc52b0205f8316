/** Prepares a plan for checking many files on several machines. */
import type { CheckFlags } from '../check.ts';
import { filesIn } from '../check/files-in.ts';
import { UsageError } from '../exit.ts';
import { readIsa, readTargets } from '../options.ts';
import { settingsFileAbove, validSettingsAbove } from '../settings-file.ts';
import { hashInput } from './inputs.ts';
import type { Draft, InputFile } from './manifest.ts';
import type { CheckChoice, CheckedFile } from './what.ts';

/**
 * @param paths files and folders; a folder means all `.ptx` files in it
 * @param folder the plan's folder
 */
export async function draftCheck(paths: readonly string[], flags: CheckFlags, folder: string): Promise<Draft> {
  if (flags.target !== undefined) readTargets(flags.target);
  readIsa(flags.isa);
  const names: string[] = [];
  if (paths.length === 0) throw new UsageError('plan check needs files, or folders with .ptx files');
  for (const path of paths) {
    if (path === '-') throw new UsageError('plan check takes files, not stdin');
    const found = await filesIn(path);
    if (!found.ok) throw new UsageError(found.error);
    names.push(...found.value);
  }
  const modules: InputFile[] = [];
  const settings = new Map<string, InputFile>();
  const files: CheckedFile[] = [];
  for (const name of names) {
    modules.push(await hashInput(folder, name, false));
    const above = settingsFileAbove(name);
    if (above !== null && !settings.has(above)) {
      validSettingsAbove(name);
      settings.set(above, await hashInput(folder, above, false));
    }
    files.push({ name, settings: settings.get(above ?? '')?.path ?? '' });
  }
  const largest = Math.max(...modules.map(({ bytes }) => bytes));
  return {
    gpus: [],
    inputs: [...modules, ...settings.values()],
    weights: modules.map(({ bytes }) => bytes + fileCost),
    leastShard: null,
    files: new Map(),
    cut: (shards) => {
      const sizes = shards.map(({ from, to }) => modules.slice(from, to).reduce((sum, { bytes }) => sum + bytes, 0));
      return Promise.resolve({
        what: { command: 'check', choice: choiceOf(flags), files },
        task: { cpus: 1, memoryBytes: 2 ** 28 + 16 * largest, diskBytes: 2 ** 20 + 2 * Math.max(...sizes) },
      });
    },
  };
}

/** The fixed cost of checking a file: checking an empty file takes as long as checking this number of bytes. */
const fileCost = 2 ** 12;

function choiceOf({ format, target, isa, W, all, source }: CheckFlags): CheckChoice {
  return {
    format,
    ...(target === undefined ? {} : { target }),
    ...(isa === undefined ? {} : { isa }),
    ...(W === undefined ? {} : { W }),
    ...(all === undefined ? {} : { all }),
    ...(source === undefined ? {} : { source }),
  };
}
