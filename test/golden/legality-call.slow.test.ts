/** Verdicts of ptxas 13.0 on calls, prototypes, lists of targets, aliases and functions. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { check } from '../../src/check/check.ts';

interface Case {
  readonly version: string;
  readonly target: string;
  /** The text between the shared functions and the kernel. */
  readonly before: string;
  /** The body of the kernel, after its declarations; null if `before` is the whole module. */
  readonly body: string | null;
  readonly ok: boolean;
  readonly msg?: string;
  /** Why the checker deliberately disagrees with ptxas. */
  readonly quirk?: string;
}

const [first = '', ...lines] = readFileSync(new URL('./legality-call/cases.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n');
const { functions, decls }: { readonly functions: string; readonly decls: string } = JSON.parse(first);
const cases = lines.map((line): Case => JSON.parse(line));

function moduleOf({ version, target, before, body }: Case): string {
  if (body === null) {
    const size = Number(version) >= 2.3 ? '.address_size 64\n' : '';
    return `.version ${version}\n.target ${target}\n${size}${before}\n`;
  }
  return `.version ${version}\n.target ${target}\n.address_size 64\n${functions}${before}
.entry k(.param .b32 kp, .param .u64 kq) {\n${decls}\n${body}\nret; }\n`;
}

function wrong(rows: readonly Case[]): readonly string[] {
  return rows
    .filter((row) => row.quirk === undefined)
    .filter((row) => !check(moduleOf(row)).diagnostics.some(({ severity }) => severity === 'error') !== row.ok)
    .map((row) => `${row.ok ? 'accepts' : 'refuses'} ${row.version} ${row.target} ${row.before}${row.body ?? ''}   ${row.msg ?? ''}`);
}

describe('verdicts of ptxas 13.0', () => {
  test('on calls and tables in a kernel', () => {
    expect(wrong(cases.filter(({ before }) => before === ''))).toEqual([]);
  });

  test('on functions of a module', () => {
    expect(wrong(cases.filter(({ before, body }) => before !== '' && body !== null))).toEqual([]);
  });

  test('in old versions and on old targets', () => {
    expect(wrong(cases.filter(({ body }) => body === null))).toEqual([]);
  });
});
