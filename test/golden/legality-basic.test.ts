/**
 * Verdicts of ptxas 13.0 on arithmetic, logic, comparisons, mov and control flow, recorded by tools/record-legality.py:
 * mnemonics over versions and targets, modifiers and types that may not fit, operands of every kind in every place.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { check } from '../../src/check/check.ts';

interface Case {
  readonly version: string;
  readonly target: string;
  readonly decls: string;
  readonly inst: string;
  readonly ok: boolean;
  readonly msg?: string;
  readonly quirk?: string;
}

const file = new URL('./legality-basic/cases.jsonl.gz', import.meta.url);
const [first = '', ...lines] = gunzipSync(readFileSync(file)).toString('utf8').trim().split('\n');
const { module, decls }: { readonly module: string; readonly decls: Record<string, string> } = JSON.parse(first);
const rows = lines.map((line): Case => JSON.parse(line));

function moduleOf({ version, target, decls: name, inst }: Case): string {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const number = major * 100 + minor;
  const size = number >= 203 ? '.address_size 64\n' : '';
  const entry = number >= 104 ? '.entry k()' : '.entry k';
  return `.version ${version}\n.target ${target}\n${size}${module}\n${entry} {\n${decls[name]}\nL0:\n${inst}\nret; }\n`;
}

function accepts(row: Case): boolean {
  return !check(moduleOf(row)).diagnostics.some((diagnostic) => diagnostic.severity === 'error');
}

function opcodeOf({ inst }: Case): string {
  return /^(?:@!?\S+\s+)?([A-Za-z0-9]+)/.exec(inst)?.[1] ?? inst;
}

describe('verdicts of ptxas 13.0 outside conversions', () => {
  for (const opcode of [...new Set(rows.map(opcodeOf))].sort()) {
    test(opcode, () => {
      const wrong = rows
        .filter((row) => opcodeOf(row) === opcode && row.quirk === undefined)
        .filter((row) => accepts(row) !== row.ok)
        .map((row) => `${row.ok ? 'accepts' : 'refuses'} ${row.version} ${row.target}: ${row.inst}   ${row.msg ?? ''}`);
      expect(wrong).toEqual([]);
    });
  }
});
