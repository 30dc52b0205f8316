/** Finds the settings of a workspace. */
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { noSettings, readSettings, type Settings } from '../check/settings.ts';
import { UsageError } from './exit.ts';

/**
 * The settings in the nearest `ptxlab.json`: in the folder of a file or in one of the folders above it. Mistakes in the
 * file are ignored.
 */
export function settingsAbove(path: string): Settings {
  const found = nearest(path);
  return found === null ? noSettings : readSettings(found.text).settings;
}

/** Like `settingsAbove`, but throws a UsageError if the file contains a mistake. */
export function validSettingsAbove(path: string): Settings {
  const found = nearest(path);
  return found === null ? noSettings : validSettings(found.text, found.file);
}

/** Reads the text of a `ptxlab.json`. Throws a UsageError if the text contains a mistake. */
export function validSettings(text: string, file: string): Settings {
  const { settings, problem } = readSettings(text);
  if (problem !== null) throw new UsageError(`${file}: ${problem}`);
  return settings;
}

/**
 * The path of the nearest `ptxlab.json`, in the folder of a file or in one of the folders above it; null if there is
 * none.
 */
export function settingsFileAbove(path: string): string | null {
  return nearest(path)?.file ?? null;
}

function nearest(path: string): { readonly file: string; readonly text: string } | null {
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    const file = join(folder, 'ptxlab.json');
    try {
      return { file, text: readFileSync(file, 'utf8') };
    } catch {
      if (folder === dirname(folder)) return null;
    }
  }
}
