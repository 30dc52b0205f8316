import { describe, expect, it } from 'vitest';
import { Lexer } from './lexer.ts';
import { Token } from './tokens.ts';

const names = new Map(Object.entries(Token).map(([name, kind]) => [kind, name]));

/** The tokens of `source`, each given by its kind and its text. */
function tokens(source: string): readonly string[] {
  const lexer = new Lexer(source);
  const list: string[] = [];
  for (lexer.next(); lexer.kind !== Token.End; lexer.next()) list.push(`${names.get(lexer.kind)} ${lexer.text()}`);
  return list;
}

describe('names', () => {
  it.each(['a', 'a1$_', '%r1', '%1', '$L__BB0_2', '_a', '__', 'WARP_SZ2', 'warp_sz'])('%s is one', (text) => {
    expect(tokens(text)).toEqual([`Name ${text}`]);
  });

  it.each([
    ['%', ['Percent %']],
    ['_', ['Underscore _']],
    ['$', ['BadCharacter $']],
    ['%%', ['Percent %', 'Percent %']],
    ['%a%b', ['Name %a', 'Name %b']],
    ['a.b', ['Name a', 'Dotted .b']],
    ['WARP_SZ', ['WarpSize WARP_SZ']],
  ])('%s is not one', (text, expected) => {
    expect(tokens(text)).toEqual(expected);
  });

  it('are the same string object wherever they occur', () => {
    const lexer = new Lexer('%register1 add %register1');
    lexer.next();
    const first = lexer.text();
    lexer.next();
    lexer.next();
    expect(lexer.text()).toBe(first);
  });
});

describe('numbers', () => {
  it.each([
    ['0', 'Integer'],
    ['017U', 'Integer'],
    ['0x1Fu', 'BadNumber'],
    ['0X1FU', 'Integer'],
    ['0b101', 'Integer'],
    ['1.', 'Float'],
    ['.5', 'Float'],
    ['08.5', 'Float'],
    ['1E+5', 'Float'],
    ['1e', 'BadNumber'],
    ['08', 'BadNumber'],
    ['1.5f', 'BadNumber'],
    ['0f3F800000', 'HexSingle'],
    ['0f3F80000', 'BadNumber'],
    ['0d3FF0000000000000', 'HexDouble'],
    ['0d3FF00000000000000', 'BadNumber'],
  ])('%s: %s', (text, kind) => {
    expect(tokens(text)).toEqual([`${kind} ${text}`]);
  });

  it('a second dot starts a new number', () => {
    expect(tokens('1..2')).toEqual(['Float 1.', 'Float .2']);
  });
});

describe('dotted words', () => {
  it.each([
    ['.reg', ['Dotted .reg']],
    ['.shared::cta', ['Dotted .shared::cta']],
    ['.L2::cache_hint.b32', ['Dotted .L2::cache_hint', 'Dotted .b32']],
    ['. reg', ['BadCharacter .', 'Name reg']],
    ['.a ::b', ['Dotted .a', 'Colon :', 'Colon :', 'Name b']],
    ['.a:: b', ['Dotted .a', 'Colon :', 'Colon :', 'Name b']],
  ])('%s', (text, expected) => {
    expect(tokens(text)).toEqual(expected);
  });
});

describe('a mnemonic', () => {
  it.each([
    ['ret;', 'ret', 3],
    ['tex.1d.v4.f32.s32 {%f1}', 'tex.1d.v4.f32.s32', 17],
    ['ld .global\n.b32 %r1', 'ld.global.b32', 15],
    ['ld.L2::128B.b32[%r1]', 'ld.L2::128B.b32', 15],
    ['mov. b32', 'mov', 3],
  ])('%s', (text, mnemonic, end) => {
    const lexer = new Lexer(text);
    lexer.next();
    expect(lexer.mnemonic()).toBe(mnemonic);
    expect(lexer.mnemonicEnd).toBe(end);
  });
});

describe('operators', () => {
  it('with two characters take precedence over those with one', () => {
    const expected = ['<<', '>>', '<=', '>=', '==', '!=', '&&', '||', '<', '=', '|'];
    expect(tokens('<< >> <= >= == != && || <=|'.replace('<=|', '< =|')).map((token) => token.split(' ')[1])).toEqual(
      expected,
    );
  });
});

describe('white space and comments', () => {
  it.each([
    ['a/**/b', ['Name a', 'Name b']],
    ['a // b\nc', ['Name a', 'Name c']],
    ['a /* /* */ b', ['Name a', 'Name b']],
    ['a\t\r\n\f\x1ab', ['Name a', 'Name b']],
    ['a\vb', ['Name a', 'BadCharacter \v', 'Name b']],
    ['a // b\rc', ['Name a']],
    ['a /* b', ['Name a', 'OpenComment /* b']],
    ['/', ['Slash /']],
    ['# 1 "x.cu"\na', ['Name a']],
    ['#line 1 "x.cu" 3\na', ['Name a']],
    ['# 1', ['BadCharacter #', 'Integer 1']],
  ])('%j', (text, expected) => {
    expect(tokens(text)).toEqual(expected);
  });
});

describe('strings', () => {
  it.each([
    ['"a b"', ['String "a b"']],
    ['"a\nb"', ['String "a\nb"']],
    ['"a\\"', ['String "a\\"']],
    ['"a\nb', ['OpenString "a', 'Name b']],
  ])('%j', (text, expected) => {
    expect(tokens(text)).toEqual(expected);
  });
});

it('stops at the end of the text, whatever its length', () => {
  const text = '%r1 .a::b 0x1F 1.5e+3 0f3F800000 "s" /* c */ // d\n@@DWARF << #';
  for (let length = 0; length <= text.length; length++) {
    const lexer = new Lexer(text.slice(0, length));
    for (lexer.next(); lexer.kind !== Token.End; lexer.next()) expect(lexer.end).toBeLessThanOrEqual(length);
    expect(lexer.start).toBe(length);
  }
});

it('keeps offsets correct after characters outside ASCII', () => {
  const lexer = new Lexer('// \u00e9\u{1f600}\nadd');
  lexer.next();
  expect([lexer.text(), lexer.start, lexer.foreign]).toEqual(['add', 7, 3]);
});
