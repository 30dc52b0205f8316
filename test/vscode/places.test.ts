import { describe, expect, it, test } from 'vitest';
import { instructionOn, kernelAt, suggestedLaunch, targetOf } from '../../apps/vscode/src/places.ts';

test.each([
  ['  @!%p1 cvt.rn.f16.f32 %h1, %f1; // half', 'cvt.rn.f16.f32 %h1, %f1;'],
  ['$L1: ret;', 'ret;'],
  ['.reg .b32 %r<3>;', null],
  ['// ret;', null],
  ['{', null],
])('the instruction on %s', (line, instruction) => {
  expect(instructionOn(line)).toBe(instruction);
});

describe('the kernel under the cursor', () => {
  const text = '.version 8.0\n.target sm_80\n.entry a(.param .u64 p, .param .u32 n) { ret; }\n.entry b { ret; }\n';

  it.each([
    [0, 'a'],
    [text.indexOf('ret'), 'a'],
    [text.lastIndexOf('ret'), 'b'],
  ])('at %i', (offset, name) => {
    expect(kernelAt(text, offset)?.name).toBe(name);
  });

  it('suggests a buffer for each 64-bit parameter', () => {
    const kernel = kernelAt(text, 0);
    expect(kernel && suggestedLaunch(kernel)).toBe('--grid 1 --block 32 --arg zeros:4096 --arg 1');
  });

  it('is compiled for the target of the module', () => {
    expect([targetOf(text), targetOf('')]).toEqual(['sm_80', null]);
  });
});
