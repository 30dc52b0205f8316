/** All recorded verdicts of ptxas on conversions, except those that are marked as quirks. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { KernelCase } from './batch.ts';

/** A line of the file. */
export interface Case {
  readonly version: string;
  readonly target: string;
  readonly address_size?: number;
  readonly decls?: string;
  readonly module?: string;
  readonly params?: string;
  readonly scope?: string;
  readonly inst: string;
  readonly ok: boolean;
  readonly msg?: string;
  readonly quirk?: string;
}

/** The text at the start of a module: the header and the declarations at module scope. */
export function headOf({ version, target, address_size, module }: Case): string {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const size = major * 100 + minor >= 203 ? `.address_size ${address_size ?? 64}\n` : '';
  return `.version ${version}\n.target ${target}\n${size}${module ?? ''}\n`;
}

function kernelCase(row: Case): Case & KernelCase {
  return { ...row, head: headOf(row), entry: '.visible .entry', before: `(${row.params ?? ''}) {\n${row.decls ?? ''}` };
}

const rows: readonly Case[] = gunzipSync(readFileSync(new URL('./legality/cases.jsonl.gz', import.meta.url)))
  .toString('utf8')
  .trim()
  .split('\n')
  .map((line): Case => JSON.parse(line))
  .filter(({ quirk }) => quirk === undefined);

export const declarationCases: readonly Case[] = rows.filter(({ scope }) => scope === 'module');

export const conversionCases: readonly KernelCase[] = rows.filter(({ scope }) => scope !== 'module').map(kernelCase);
