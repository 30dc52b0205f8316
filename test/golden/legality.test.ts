/** Every recorded verdict of ptxas against the checker. Cases that only a quirk of ptxas accepts are left out. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { check } from '../../src/check/check.ts';

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

function moduleOf(row: Case): string {
  const [major = 0, minor = 0] = row.version.split('.').map(Number);
  const size = major * 100 + minor >= 203 ? `.address_size ${row.address_size ?? 64}\n` : '';
  const head = `.version ${row.version}\n.target ${row.target}\n${size}${row.module ?? ''}\n`;
  if (row.scope === 'module') return `${head}.global .align 16 .b8 gb[64];\n${row.inst}\n.visible .entry k() { ret; }\n`;
  return `${head}.visible .entry k(${row.params ?? ''}) {\n${row.decls ?? ''}\n${row.inst}\nret;\n}\n`;
}

function accepts(row: Case): boolean {
  return !check(moduleOf(row)).diagnostics.some((diagnostic) => diagnostic.severity === 'error');
}

const file = new URL('./legality/cases.jsonl.gz', import.meta.url);
const rows = gunzipSync(readFileSync(file))
  .toString('utf8')
  .trim()
  .split('\n')
  .map((line): Case => JSON.parse(line));

function family({ inst }: Case): string {
  const opcode = /^(?:@\S+\s+)?(?:\w+:\s*)?([A-Za-z]+)/.exec(inst)?.[1];
  return opcode ?? 'declarations';
}

describe('verdicts of ptxas 13.0', () => {
  for (const name of [...new Set(rows.map(family))].sort()) {
    test(name, () => {
      const wrong = rows
        .filter((row) => family(row) === name && row.quirk === undefined)
        .filter((row) => accepts(row) !== row.ok)
        .map((row) => `${row.ok ? 'accepts' : 'refuses'} ${row.version} ${row.target}: ${row.inst}   ${row.msg ?? ''}`);
      expect(wrong).toEqual([]);
    });
  }
});
