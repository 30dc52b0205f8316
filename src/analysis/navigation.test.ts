import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { check } from '../check/check.ts';
import { edited } from '../diagnostics/fix.ts';
import { Document } from './document.ts';

const folder = new URL('../../test/kernels/', import.meta.url);
const realModules = [
  'compilers/gcc.ptx',
  'compilers/triton.ptx',
  'compilers/nvopencc.ptx',
  'cuda/calls.sm_75.ptx',
  'cuda/calls.sm_90_debug.ptx',
];
const textOf = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

const header = '.version 9.0\n.target sm_90\n.address_size 64\n';
const kernel = `${header}.global .b32 counter;
.func helper(.reg .b32 x) { ret; }
.visible .entry k(.param .u64 out) {
  .reg .b32 %r<10>; // registers
  .reg .pred %p;
  .shared .b32 tile[4];
  /* first
     second */
  mov.u32 %r1, %tid.x;
  setp.lt.u32 %p, %r01, 7;
@%p bra DONE;
  {
    .reg .b32 %r<4>;
    add.u32 %r1, %r2, %r3;
  }
  st.shared.u32 [tile], %r1;
  call helper, (%r1);
DONE:
  ret;
}
`;

/** The offset of the n-th occurrence of `part` in the text, counting from 0. */
function nth(text: string, part: string, n = 0): number {
  let at = -1;
  for (let i = 0; i <= n; i++) at = text.indexOf(part, at + 1);
  return at;
}

const slices = (text: string, spans: Iterable<{ readonly start: number; readonly end: number }>): readonly string[] =>
  Array.from(spans, ({ start, end }) => text.slice(start, end));

