import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseModule } from '../../src/syntax/parser.ts';

interface Verdict {
  readonly scope: 'body' | 'call' | 'module' | 'file';
  readonly text: string;
  readonly ptxas: string;
}

const header = '.version 9.0\n.target sm_100a\n.address_size 64\n';
const registers =
  '.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %d<9>; .reg .f32 %f<9>; .reg .v4 .b32 %v<3>; .shared .align 16 .b8 sm[64];';
const functions = `.visible .func (.param .b32 r) f (.param .b32 a, .param .b32 b);
.visible .func g (.param .b32 a);
.visible .func h;
.visible .func h2 ();
.global .align 64 .b64 fp[4];
`;
const callRegisters = '.param .b32 pr; .param .b32 pa; .param .b32 pb;.reg .b64 %fp;';

function moduleOf({ scope, text }: Verdict): string {
  switch (scope) {
    case 'body':
      return `${header}.visible .entry k(.param .u64 kp) {\n${registers}\n${text}\nret;\n}\n`;
    case 'call':
      return `${header}${functions}.visible .entry k(.param .u64 kp) {\n${registers}${callRegisters}\n${text}\nret;\n}\n`;
    case 'module':
      return `${header}${text}\n`;
    case 'file':
      return text;
  }
}

/** Where the parser differs from ptxas on purpose, and why. */
const differences: readonly { readonly why: string; readonly applies: (verdict: Verdict) => boolean }[] = [
  {
    why: 'names of types are left to the checker',
    applies: ({ text, ptxas }) =>
      /^\.(reg|global) \.(bf16|tf32|foo|u128|rn|x) %?\w;$/.test(text) && ptxas.startsWith('Parsing error'),
  },
  {
    why: 'names of debugging sections are not checked',
    applies: ({ text }) => /^\.section \.(s32|global) \{ \}$/.test(text),
  },
  {
    why: 'the contents of @@DWARF are not parsed',
    applies: ({ text }) => text.startsWith('@@DWARF'),
  },
  {
    why: 'ptxas reads .target and .alias in the body of a function; no specification text does',
    applies: ({ text }) => /^(\.target sm_80|\.alias a, b;|\.func k\(\) \{ \.alias a, b; ret; \})$/.test(text),
  },
  { why: 'ptxas accepts an empty declaration without a space', applies: ({ text }) => text === '.b32;' },
  {
    why: 'ptxlab refuses a state space that no parameter can have in the grammar, ptxas in a later check',
    applies: ({ text }) => /k\(\.(const|local) \.b\d\d \w\)/.test(text),
  },
  {
    why: 'ptxlab refuses dot-separated parts after an operand in the grammar, ptxas as modifiers',
    applies: ({ text }) => text === 'mov.b64 {%r1,%r2}.x, %d1;',
  },
];

const lines = readFileSync(new URL('syntax/verdicts.jsonl', import.meta.url), 'utf8').trim().split('\n');
const verdicts = lines.map((line) => JSON.parse(line) as Verdict);

describe.each(['body', 'call', 'module', 'file'] as const)('the grammar is that of ptxas: %s', (scope) => {
  const judged = verdicts.filter((verdict) => verdict.scope === scope && !differences.some((d) => d.applies(verdict)));
  it.each(judged)('$text | $ptxas', (verdict) => {
    const errors = parseModule(moduleOf(verdict)).diagnostics.filter((diagnostic) => diagnostic.severity === 'error');
    if (verdict.ptxas === 'reads') expect(errors).toEqual([]);
    else expect(errors).not.toEqual([]);
  });
});

describe('the listed differences still exist', () => {
  it.each(differences)('$why', ({ applies }) => {
    const differs = verdicts.filter(applies).some((verdict) => {
      const { diagnostics } = parseModule(moduleOf(verdict));
      return (verdict.ptxas === 'reads') !== (diagnostics.length === 0);
    });
    expect(differs).toBe(true);
  });
});
