/** Installs the package as users get it: the package is packed, and then unpacked next to its dependencies. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { built, root } from '../cli/ptxlab.ts';

/** The folder names of the direct and indirect dependencies of a package. */
function dependenciesOf(folder: string): readonly string[] {
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  const names = [...Object.keys(dependencies), ...Object.keys(optionalDependencies)];
  const present = names.filter((name) => statSync(join(root, 'node_modules', name), { throwIfNoEntry: false }));
  return present.flatMap((name) => [name, ...dependenciesOf(join(root, 'node_modules', name))]);
}

/**
 * Packs the package, unpacks it in `folder`, and links its dependencies there. Returns the names of all installed
 * packages.
 */
export async function install(folder: string): Promise<readonly string[]> {
  await built();
  const packed = spawnSync('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], {
    cwd: root,
    encoding: 'utf8',
  });
  const tarball = packed.stdout.trim().split('\n').at(-1) ?? '';
  const target = join(folder, 'node_modules/ptxlab');
  mkdirSync(target, { recursive: true });
  const unpacked = spawnSync('tar', ['-xzf', join(folder, tarball), '-C', target, '--strip-components=1']);
  if (unpacked.status !== 0) throw new Error(`${packed.stderr}\n${unpacked.stderr}`);
  const names = [...new Set(dependenciesOf(target))];
  for (const name of names) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(join(link, '..'), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link);
  }
  return ['ptxlab', ...names];
}

/** The total size in bytes of all files in a folder and its subfolders. */
export function sizeOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}
