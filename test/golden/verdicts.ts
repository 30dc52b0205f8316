/** Verdicts of ptxas 13.0 on instructions, one a line; the first line holds the module around them and its registers. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
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

interface Surroundings {
  readonly module: string;
  readonly decls: Readonly<Record<string, string>>;
}

function moduleOf({ version, target, decls: name, inst }: Case, { module, decls }: Surroundings): string {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const number = major * 100 + minor;
  const size = number >= 203 ? '.address_size 64\n' : '';
  const entry = number >= 104 ? '.entry k()' : '.entry k';
  return `.version ${version}\n.target ${target}\n${size}${module}\n${entry} {\n${decls[name]}\nL0:\n${inst}\nret; }\n`;
}

function opcodeOf({ inst }: Case): string {
  return /^(?:@!?\S+\s+)?([A-Za-z0-9]+)/.exec(inst)?.[1] ?? inst;
}

/** One test an opcode: the checker says what ptxas said, but for the rows marked as quirks. */
export function testVerdicts(file: URL): void {
  const [first = '', ...lines] = gunzipSync(readFileSync(file)).toString('utf8').trim().split('\n');
  const around: Surroundings = JSON.parse(first);
  const rows = lines.map((line): Case => JSON.parse(line));
  const accepts = (row: Case): boolean =>
    !check(moduleOf(row, around)).diagnostics.some((diagnostic) => diagnostic.severity === 'error');
  for (const opcode of [...new Set(rows.map(opcodeOf))].sort()) {
    test(opcode, () => {
      const wrong = rows
        .filter((row) => opcodeOf(row) === opcode && row.quirk === undefined)
        .filter((row) => accepts(row) !== row.ok)
        .map((row) => `${row.ok ? 'accepts' : 'refuses'} ${row.version} ${row.target}: ${row.inst}   ${row.msg ?? ''}`);
      expect(wrong).toEqual([]);
    });
  }
}
