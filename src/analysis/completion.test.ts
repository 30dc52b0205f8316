import { describe, expect, it } from 'vitest';
import { Document } from './document.ts';

const header = '.version 8.8\n.target sm_100\n.address_size 64\n';

/** The items that completion offers at the `|`, in a kernel with registers of every width. */
function itemsAt(statement: string): readonly string[] {
  const before = `${header}.global .b32 counter;
.func (.reg .b32 r) helper(.reg .b32 x) { ret; }
.entry k(.param .u64 out) {
  .reg .b16 %h<3>; .reg .b32 %r<3>; .reg .f32 %f<3>; .reg .b64 %d<3>; .reg .pred %p<2>;
  .shared .b32 tile[4];
  .param .b32 argument;
AGAIN:
`;
  const [start = '', end = ''] = statement.split('|');
  const document = new Document(`${before}${start}${end}\nadd.u32 %r0, %r1, %r2;\nDONE: ret;\n}\n`);
  const { span, items } = document.completions(before.length + start.length);
  const word = /[\w$%.]*$/.exec(start)?.[0] ?? '';
  expect(span.end).toBe(before.length + start.length);
  expect(word.endsWith(document.slice(span.start, span.end))).toBe(true);
  return items.map(({ text }) => text);
}

describe('in a mnemonic', () => {
  it.each([
    ['|', ['add', 'cvt', 'mma', 'bra']],
    ['cv|', ['cvt', 'add']],
    ['@%p0 cv|', ['cvt']],
    ['mul|', ['mul']],
    ['L: cvt.|', ['.rn', '.rzi', '.f32']],
    ['mul.|', ['.lo', '.hi', '.wide', '.rn', '.f32']],
    ['cvt.rn.s|', ['.satfinite', '.sat', '.f16']],
    ['mov.|', ['.b32', '.u64', '.pred']],
  ])('%s can go on with %j', (statement, expected) => {
    expect(itemsAt(statement)).toEqual(expect.arrayContaining(expected));
  });

  it.each([
    // These completions are not available on sm_100 without a suffix.
    ['cvt.rn.satfinite.|', '.e2m1x2'],
    ['cvt.rn.f16.|', '.f16'],
    ['cvt.|', '.lo'],
    ['|', 'wgmma'],
  ])('%s cannot go on with %s', (statement, refused) => {
    expect(itemsAt(statement)).not.toContain(refused);
  });

  it('nothing can follow more parts than a mnemonic may have', () => {
    expect(itemsAt(`cvt${'.rn'.repeat(10_000)}.|.f32 %r0, %r1;`)).toEqual([]);
  });

  it('the items are in the order of the ISA', () => {
    const items = itemsAt('cvt.|');
    const places = ['.rn', '.ftz', '.sat', '.f32'].map((part) => items.indexOf(part));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
  });
});

describe('in an operand', () => {
  it.each([
    ['add.u32 %r|', ['%r0', '%r1', '%r2'], ['%f0', '%d0', '%p0', 'DONE', 'tile', '%tid.x']],
    ['add.u32 %r0, %|', ['%r0'], ['%f0', '%h0', '%tid.x']],
    ['mov.u32 %r0, |', ['%r0', '%tid.x', '%laneid', 'tile'], ['%d0', '%envreg99']],
    ['add.f32 %f0, |', ['%f0', '%r0'], ['%h0', '%d1', '%p0']],
    ['@|', ['%p0', '%p1'], ['%r0']],
    ['bra |', ['AGAIN', 'DONE'], ['%r0', 'tile', 'helper']],
    ['@%p0 bra D|', ['DONE'], ['%r0']],
    ['ld.shared.u32 %r0, [|', ['tile', '%d0', '%r0'], ['counter', '%f0', 'out', '%h0']],
    ['ld.global.u32 %r0, [|', ['counter', '%d0'], ['tile']],
    ['ld.param.u64 %d0, [|', ['out'], ['tile', 'counter']],
    ['ld.global.v2.u32 {%r0, |', ['%r1'], ['%p0', '%h0']],
    ['setp.lt.u32 %p0|', ['%p0'], ['%r0']],
    ['selp.u32 %r0, %r1, %r2, |', ['%p0'], ['%r0']],
    ['call (%r0), |', ['helper'], ['k', '%f0']],
    ['call (%r0), helper, (|', ['%r0', 'argument'], ['tile', 'helper']],
  ])('%s takes %j', (statement, fitting, others) => {
    const items = itemsAt(statement);
    expect(items).toEqual(expect.arrayContaining(fitting));
    for (const other of others) expect(items).not.toContain(other);
  });

  it('registers of an inner block hide those outside', () => {
    const text = `${header}.entry k() {\n.reg .b32 %a; .reg .f32 %b;\n{ .reg .f32 %a;\nadd.u32 `;
    expect(new Document(text).completions(text.length).items.map((item) => item.text)).not.toContain('%a');
  });
});

describe('elsewhere', () => {
  it.each([
    ['.|', ['.reg', '.shared', '.loc', '.pragma'], ['.entry', '.version']],
    ['.reg .|', ['.b32', '.pred', '.f64'], ['.e4m3x2']],
    ['.shared .|', ['.b32'], ['.pred']],
  ])('%s goes on with %j', (statement, expected, others) => {
    const items = itemsAt(statement);
    expect(items).toEqual(expect.arrayContaining(expected));
    for (const other of others) expect(items).not.toContain(other);
  });

  it.each(['.loc 1 2 3', '.loc_intermediate 1 2 3'])('%s ends at its line', (directive) => {
    expect(itemsAt(`${directive}\n@|`)).toContain('%p0');
  });

  it('targets are those of the version', () => {
    const text = '.version 7.8\n.target sm_';
    const found = new Document(text).completions(text.length).items.map((item) => item.text);
    expect(found).toContain('sm_90');
    expect(found).not.toContain('sm_100');
  });

  it('comments have none', () => {
    expect(itemsAt('// cv|')).toEqual([]);
  });

  it('a statement with very many words has none, but comments do not count', () => {
    const many = (text: string): string => text.repeat(20_000);
    expect(itemsAt(`.shared .b32 g[20001] = {${many('65, ')}|65};`)).toEqual([]);
    expect(itemsAt(`${many('// 65\n')} add.u32 %r|`)).toContain('%r0');
  });
});
