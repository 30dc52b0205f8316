import { describe, expect, it } from 'vitest';
import { Document } from './document.ts';
import type { HoverSubject } from './hover.ts';

const text = `.version 9.0
.target sm_90
.address_size 64
.global .u32 counter;
.func (.reg .b32 %result) helper(.reg .b32 %a) { mov.b32 %result, %a; ret; }
.visible .entry k(.param .u64 k_param_0) {
.reg .pred %p<4>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<4>; .reg .v2 .b32 %pair; .reg .b16 %h<4>;
mov.u32 %r1, %tid.x;
@!%p1 bra $L1;
add.f32 %f1, %f2, 0f3F800000;
atom.global.add.u32 %r2, [counter], 17;
call (%r3), helper, (%r1);
cvt.rn.satfinite.e4m3x2.f32 %h1, %f1, %f2;
mov.b32 %r4, %pair.y;
setp.lt.s32 %p2|%p3, %r1, %r2;
add.wrong %r1, %r1;
$L1:
ret;
}
`;

function hoverAt(mark: string, within = 0): { readonly subject: HoverSubject | undefined; readonly text: string } {
  const document = new Document(text);
  const offset = text.indexOf(mark) + within;
  const hover = document.functionAt(offset)?.hover(offset);
  return { subject: hover?.subject, text: hover == null ? '' : document.slice(hover.start, hover.end) };
}

const names: readonly (readonly [name: string, mark: string, within: number, text: string, subject: HoverSubject])[] = [
  ['a register', '%r1, %tid', 1, '%r1', { kind: 'register', name: '%r1', type: '.b32' }],
  ['a predicate', '%p1 bra', 0, '%p1', { kind: 'register', name: '%p1', type: '.pred' }],
  ['an element of a vector', '%pair.y', 2, '%pair.y', { kind: 'register', name: '%pair', type: '.b32' }],
  ['the second of two results', '%p3', 1, '%p3', { kind: 'register', name: '%p3', type: '.pred' }],
  ['a label', '$L1;', 1, '$L1', { kind: 'label', name: '$L1' }],
  ['a function', 'helper, ', 1, 'helper', { kind: 'function', name: 'helper' }],
  ['a variable', 'counter]', 1, 'counter', { kind: 'variable', name: 'counter', type: '.u32', space: '.global' }],
  [
    'a special register',
    '%tid.x',
    1,
    '%tid.x',
    { kind: 'special register', name: '%tid', type: '.u32', since: 'PTX 1.0, any target' },
  ],
];

describe('what stands at a place', () => {
  for (const [name, mark, within, written, subject] of names) {
    it(`is ${name}`, () => {
      const found = hoverAt(mark, within);
      expect(found.text).toBe(written);
      expect(found.subject).toEqual(subject);
    });
  }

  it('is a constant, as values and bits', () => {
    const { subject, text: written } = hoverAt('0f3F800000', 3);
    expect(written).toBe('0f3F800000');
    expect(subject).toMatchObject({ kind: 'constant', explanation: { value: '1', bits: '3f800000' } });
  });

  it('is an instruction by its own modifiers, with the operands as written', () => {
    const { subject, text: written } = hoverAt('cvt.rn', 4);
    expect(written).toBe('cvt.rn.satfinite.e4m3x2.f32');
    expect(subject?.kind).toBe('instruction');
    if (subject?.kind !== 'instruction') return;
    expect(subject.explanation.mnemonic).toBe('cvt.rn.satfinite.e4m3x2.f32');
    expect(subject.explanation.lanes.length).toBeGreaterThan(0);
    expect(subject.explanation.operands.map((operand) => operand.written)).toEqual(['%h1', '%f1', '%f2']);
    expect(subject.explanation.availability[0]?.since).toBe('7.8');
  });

  it('is nothing for an instruction with errors, or between instructions', () => {
    expect(hoverAt('add.wrong', 2).subject).toBeUndefined();
    expect(hoverAt('$L1:\n', 4).subject).toBeUndefined();
  });
});
