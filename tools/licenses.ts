/** The licenses of the packages in a bundle. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the folders of the packages to which the given files belong. */
export function packagesOf(files: readonly string[]): readonly string[] {
  const found = files.map((file) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  return [...new Set(found.filter((folder) => folder !== undefined))].toSorted();
}

/** Files such as `LICENSE` and `NOTICE`, and the files in a `licenses` folder. */
function licenseFilesIn(folder: string): readonly string[] {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (!/^(licen[cs]e|notice|copying)/i.test(entry.name)) return [];
    return entry.isDirectory() ? readdirSync(path).map((name) => join(path, name)) : [path];
  });
}

/** The licenses and notices of these packages, each under the name of its package. */
export function licensesOf(folders: readonly string[]): string {
  const parts = folders.map((folder) => {
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const texts = licenseFilesIn(folder).map((file) => readFileSync(file, 'utf8').trim());
    if (texts.length === 0) throw new Error(`${name} has no license file`);
    return [`${name} ${version}`, '-'.repeat(72), ...texts].join('\n\n');
  });
  return `The files in this folder contain code of these packages.\n\n${parts.join('\n\n\n')}\n`;
}
