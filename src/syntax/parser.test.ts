import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { edited } from '../diagnostics/fix.ts';
import { parseInstruction, parseItems, parseModule } from './parser.ts';
import { printModule } from './printer.ts';
import { errorLimit } from './reader.ts';

const header = '.version 9.0\n.target sm_90\n.address_size 64\n';

/** The findings about the given statements, with offsets relative to the start of `statements`. */
function findings(statements: string): readonly Diagnostic[] {
  const before = `${header}.func f() {\n`;
  return parseModule(`${before}${statements}\n}`).diagnostics.map((diagnostic) => ({
    ...diagnostic,
    span: { start: diagnostic.span.start - before.length, end: diagnostic.span.end - before.length },
  }));
}

/** Applies the first fix of the first finding to `statements`, and returns the result; null if there is no fix. */
function fixed(statements: string): string | null {
  const before = `${header}.func f() {\n`;
  const fix = findings(statements)[0]?.fixes[0];
  return fix === undefined ? null : edited(before + statements, fix.edits).slice(before.length);
}

describe('items are parsed one at a time', () => {
  it('yields an item before it reads the next', () => {
    const diagnostics: Diagnostic[] = [];
    const items = parseItems(`${header}.entry a() { ret; }\n.entry b() { bad,; }`, (d) => diagnostics.push(d));
    const kinds = Array.from({ length: 4 }, () => items.next().value?.kind);
    expect(kinds).toEqual(['version', 'target', 'address_size', 'function']);
    expect(diagnostics).toEqual([]);
    items.next();
    expect(diagnostics).toHaveLength(1);
  });

  it("gives spans that select an item's text", () => {
    const source = `${header}.visible .entry a() { @%p ret ; }\n.global .b32 x = 1 ;`;
    const { items } = parseModule(source);
    expect(items.map(({ start, end }) => source.slice(start, end))).toEqual([
      '.version 9.0',
      '.target sm_90',
      '.address_size 64',
      '.visible .entry a() { @%p ret ; }',
      '.global .b32 x = 1 ;',
    ]);
  });
});

describe('a message says what was found, what was expected, and what to write instead', () => {
  it.each([
    ['add.s32 %r1, %r2 %r3;', "unexpected '%r3'; expected ',' or ';'"],
    ['add.s32 %r1, ;', "unexpected ';'; expected an operand"],
    ['mov.b32 %r1, 08;', "'08' is not a number: a leading 0 makes it octal, and octal numbers have no digits 8 and 9"],
    ['mov.b32 %r1, 1u;', "'1u' is not a number: the suffix for unsigned integers is a capital U"],
    ['mov. b32 %r1, %r2;', "a '.' without a word directly after it has no meaning here"],
    ['.reg .v3 .b32 %v;', "unexpected '.v3'; expected '.v2', '.v4' or a type"],
    ['mov.b32 %r1, (.s32)1;', 'constants cannot be cast to .s32'],
    ['ret', "unexpected '}' on the next line; expected ';'"],
  ])('%s', (statements, message) => {
    expect(findings(statements).map((diagnostic) => diagnostic.message)).toEqual([message]);
  });

  it.each([
    ['ld.global.u32 %r1, [%rd1-4];', 'ld.global.u32 %r1, [%rd1+-4];'],
    ['mov.u32 %r1, a-4;', 'mov.u32 %r1, a+-4;'],
    ['bra L1\nret;', 'bra L1;\nret;'],
    ['.rge .b32 %r1;', '.reg .b32 %r1;'],
    ['.pragm "nounroll";', '.pragma "nounroll";'],
  ])('%s becomes %s', (statements, expected) => {
    expect(fixed(statements)).toBe(expected);
    expect(findings(expected)).toEqual([]);
  });

  it('quotes ptxas', () => {
    expect(findings('add.s32 %r1 %r2;')[0]?.ptxas).toBe("Parsing error near '%r2': syntax error");
  });

  it('abbreviates long text', () => {
    const [finding] = findings(`add.s32 %r1 ${'x'.repeat(1000)};`);
    expect(finding?.message).toHaveLength("unexpected ''; expected ',' or ';'".length + 61);
  });
});

