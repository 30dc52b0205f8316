import { expect, test } from 'vitest';
import { explain } from '../explain.ts';
import type { InstructionExplanation } from '../instruction.ts';

function explained(text: string): InstructionExplanation {
  const found = explain(text);
  if (found.kind !== 'instruction') throw new Error(`${text} is ${found.kind}`);
  return found;
}

const rulesOf = (text: string): readonly string[] =>
  explained(text).product?.byGpu.map(({ gpus, rule }) => `${gpus}: ${rule}`) ?? [];

const choicesOf = (text: string): readonly string[] => explained(text).openChoices.map(({ id }) => id);

test('GPUs that compute the same way share a row', () => {
  expect(rulesOf('mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32')).toEqual([
    'sm_80 to sm_89: chunks of 8 products, cut off below 2^-24 of the greatest exponent, rounded to f32 toward zero',
    'sm_90 and later: all 16 products in one chunk, cut off below 2^-25 of the greatest exponent, rounded to f32 toward zero',
  ]);
});

test('GPUs without m8n8k4 of f16 add single elements', () => {
  const rules = rulesOf('mma.sync.aligned.m8n8k4.row.col.f16.f16.f16.f16');
  expect(rules.map((rule) => rule.split(':')[0])).toEqual(['sm_70 to sm_72', 'sm_75', 'sm_80 and later']);
  expect(rules[2]).toContain('sums of two products, one after the other, added to c, each rounded to f32');
});

test('C of f32 is converted to f16, or the sum is', () => {
  const rules = rulesOf('wmma.mma.sync.aligned.row.col.m16n16k16.f16.f32');
  expect(rules[1]).toMatch(/^sm_75: .*; c is converted to f16 first$/);
  expect(rules[2]).toMatch(
    /^sm_80 to sm_89: .*rounded to f32 toward zero; the result is rounded to f16 to nearest even$/,
  );
});

test('only GPUs that can run the instruction are listed', () => {
  const fp8 = explained('mma.sync.aligned.m16n8k32.row.col.f16.e4m3.e4m3.f16').product;
  expect(fp8?.byGpu.map(({ gpus }) => gpus)).toEqual(['sm_89', 'sm_90 to sm_110', 'sm_120 and later']);
  expect(fp8?.byGpu[0]?.rule).toContain('rounded to f16 to nearest even');
  expect(fp8?.byGpu[1]?.arithmetic?.order).toBe('halves');
});

test.each([
  ['mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32', 'clamped to the range of s32'],
  ['mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32', 'wraps to 32 bits'],
  ['mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.and.popc', 'set in both a and b'],
  ['mma.sync.aligned.m8n8k4.row.col.rz.f64.f64.f64.f64', 'rounded by .rz'],
])('%s: every GPU gives the same result', (mnemonic, words) => {
  const product = explained(mnemonic).product;
  expect(product?.rules.join(' ')).toContain(words);
  expect(product?.byGpu).toEqual([]);
});

test('behavior that the ISA leaves open is an open choice', () => {
  expect(choicesOf('mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32')).toContain('matrix-fourfold');
  expect(choicesOf('mma.sync.aligned.m16n8k16.row.col.f32.e4m3.e5m2.f32')).toContain('matrix-fp8-k16');
  expect(choicesOf('mma.sp.sync.aligned.m16n8k32.row.col.f32.bf16.bf16.f32')).toContain('matrix-sparse');
  expect(choicesOf('wmma.store.d.sync.aligned.row.m16n16k16.f32')).toEqual(['matrix-wmma-layout']);
  expect(choicesOf('mma.sync.aligned.m16n8k32.row.col.s32.s8.u8.s32')).toEqual([]);
});
