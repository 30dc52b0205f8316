/**
 * Compares the checker with every recorded verdict of ptxas. Cases that ptxas accepts only because of a quirk are left
 * out.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { check } from '../../src/check/check.ts';
import { groupBy, type KernelCase, testCases } from './batch.ts';

interface Case {
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

function headOf({ version, target, address_size, module }: Case): string {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const size = major * 100 + minor >= 203 ? `.address_size ${address_size ?? 64}\n` : '';
  return `.version ${version}\n.target ${target}\n${size}${module ?? ''}\n`;
}

function kernelCase(row: Case): Case & KernelCase {
  const kernel = `(${row.params ?? ''}) {\n${row.decls ?? ''}\n${row.inst}\nret;\n}\n`;
  return { ...row, head: headOf(row), entry: '.visible .entry', kernel };
}

/** The instruction is a declaration at module scope. */
function isModuleMisjudged(row: Case): boolean {
  const source = `${headOf(row)}.global .align 16 .b8 gb[64];\n${row.inst}\n.visible .entry k() { ret; }\n`;
  return !check(source).diagnostics.some(({ severity }) => severity === 'error') !== row.ok;
}

function family({ inst }: Case): string {
  const opcode = /^(?:@\S+\s+)?(?:\w+:\s*)?([A-Za-z]+)/.exec(inst)?.[1];
  return opcode ?? 'declarations';
}

const rows = gunzipSync(readFileSync(new URL('./legality/cases.jsonl.gz', import.meta.url)))
  .toString('utf8')
  .trim()
  .split('\n')
  .map((line): Case => JSON.parse(line))
  .filter(({ quirk }) => quirk === undefined);

describe('verdicts of ptxas 13.0', () => {
  const inKernels = rows.filter(({ scope }) => scope !== 'module');
  for (const [name, own] of groupBy(inKernels, family)) testCases(name, own.map(kernelCase));

  test('on declarations of a module', () => {
    expect(rows.filter(({ scope }) => scope === 'module').filter(isModuleMisjudged)).toEqual([]);
  });
});
