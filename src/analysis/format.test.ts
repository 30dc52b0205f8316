import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { check } from '../check/check.ts';
import { edited } from '../diagnostics/fix.ts';
import { parseModule } from '../syntax/parser.ts';
import { printModule } from '../syntax/printer.ts';
import { nestingLimit } from '../syntax/reader.ts';
import { Document } from './document.ts';

const folder = new URL('../../test/kernels/', import.meta.url);
const realModules = [
  'compilers/gcc.ptx',
  'compilers/triton.ptx',
  'compilers/nvopencc.ptx',
  'compilers/julia.ptx',
  'compilers/llvm-3.ptx',
  'compilers/tinygrad.ptx',
  'cuda/calls.sm_75.ptx',
  'cuda/calls.sm_90_debug.ptx',
];
const textOf = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

const formatted = (text: string): string => edited(text, new Document(text).navigation.format());
const wordsOf = (text: string): string => text.replace(/\s+/g, '');
const commentsOf = (text: string): readonly string[] =>
  (text.match(/\/\/[^\n]*|\/\*[^]*?\*\//g) ?? []).map((one) => one.trimEnd());
const treeOf = (text: string): string => printModule(parseModule(text).items);

const ugly = `.version 8.0
  .target   sm_90
.address_size 64
.visible .entry k ( .param .u64 out,
 .param .u32 n )  .maxntid 128 , 1,1 {
.reg .b32 %r< 10 > ; .reg .pred %p;  // registers
// loads


  ld.param .u32 %r1,[ n ];   setp.lt.s32 %p , %r1,- 4 ;
   @!%p   bra DONE ; { .reg .f32 %f; mov.f32 %f , 0f3F800000; }
  ld.global.v2.u32 {%r1,  %r2}, [%r3 + 4];
DONE: ret;}
`;

const tidy = `.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out,
\t.param .u32 n) .maxntid 128, 1, 1
{
\t.reg .b32 \t%r<10>;
\t.reg .pred \t%p; // registers
\t// loads

\tld.param.u32 \t%r1, [n];
\tsetp.lt.s32 \t%p, %r1, -4;
\t@!%p bra \tDONE;
\t{
\t\t.reg .f32 \t%f;
\t\tmov.f32 \t%f, 0f3F800000;
\t}
\tld.global.v2.u32 \t{%r1, %r2}, [%r3+4];
DONE:
\tret;
}
`;

describe('formatting', () => {
  it('gives every statement a line, as nvcc prints it', () => {
    expect(formatted(ugly)).toBe(tidy);
  });

  it('leaves formatted text unchanged', () => {
    expect(new Document(tidy).navigation.format()).toEqual([]);
  });

  it('keeps the kind of line ends', () => {
    expect(formatted(ugly.replaceAll('\n', '\r\n'))).toBe(tidy.replaceAll('\n', '\r\n'));
  });

  it('keeps the empty line after the header, and does not indent a comment there', () => {
    const text = '.version 8.0\n.target sm_80\n.address_size 64\n\n// about k\n.entry k()\n{\n\tret;\n}\n';
    expect(formatted(text)).toBe(text);
  });

  it('indents code no deeper than it can be nested', () => {
    const nested = `.func f()\n{\n${'{\n'.repeat(nestingLimit + 9)}${'}\n'.repeat(nestingLimit + 9)}}\n`;
    const indents = formatted(nested).match(/\t+/g) ?? [];
    expect(Math.max(...indents.map(({ length }) => length))).toBe(nestingLimit);
  });

  it.each(realModules)('keeps the program and the comments of %s, and formatting it again changes nothing', (name) => {
    const text = textOf(name);
    const once = formatted(text);
    expect(wordsOf(once)).toBe(wordsOf(text));
    expect(commentsOf(once)).toEqual(commentsOf(text));
    expect(treeOf(once)).toBe(treeOf(text));
    expect(check(once).diagnostics.map(({ code }) => code)).toEqual(check(text).diagnostics.map(({ code }) => code));
    expect(new Document(once).navigation.format()).toEqual([]);
  });
});
