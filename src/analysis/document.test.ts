import { describe, expect, it } from 'vitest';
import { SourceText } from '../base/source-text.ts';
import { check } from '../check/check.ts';
import { Document } from './document.ts';

const header = '.version 9.0\n.target sm_90\n.address_size 64\n';
const body = Array.from({ length: 2000 }, (_, i) => `  add.s32 %r1, %r2, ${i};\n`).join('');
const kernel = `${header}.visible .entry k(.param .u64 x) {\n  .reg .b32 %r<4>;\n${body}LAST:\n  ret;\n}\n`;

/** A document after an edit that replaces `from` with `to`. */
function edited(text: string, from: string, to: string): Document {
  const document = new Document(text);
  const start = text.indexOf(from);
  document.edit(start, start + from.length, to);
  return document;
}

const codesOf = (document: Document): readonly string[] => [...new Set(document.diagnostics().map(({ code }) => code))];

/** Edits that affect findings far away in the text. */
const distant: readonly (readonly [string, string, string, readonly string[]])[] = [
  ['a smaller family of registers', '%r<4>', '%r<2>', ['PTX3001', 'PTX1022']],
  ['a family of another type', '.reg .b32', '.reg .f32', ['PTX3004', 'PTX1022']],
  ['a label that a branch needs', '  add.s32 %r1, %r2, 7;', '  bra LAST;', []],
  ['a label that already exists', '  add.s32 %r1, %r2, 7;', 'LAST:', ['PTX5005']],
  ['a register in place of a label', 'LAST:', '.reg .b32 LAST;', []],
  ['an older version', '.version 9.0', '.version 1.0', ['PTX4013']],
  ['a block that is not closed', '  add.s32 %r1, %r2, 7;', '{', ['PTX1001']],
  ['a block with registers of its own', '  add.s32 %r1, %r2, 7;', '{ .reg .f32 %r<4>; }', []],
  ['a comment that is not closed', '  add.s32 %r1, %r2, 7;', '/*', ['PTX1003']],
  ['a string that is not closed', '  add.s32 %r1, %r2, 7;', '"', ['PTX1004']],
  ['the end of the function', '  add.s32 %r1, %r2, 7;', 'ret; }', ['PTX1001', 'PTX1021']],
  ['another function', '  add.s32 %r1, %r2, 7;', 'ret; }\n.func f() { .reg .b32 %r<3>; LAST2:', []],
];

