/** Finds the settings of a workspace. */
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { noSettings, readSettings, type Settings } from '../check/settings.ts';

/** The settings in the nearest `ptxlab.json` above a file. */
export function settingsAbove(path: string): Settings {
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    try {
      return readSettings(readFileSync(join(folder, 'ptxlab.json'), 'utf8'));
    } catch {
      if (folder === dirname(folder)) return noSettings;
    }
  }
}
