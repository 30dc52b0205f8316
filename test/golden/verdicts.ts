/**
 * Verdicts of ptxas 13.0 on instructions. The first line of a file contains the module and the declarations around the
 * instructions; every other line contains one verdict.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { KernelCase } from './batch.ts';

interface Case {
  readonly version: string;
  readonly target: string;
  readonly decls: string;
  readonly inst: string;
  readonly ok: boolean;
  readonly msg?: string;
  readonly quirk?: string;
}

interface Surroundings {
  readonly module: string;
  readonly decls: Readonly<Record<string, string>>;
}

function kernelCase(row: Case, { module, decls }: Surroundings): Case & KernelCase {
  const { version, target } = row;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const number = major * 100 + minor;
  const size = number >= 203 ? '.address_size 64\n' : '';
  const head = `.version ${version}\n.target ${target}\n${size}${module}\n`;
  const parameters = number >= 104 ? '()' : '';
  return { ...row, head, entry: '.entry', before: `${parameters} {\n${decls[row.decls]}\nL0:` };
}

/** The cases of a file, except those that are marked as quirks. */
export function casesIn(file: URL): readonly KernelCase[] {
  const [first = '', ...lines] = gunzipSync(readFileSync(file)).toString('utf8').trim().split('\n');
  const around: Surroundings = JSON.parse(first);
  const rows = lines.map((line): Case => JSON.parse(line)).filter(({ quirk }) => quirk === undefined);
  return rows.map((row) => kernelCase(row, around));
}