describe('a document', () => {
  for (const [name, from, to] of distant) {
    it(`has the findings of its text after editing ${name}`, () => {
      const document = edited(kernel, from, to);
      expect(document.text()).toBe(kernel.replace(from, to));
      expect(document.diagnostics()).toEqual(check(document.text()).diagnostics);
      document.edit(kernel.indexOf(from), kernel.indexOf(from) + to.length, from);
      expect(document.text()).toBe(kernel);
      expect(document.diagnostics()).toEqual([]);
    });
  }

  it('is judged against the target and version of its options', () => {
    const text = `${header}.func f() { .reg .b32 %r; wgmma.fence.sync.aligned; }\n`;
    const options = { target: 'sm_75', version: '8.0' } as const;
    expect(new Document(text, options).diagnostics()).toEqual(check(text, options).diagnostics);
    expect(new Document(text, options).requirements()).toEqual(check(text, options).requirements);
  });

  const memory = `${header}.shared .b8 big[40000];
.func use() { .reg .b32 %r<2>; ld.shared.u32 %r1, [big]; ret; }
.entry k() { .shared .b8 own[100]; .shared .b32 set = 3; .reg .b32 %r<2>;
${'  mov.u32 %r1, 0;\n'.repeat(200)}// HERE
ret; }
`;
  it.each([
    ['a larger variable of the kernel', 'own[100]', 'own[50000]'],
    ['a larger variable of the module', 'big[40000]', 'big[60000]', 'own[100]', 'own[9500]'],
    ['a use of a variable of the module', '// HERE', 'ld.shared.u32 %r1, [big];', 'own[100]', 'own[9500]'],
    ['a call of a function that uses one', '// HERE', 'call use;', 'own[100]', 'own[9500]'],
    ['another target', 'own[100]', 'own[60000]', 'sm_90', 'sm_90a'],
  ])('counts shared memory again after editing %s', (_, ...changes) => {
    const document = new Document(memory);
    expect(document.diagnostics()).toEqual(check(memory).diagnostics);
    for (let i = 0; i < changes.length; i += 2) {
      const [from = '', to = ''] = changes.slice(i);
      const start = document.text().indexOf(from);
      document.edit(start, start + from.length, to);
      expect(document.diagnostics()).toEqual(check(document.text()).diagnostics);
    }
    document.edit(document.text().indexOf('ret; }'), document.text().indexOf('ret; }'), '// moved\n');
    expect(document.diagnostics()).toEqual(check(document.text()).diagnostics);
  });

  it.each([
    ['a variable of the module', 'big[40000]', 'big[2]'],
    ['a parameter', '.param .u64 n', '.param .b8 n'],
  ])('looks at accesses by name again after editing the size of %s', (_, from, to) => {
    const text = `${header}.shared .b8 big[40000];
.entry k(.param .u64 n) { .reg .b32 %r<2>;\n${'  mov.u32 %r1, 0;\n'.repeat(2000)}
  ld.shared.u32 %r1, [big]; ld.param.u32 %r1, [n]; ret; }\n`;
    const document = edited(text, from, to);
    expect(codesOf(document)).toEqual(['PTX3033']);
    expect(document.diagnostics()).toEqual(check(document.text()).diagnostics);
  });

  it('may be empty, and filled again', () => {
    const document = new Document(kernel);
    document.edit(0, kernel.length, '');
    expect(codesOf(document)).toEqual(['PTX1030']);
    document.edit(0, 0, kernel);
    expect(document.diagnostics()).toEqual([]);
  });

  it('refuses ranges outside of its text', () => {
    const document = new Document('abc');
    for (const [start, end] of [
      [-1, 0],
      [2, 1],
      [0, 4],
      [0.5, 1],
    ] as const) {
      expect(() => document.edit(start, end, '')).toThrow(expect.objectContaining({ code: 'bad-range' }));
    }
  });

  for (const [name, end] of [
    ['line feeds', '\n'],
    ['carriage returns', '\r'],
    ['both', '\r\n'],
  ] as const) {
    it(`counts lines that end in ${name}`, () => {
      const text = kernel.replaceAll('\n', end);
      const document = new Document(text);
      const source = new SourceText(text);
      for (let offset = 0; offset < text.length; offset += 977) {
        const position = document.position(offset);
        expect(position).toEqual(source.position(offset));
        const isInLineEnd = text[offset] === '\n' && text[offset - 1] === '\r';
        expect(document.offset(position)).toBe(isInLineEnd ? offset - 1 : offset);
      }
      expect(document.offset({ line: 2, column: 99 })).toBe(source.lineStart(3) - end.length);
      expect(document.offset({ line: 99_999, column: 1 })).toBe(text.length);
    });
  }
});

describe('suggestions for undeclared names', () => {
  const names = (count: number): string => Array.from({ length: count }, (_, i) => `.reg .b32 valu${i}e;\n`).join('');
  const uses = (count: number): string => Array.from({ length: count }, (_, i) => `mov.b32 value${i}, 1;\n`).join('');
  // The checker searches for similar names at most a hundred times, so it suggests nothing for the name at the end of
  // the text until most of the other undeclared names have been deleted.
  const text = `${header}.entry k() {\n${names(9)}${uses(300)}// end of most\n${'ret;\n'.repeat(400)}mov.b32 valu1, 1;\n}\n`;

  it('return when enough of the others are gone', () => {
    const document = new Document(text);
    expect(document.diagnostics()).toEqual(check(text).diagnostics);
    const [start, end] = [text.indexOf('mov'), text.indexOf('// end of most')];
    document.edit(start, end, '');
    const rest = text.slice(0, start) + text.slice(end);
    expect(document.diagnostics()).toEqual(check(rest).diagnostics);
    expect(document.diagnostics()[0]?.help).toBe("did you mean 'valu1e'?");
  });
});

describe('kernels', () => {
  it('are listed with their parameters and required block extents, even while a body has errors', () => {
    const text = `${header}.visible .entry k(.param .u64 p, .param .align 8 .b8 s[12]) .reqntid 32, 4 {\n  wrong;\n}\n.func f() { ret; }\n`;
    const parameters = [
      { name: 'p', type: '.u64', size: 8 },
      { name: 's', type: '.b8', size: 12 },
    ];
    expect(new Document(text).kernels()).toEqual([{ name: 'k', parameters, requiredBlock: [32, 4, 1] }]);
  });
});