describe('characters beyond ASCII', () => {
  it.each([
    ['in a comment', '// caf\u00e9\nret;', 'PTX1006'],
    ['in a string', '.pragma "\u{1f600}";', 'PTX1006'],
    ['as a token', 'add\u00a0.s32 %r1, %r2, %r3;', 'PTX1006'],
    ['NUL in a comment', '/* \0 */ ret;', 'PTX1007'],
  ])('%s are refused', (_, statements, code) => {
    expect(findings(statements).map((diagnostic) => diagnostic.code)).toEqual([code]);
  });

  it('a byte order mark is rejected, and the fix removes it', () => {
    const { items, diagnostics } = parseModule(`\ufeff${header}`);
    expect(items).toHaveLength(3);
    expect(diagnostics).toMatchObject([
      { code: 'PTX1006', fixes: [{ edits: [{ span: { start: 0, end: 1 }, text: '' }] }] },
    ]);
  });
});

describe('the parser copes with any text', () => {
  it(`stops after ${errorLimit} errors with a final message`, () => {
    const { diagnostics } = parseModule(`${header}.func f() {${'bad,;\n'.repeat(5000)}}`);
    expect(diagnostics).toHaveLength(errorLimit + 1);
    expect(diagnostics.at(-1)?.code).toBe('PTX1021');
  });

  it('reports scopes nested too deeply once, and continues after them', () => {
    const deep = `${'{'.repeat(100_000)}${'}'.repeat(100_000)}`;
    const { items, diagnostics } = parseModule(`${header}.func f() { ${deep} bad,; }\n.func g() { ret; }`);
    expect(diagnostics.map((diagnostic) => diagnostic.code)).toEqual(['PTX1020', 'PTX1001']);
    expect(items).toHaveLength(5);
  });

  it('reports initializers nested too deeply', () => {
    const { diagnostics } = parseModule(`${header}.global .b32 x = ${'{'.repeat(100_000)};\n.func g() { ret; }`);
    expect(diagnostics.map((diagnostic) => diagnostic.code)).toEqual(['PTX1020']);
  });

  it.each([
    [128, []],
    [129, ['PTX1001']],
  ])('reads a directive with %i targets', (count, codes) => {
    const names = Array.from({ length: count }, () => 'sm_90').join(', ');
    const { items, diagnostics } = parseModule(`.version 9.0\n.target ${names}\n.func g() { ret; }`);
    expect(diagnostics.map((diagnostic) => diagnostic.code)).toEqual(codes);
    expect(items.at(-1)?.kind).toBe('function');
  });

  it.each([
    'bar.sync 0;',
    'tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {%f5}];',
    '@%p1 ret;',
    '.reg .b32 %r9;',
    'done: ret;',
  ])('reads %s on the line after an unfinished one', (statement) => {
    const { items, diagnostics } = parseModule(`${header}.func f() {\nld.global.u32 %r1, [%rd1\n${statement}\n}`);
    expect(diagnostics.map((diagnostic) => diagnostic.code)).toEqual(['PTX1001']);
    const whole = parseModule(`${header}.func f() {\n${statement}\n}`);
    expect(printModule(items)).toBe(printModule(whole.items));
  });

  it('reports a missing closing bracket once', () => {
    const { diagnostics } = parseModule(`${header}.func f() { { { { ret;`);
    expect(diagnostics.map((diagnostic) => diagnostic.code)).toEqual(['PTX1001']);
  });
});

describe('a single instruction', () => {
  it.each([
    'cvt.rn.f16.f32 %h, %f',
    'cvt.rn.f16.f32 %h, %f;',
    '@!%p cvt.rn.f16.f32 %h, %f ; // comment',
    'ret',
    'ret // x',
  ])('%s', (text) => {
    const { instruction, diagnostics } = parseInstruction(text);
    expect(diagnostics).toEqual([]);
    expect(instruction?.mnemonic).toBe(text.startsWith('ret') ? 'ret' : 'cvt.rn.f16.f32');
  });

  it.each(['', ';', 'ret; ret', '.reg .b32 %r', 'add.s32 %r1,', '{ ret; }', 'L: ret', 'ret }'])('not: %s', (text) => {
    const { instruction, diagnostics } = parseInstruction(text);
    expect(instruction).toBeNull();
    expect(diagnostics).toHaveLength(1);
  });
});

describe('data of a debugging section', () => {
  it.each([
    ['.b8 1\n.b16 2, 3\n.b64 0x10', null],
    ['.b32 .debug_info+4\n.b32 name-name', null],
    ['.b8 .b8\n.b8 2', '.b8'],
    ['.b32 .reg', '.reg'],
    ['.u8 1\n.b8 2', null],
    ['.b32 name, 4', ','],
    ['.b8 -3U', '3U'],
  ])('%j', (data, unexpected) => {
    const { diagnostics } = parseModule(`${header}.section .debug_info {\n${data}\n}\n`);
    expect(diagnostics[0]?.ptxas ?? null).toBe(
      unexpected === null ? null : `Parsing error near '${unexpected}': syntax error`,
    );
  });
});
