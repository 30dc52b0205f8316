/**
 * Adds to package-lock.json the platform packages that the registry did not offer when the lock was written. If such
 * packages are missing, `npm ci` reports that the lock is out of sync. (`npm ci` installs only the packages for its own
 * platform.) Run this tool after every `npm install`.
 *
 * tsx tools/complete-lock.ts
 */
import { readFileSync, writeFileSync } from 'node:fs';

interface Entry {
  readonly version: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly engines?: Readonly<Record<string, string>>;
}

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, object> };
const packages = lock.packages as Record<string, Entry>;
let added = 0;

/** A name such as `cli-linux-x64-musl` contains the operating system, the CPU and the C library. */
function platformOf(name: string): object {
  const words = (name.split('/').pop() ?? '').replace(/^(cli|binding)-/, '').split('-');
  const [os = '', cpu = '', abi = ''] = words;
  const libc = os !== 'linux' ? [] : abi.startsWith('musl') ? ['musl'] : abi.startsWith('gnu') ? ['glibc'] : [];
  return { cpu: [cpu], os: [os], ...(libc.length === 0 ? {} : { libc }) };
}

for (const parent of Object.values(packages)) {
  for (const [name, version] of Object.entries(parent.optionalDependencies ?? {})) {
    const key = `node_modules/${name}`;
    if (packages[key] !== undefined) continue;
    const engines = parent.engines === undefined ? {} : { engines: parent.engines };
    lock.packages[key] = { version, dev: true, optional: true, ...platformOf(name), ...engines };
    added++;
  }
}

const sorted = Object.keys(lock.packages).sort();
lock.packages = Object.fromEntries(sorted.map((key) => [key, lock.packages[key] as object]));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} platform packages added`);
