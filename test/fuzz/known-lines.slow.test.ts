/**
 * The checker recognizes lines by their shape instead of parsing them again. It must report the same findings as
 * `checkEveryLine`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type CheckReport, check, checkEveryLine } from '../../src/check/check.ts';
import { randomSource } from '../kernels/reference.ts';

const folders = ['../../examples/kernels/', '../kernels/cuda/'].map((path) => new URL(path, import.meta.url));
const modules = folders.flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.ptx'))
    .sort()
    .map((name) => readFileSync(new URL(name, folder), 'utf8')),
);

function expectSame(text: string): CheckReport {
  const parsed = checkEveryLine(text);
  // Checks twice: the first run learns the shapes, the second run uses them.
  expect(check(text)).toEqual(parsed);
  expect(check(text)).toEqual(parsed);
  return parsed;
}

const small = modules.filter(({ length }) => length < 30_000);
const random = randomSource(11);
const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
const token = /\/\/[^\n]*|"[^"\n]*"|[.%$_A-Za-z][\w$]*|\d[\w.]*|\s+|./g;
const others =
  `%r0 %r99999 %r03 %rd1 %rd7 %p1 %p0 %f1 %rs1 %SP %tid.x %tid %r1.x %r5000000000 .loc inlined_at , $L__BB0_1 $L__BB0_99 L1 _ WARP_SZ
  0 1 -1 32 33 256 017 08 1U 0x1F 0x1234567890abcdef 99999999999 9999999999999999999999 0f3F800000 0f3F80000 0d3FF0000000000000 1.5
  .b32 .s64 .f16 .x .pred .v2 @ ! + - * / , ; : [ ] { } ( ) | // . "`.split(/\s+/);
const declarations = [
  '.reg .b32 %r<3>;',
  '.reg .pred %r<3>;',
  '.reg .b64 %r1;',
  '.reg .v2 .f32 %f<9>;',
  '%r1:',
  '{ .reg .pred %p<1>;',
  '{ .reg .f64 %r7;',
  '}',
  '.shared .b32 %tid;',
  '.param .b64 param0;',
];

function mutant(text: string): string {
  const tokens = text.match(token) ?? [];
  for (let left = 1 + Math.floor(random() * 3); left > 0; left--) {
    const at = Math.floor(random() * tokens.length);
    if (random() < 0.2) tokens[at] += `\n${pick(declarations)}\n`;
    else tokens[at] = random() < 0.5 ? pick(others) : pick(tokens);
  }
  return tokens.join('');
}

const header = '.version 9.3\n.target sm_100\n.address_size 64\n';
const registers = '.reg .pred %p<4>; .reg .b32 %r<8>; .reg .f32 %f<8>; .reg .b64 %rd<8>;';
/**
 * A module from which the checker learns the shapes of lines. It contains lines with every shape that occurs in the
 * test cases.
 */
const known = `.file 1 "a.cu"
.visible .entry k0() { ${registers} .shared .b32 cell; .local .b32 list[4];
  add.s32 %r1, %r2, %r3;
  add.s32 %r1, %r2, 5;
  @%p1 bra $L1;
  @!%p1 bra.uni $L1;
  $L1:
  mov.u32 %r1, %tid.x;
  st.shared.b32 [cell], %r1;
  mov.b64 %rd1, list[1];
  bar.sync 7;
  .loc 1 10 3
  .loc 1 11 5, function_name $L__info_string0, inlined_at 1 10 3
  .loc 1 12 5
  .loc 1 13 5, function_name $L__info_string0, inlined_at 1 12 5
  add.f32 %f1, %f2, 0f3F800000;
  fabric.submit;
  ret; }
.section .debug_str { $L__info_string0: .b8 1
.b8 0
.b8 17 }\n`;

