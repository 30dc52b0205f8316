import { describe, expect, it } from 'vitest';
import { nearestWord } from './nearest-word.ts';

const opcodes = ['add', 'ld', 'ldu', 'st', 'mov', 'sub', 'setp', 'set', 'sad', 'mul', 'not', 'bra', 'ret', 'and'];

describe('nearest', () => {
  it.each([
    ['ldd', 'ld'],
    ['movv', 'mov'],
    ['mvo', 'mov'],
    ['sept', 'setp'],
    ['ADD', 'add'],
    ['adds', 'add'],
    ['fadd', 'add'],
    ['rett', 'ret'],
  ])('recognizes %s as a misspelling of %s', (word, meant) => {
    expect(nearestWord(word, opcodes)).toBe(meant);
  });

  it.each([
    ['fp8', ['fp4', 'fp6']],
    ['sm_91', ['sm_11', 'sm_90', 'sm_101']],
    ['%r99', ['%rs0', '%r9']],
    ['.v3', ['.v2', '.v4']],
    ['L', ['p', 'M']],
    ['goto', ['not']],
    ['load', ['sad', 'add']],
  ])('finds no match for %s in %j', (word, others) => {
    expect(nearestWord(word, others)).toBeNull();
  });

  it.each([
    ['p1', '%p1'],
    ['sm90', 'sm_90'],
    ['sm_8O', 'sm_80'],
    ['%laneID', '%laneid'],
    ['bfloat61', 'bfloat16'],
    ['.satfinte', '.satfinite'],
  ])('keeps the numbers in %s: %s', (word, meant) => {
    expect(nearestWord(word, [meant, meant.replace(/\d+/, '7')])).toBe(meant);
  });

  it('returns null for an exact match, and the first of several equally near words', () => {
    expect(nearestWord('add', ['add'])).toBeNull();
    expect(nearestWord('.lt', ['.ltu', '.ltx'])).toBe('.ltu');
  });
});
