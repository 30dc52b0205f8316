/** Finds the settings of a workspace. */
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { noSettings, readSettings, type Settings } from '../check/settings.ts';

/** The settings in the nearest `ptxlab.json`: in the folder of a file or in one of the folders above it. */
export function settingsAbove(path: string): Settings {
  return nearest(path)?.settings ?? noSettings;
}

/**
 * The path of the nearest `ptxlab.json`, in the folder of a file or in one of the folders above it; null if there is
 * none.
 */
export function settingsFileAbove(path: string): string | null {
  return nearest(path)?.file ?? null;
}

function nearest(path: string): { readonly file: string; readonly settings: Settings } | null {
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    const file = join(folder, 'ptxlab.json');
    try {
      return { file, settings: readSettings(readFileSync(file, 'utf8')) };
    } catch {
      if (folder === dirname(folder)) return null;
    }
  }
}
