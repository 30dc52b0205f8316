/** Textures that include their samplers, and separate samplers, which `texmode_independent` in `.target` enables. */
import { describe, expect, test } from 'vitest';
import { check } from '../check.ts';

function codesIn(options: string, variables: string, instruction: string): readonly string[] {
  const text = `.version 9.0\n.target sm_90${options}\n.address_size 64\n${variables}
    .entry k() { .reg .b32 %r; .reg .f32 %f<5>; .reg .b64 %h; ${instruction} ret; }`;
  return check(text).diagnostics.map(({ code }) => code);
}

const unified = (instruction: string): readonly string[] => codesIn('', '.global .texref t;', instruction);
const independent = (instruction: string): readonly string[] =>
  codesIn(', texmode_independent', '.global .texref t; .global .samplerref s;', instruction);

describe('with texmode_independent', () => {
  test.each([
    ['tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, s, {%r}];'],
    ['tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%h, %h, {%r}];'],
    ['tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, s, {%f1, %f2}];'],
    ['txq.width.b32 %r, [t];'],
    ['txq.filter_mode.b32 %r, [s];'],
    ['txq.addr_mode_1.b32 %r, [%h];'],
  ])('%s is allowed', (instruction) => {
    expect(independent(instruction)).toEqual([]);
  });

  test.each([
    ['tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, {%r}];'],
    ['tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, t, {%r}];'],
    ['tld4.r.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%h, {%f1, %f2}];'],
  ])('%s lacks a sampler', (instruction) => {
    expect(independent(instruction)).toEqual(['PTX3003']);
  });

  test('attributes of samplers are not attributes of textures', () => {
    expect(independent('txq.filter_mode.b32 %r, [t];')).toEqual(['PTX5015']);
    expect(independent('txq.width.b32 %r, [s];')).toEqual(['PTX5015']);
  });
});

describe('by default, a sampler beside the texture', () => {
  const lists = { '.1d': '{%f1}', '.3d': '{%f1, %f1, %f1, %f1}', '.cube': '{%f1, %f1, %f1, %f1}', '.a1d': '{%r, %f1}' };
  const read = (opcode: string, geometry: keyof typeof lists, rest = ''): string =>
    `${opcode}${geometry}.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%h, %h, ${lists[geometry]}]${rest};`;

  test.each([
    read('tex', '.1d'),
    read('tex', '.3d'),
    read('tex.level', '.cube', ', %f1'),
    read('tex.grad', '.1d', ', {%f1}, {%f1}'),
  ])('is allowed: %s', (instruction) => {
    expect(unified(instruction)).toEqual([]);
  });

  test.each([
    read('tex', '.cube'),
    read('tld4.r', '.cube'),
    read('tex.level', '.3d', ', %f1'),
    read('tex.grad', '.a1d', ', {%f1}, {%f1}'),
  ])('is refused: %s', (instruction) => {
    expect(unified(instruction)).toEqual(['PTX3003']);
  });
});

test('by default, textures have the attributes of samplers', () => {
  expect(unified('tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [t, {%r}];')).toEqual([]);
  expect(unified('txq.filter_mode.b32 %r, [t];')).toEqual([]);
});