describe('the tokens of a document', () => {
  it('say what each word means', () => {
    const { navigation } = new Document(kernel);
    const found = [...navigation.tokens(0, kernel.length)].map(
      ({ start, end, kind, isDeclaration }) => `${kernel.slice(start, end)} ${kind}${isDeclaration ? ' declared' : ''}`,
    );
    const expected = [
      '.version directive',
      'sm_90 target',
      'counter variable declared',
      'helper function declared',
      'x parameter declared',
      'out parameter declared',
      '%r register declared',
      '// registers comment',
      'mov opcode',
      '.u32 type',
      '%tid special register',
      '.x element',
      '.lt modifier',
      '%r01 register',
      '@ guard',
      'DONE label',
      'DONE label declared',
    ];
    // A parameter that is passed in a register is reported as a register.
    expect(found).toEqual(expect.arrayContaining(expected.filter((one) => !one.startsWith('x '))));
  });

  it.each(realModules)('are all words of the functions in %s, whatever range is asked for', (name) => {
    const text = textOf(name);
    const document = new Document(text);
    const { navigation } = document;
    let rest = '';
    for (const { start, end } of document.functions()) {
      let at = start;
      for (const token of navigation.tokens(start, end)) {
        rest += `${text.slice(at, token.start)} `;
        at = token.end;
      }
    }
    const others = new Set(rest.match(/[\w$%"']{2,}|\/\//g) ?? []);
    expect([...others].filter((word) => !/^(?:function_name|inlined_at|\$L__info_string\d+)$/.test(word))).toEqual([]);
    const middle = Math.floor(text.length / 2);
    const whole = [...navigation.tokens(0, text.length)];
    const parts = [...navigation.tokens(0, middle), ...navigation.tokens(middle, text.length)];
    expect(parts).toEqual(whole);
  });
});

test('the tokens behind an unclosed string are those of the next line, wherever the text is read from', () => {
  const text = `${kernel.slice(0, kernel.lastIndexOf('}'))}  .pragma "nounroll"";\n  add.u32 %r1, %r1, 1;\n}\n`;
  const { navigation } = new Document(text);
  const start = text.indexOf('add.u32 %r1, %r1, 1');
  const kinds = [...navigation.tokens(start, start + 12)].map(({ kind }) => kind);
  expect(kinds.slice(0, 3)).toEqual(['opcode', 'type', 'register']);
});

describe('the places of a name', () => {
  const { navigation } = new Document(kernel);

  it('are those of its scope, in every spelling', () => {
    expect(slices(kernel, navigation.places(nth(kernel, '%r1')))).toEqual(['%r', '%r1', '%r01', '%r1', '%r1']);
    expect(slices(kernel, navigation.places(nth(kernel, '%r1', 1)))).toEqual(['%r', '%r1']);
  });

  it('of a family are those of all its members', () => {
    expect(slices(kernel, navigation.places(nth(kernel, '%r<10>')))).toEqual(['%r', '%r1', '%r01', '%r1', '%r1']);
  });

  it('include those of labels before and after the label', () => {
    expect(slices(kernel, navigation.places(nth(kernel, 'DONE')))).toEqual(['DONE', 'DONE']);
  });

  it('say what instructions do there', () => {
    expect(navigation.uses(nth(kernel, '%r1')).map(({ role }) => role)).toEqual([
      null,
      'write',
      'read',
      'read',
      'read',
    ]);
  });

  it('have the roles that the program of the function shows', () => {
    const real = textOf('compilers/triton.ptx');
    const document = new Document(real);
    const [begun] = document.functions();
    const offsets = [...document.navigation.tokens(begun?.start ?? 0, begun?.end ?? 0)]
      .filter(({ kind, isDeclaration }) => kind === 'register' && !isDeclaration)
      .map(({ start }) => start);
    for (const offset of offsets.filter((_, i) => i % 9 === 0)) {
      const uses = document.navigation.uses(offset).filter(({ isDeclaration }) => !isDeclaration);
      const expected = document.functionAt(offset)?.occurrences(offset) ?? [];
      expect(uses.map(({ start, role }) => ({ start, role }))).toEqual(
        expected.map(({ start, role }) => ({ start, role })),
      );
    }
    expect(offsets.length).toBeGreaterThan(100);
  });

  it('are not in comments or outside of names', () => {
    expect(navigation.places(nth(kernel, 'registers'))).toEqual([]);
    expect(navigation.places(nth(kernel, 'mov'))).toEqual([]);
  });

  it('include the declaration', () => {
    expect(slices(kernel, navigation.declarations(nth(kernel, 'helper', 1)))).toEqual(['helper']);
    expect(navigation.declarations(nth(kernel, 'tile]'))).toEqual([
      { start: nth(kernel, 'tile['), end: nth(kernel, 'tile[') + 4 },
    ]);
  });
});

describe('renaming', () => {
  const renamed = (part: string, name: string, n = 0): string => {
    const result = new Document(kernel).navigation.rename(nth(kernel, part, n), name);
    if (result === null || !result.ok) throw new Error(result?.error ?? 'nothing is named here');
    return edited(kernel, result.value);
  };

  it('of a member of a family gives it its own declaration', () => {
    const text = renamed('%r1', '%lane');
    expect(text).toContain('.reg .b32 %r<10>; .reg .b32 %lane; // registers');
    expect(text).toContain('mov.u32 %lane, %tid.x;\n  setp.lt.u32 %p, %lane, 7;');
    expect(text).toContain('add.u32 %r1, %r2, %r3;');
    expect(check(text).diagnostics).toEqual([]);
  });

  it('of a family renames its members', () => {
    const text = renamed('%r<10>', '%lane');
    expect(text).toContain('.reg .b32 %lane<10>;');
    expect(text).toContain('mov.u32 %lane1, %tid.x;\n  setp.lt.u32 %p, %lane01, 7;');
    expect(text).toContain('add.u32 %r1, %r2, %r3;');
    expect(check(text).diagnostics).toEqual([]);
  });

  it.each([
    ['%r1', '%p', 'already used'],
    ['%r1', '%r7', 'already used'],
    ['%r1', '%tid', 'PTX defines'],
    ['%r1', '1x', 'is not a name'],
    ['%r<10>', '%q1', 'cannot end in a digit'],
    ['tile', 'counter', 'already used'],
    ['DONE', 'out', 'already used'],
  ])('of %s to %s is refused: %s', (from, to, why) => {
    const result = new Document(kernel).navigation.rename(nth(kernel, from), to);
    expect(result).toEqual({ ok: false, error: expect.stringContaining(why) });
  });

  it('of what another module defines is refused', () => {
    const text = `${header}.extern .func g();\n.func f() { call g; ret; }\n`;
    const { navigation } = new Document(text);
    expect(navigation.renameable(text.lastIndexOf('g'))).toContain('another module');
  });

  it.each(realModules.slice(0, 4))('keeps %s as it is but for the name, and can be undone', (name) => {
    const text = textOf(name);
    const document = new Document(text);
    const before = check(text);
    const seen = new Set<string>();
    for (const { start, end, kind } of document.navigation.tokens(0, text.length)) {
      const word = text.slice(start, end);
      const count = [...seen].filter((one) => one.startsWith(`${kind} `)).length;
      const isName = ['register', 'label', 'function', 'parameter', 'variable'].includes(kind);
      if (!isName || seen.has(`${kind} ${word}`) || count >= 2) continue;
      seen.add(`${kind} ${word}`);
      const result = document.navigation.rename(start, 'renamed_here');
      if (result?.ok !== true) {
        expect(result?.error).toContain('another module');
        continue;
      }
      const fresh = edited(text, result.value);
      expect(check(fresh).diagnostics.map(({ code }) => code)).toEqual(before.diagnostics.map(({ code }) => code));
      expect(check(fresh).requirements).toEqual(before.requirements);
      if (kind === 'register') continue;
      const back = new Document(fresh).navigation.rename(fresh.indexOf('renamed_here'), word);
      expect(back?.ok === true ? edited(fresh, back.value) : back).toBe(text);
    }
    expect(seen.size).toBeGreaterThan(3);
  });
});

describe('the structure of a document', () => {
  const { navigation } = new Document(kernel);

  it('is its functions with their variables and labels', () => {
    const found = navigation.symbols().map(({ kind, name, detail, children }) => {
      return `${kind} ${name} ${detail}: ${children.map((child) => `${child.kind} ${child.name}`).join(', ')}`;
    });
    expect(found).toEqual([
      'variable counter .global .b32: ',
      'function helper .func: ',
      'kernel k .entry: variable tile, label DONE',
    ]);
  });

  it('can be folded', () => {
    const found = navigation
      .folds()
      .map(({ start, end, kind }) => `${kind} ${kernel.slice(start, end).replace(/\s+/g, ' ')}`);
    expect(found).toContain('comment /* first second */');
    expect(found).toContain('region { .reg .b32 %r<4>; add.u32 %r1, %r2, %r3; }');
    expect(found).toContain('region DONE: ret;');
  });

  it('is selected from the word outward', () => {
    const found = slices(kernel, navigation.selections(nth(kernel, 'tile]') + 1));
    expect(found.slice(0, 3)).toEqual(['tile', '[tile]', 'st.shared.u32 [tile], %r1;']);
    expect(found.at(-2)).toMatch(/^\.visible \.entry[^]*\}$/);
    expect(found.at(-1)).toBe(kernel);
  });

  it.each(realModules)('nests in %s', (name) => {
    const text = textOf(name);
    const document = new Document(text);
    const symbols = document.navigation.symbols();
    expect(symbols.filter(({ kind }) => kind === 'kernel' || kind === 'function').map((one) => one.name)).toEqual(
      document.functions().map((one) => one.name),
    );
    for (const { start, end, selection, children } of symbols) {
      for (const inner of [selection, ...children]) {
        expect(inner.start).toBeGreaterThanOrEqual(start);
        expect(inner.end).toBeLessThanOrEqual(end);
      }
    }
    for (let offset = 0; offset < text.length; offset += Math.ceil(text.length / 40)) {
      const spans = document.navigation.selections(offset);
      for (const [i, { start, end }] of spans.entries()) {
        const outer = spans[i + 1] ?? { start: 0, end: text.length };
        expect(outer.start <= start && outer.end >= end).toBe(true);
      }
    }
  });
});