/** Lines that have a known shape but contain a mistake, and the codes of the findings. */
const cases: readonly (readonly [string, string, readonly string[]])[] = [
  ['a register beyond its family', `${registers} add.s32 %r1, %r8, %r3;`, ['PTX3001']],
  ['a family of another type', '.reg .f32 %r<8>; add.s32 %r1, %r2, %r3;', ['PTX3004']],
  [
    'a family partly hidden by an inner family',
    `${registers} { .reg .pred %r<2>; add.s32 %r1, %r2, %r3; }`,
    ['PTX3004'],
  ],
  ['a family partly hidden by a register', `${registers} { .reg .f32 %r3; add.s32 %r1, %r2, %r3; }`, ['PTX3004']],
  ['a family partly hidden by a label', `${registers} { %r3: add.s32 %r1, %r2, %r3; }`, ['PTX3003']],
  [
    'a family visible again after the scope that hid it',
    `${registers} { .reg .pred %r<2>; } add.s32 %r1, %r2, %r3;`,
    [],
  ],
  ['a family that is declared too late', `add.s32 %r1, %r2, %r3; ${registers}`, ['PTX3001']],
  ['a guard that is not a predicate', '.reg .b32 %p<4>; @%p1 bra $L1; $L1: ret;', ['PTX3010']],
  ['a label that is missing', `${registers} @%p1 bra $L2;`, ['PTX3001']],
  ['a label that is a register', `${registers} .reg .b32 $L2; @%p1 bra $L2;`, ['PTX3003']],
  ['a special register that is declared', `${registers} .reg .v2 .f64 %tid; mov.u32 %r1, %tid.x;`, ['PTX3004']],
  ['a variable in another space', `${registers} .local .b32 cell; st.shared.b32 [cell], %r1;`, ['PTX5011']],
  [
    'an element of something that is not an array',
    `${registers} .local .b32 list; mov.b64 %rd1, list[1];`,
    ['PTX3003'],
  ],
  ['a constant out of its range', `${registers} bar.sync 16;`, ['PTX3011']],
  ['a float of 7 digits', `${registers} add.f32 %f1, %f2, 0f3F80000;`, ['PTX1005']],
  ['a float for an offset', `${registers} ld.b32 %r1, [%rd1+0f3F800000];`, ['PTX1013']],
  [
    'an inlined_at position that does not appear in any .loc',
    '.loc 1 14 5, function_name $L__info_string0, inlined_at 1 9 3\nret;',
    ['PTX5029'],
  ],
  [
    'an inlined function without a name',
    '.loc 1 14 5, function_name $L__info_string1, inlined_at 1 10 3\nret;',
    ['PTX5030'],
  ],
  [
    'two .loc in a line',
    '.loc 1 14 5 .loc 1 15 5, function_name $L__info_string1, inlined_at 1 10 3\nret;',
    ['PTX5030'],
  ],
  [
    'a .loc that continues on the next line',
    '.loc 1 14 5\n, function_name $L__info_string1, inlined_at 1 10 3\nret;',
    ['PTX5030'],
  ],
  ['an octal with a wrong digit', `${registers} add.s32 %r1, %r2, 08;`, ['PTX1005']],
];

/** The data of a debug section, and the codes of its findings. */
const sections: readonly (readonly [string, string, readonly string[]])[] = [
  ['numbers one a line', '.b8 1\n.b8 2\n.b32 300\n', []],
  ['a list that continues on the next line', '.b8 1\n.b8 2\n, 3\n', []],
  ['a list that continues after a comment', '.b8 1\n.b8 2 // two\n, x: \n', ['PTX1001']],
  ['an octal with a wrong digit', '.b8 1\n.b8 08\n', ['PTX1005']],
  ['a number of more than 64 bits', '.b8 1\n.b64 99999999999999999999999\n', ['PTX1010']],
  ['a number without a type', '.b8 1\n.b8 2\n3\n', ['PTX1001']],
  ['a word that begins with a digit', '.b8 1\n.8b 2\n', ['PTX1005']],
];

describe('lines of numbers in debug sections', () => {
  for (const [name, data, codes] of sections) {
    it(`report ${name}`, () => {
      const report = expectSame(`${header}.section .debug_info {\n${data}}\n`);
      expect([...new Set(report.diagnostics.map(({ code }) => code))]).toEqual(codes);
    });
  }
});

describe('lines of known shape', () => {
  for (const [name, body, codes] of cases) {
    it(`report ${name}`, () => {
      const text = `${header}${known}.visible .entry k1() { ${body} }`;
      const found = expectSame(text).diagnostics.filter(({ severity }) => severity === 'error');
      expect([...new Set(found.map(({ code }) => code))]).toEqual(codes);
    });
  }

  it('report once per module that an opcode is not checked', () => {
    for (let i = 0; i < 3; i++) {
      const report = expectSame(header + known.replace('ret;', 'fabric.submit; ret;'));
      expect(report.diagnostics.map(({ code }) => code)).toEqual(['PTX2002']);
    }
  });

  it('give the same findings and requirements as parsed lines, in real modules', () => {
    for (const text of modules) expectSame(text);
  });

  it('give the same findings in modules with mistakes', () => {
    for (let i = 0; i < 150; i++) expectSame(mutant(pick(small)));
  });
});
