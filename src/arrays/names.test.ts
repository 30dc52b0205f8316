import { describe, expect, test } from 'vitest';
import { formatNames } from '../numerics/formats.ts';
import { formatNamed, requireFormat, spelling, type SpellingFamily, unknownFormat } from './names.ts';

const families: readonly SpellingFamily[] = ['ptx', 'ml_dtypes', 'torch', 'safetensors'];

describe('names of formats', () => {
  test.each([
    ['.e4m3', 'e4m3'],
    ['float8_e4m3fn', 'e4m3'],
    ['torch.float8_e4m3fn', 'e4m3'],
    ['F8_E4M3', 'e4m3'],
    ['fp8e4nv', 'e4m3'],
    ['E4M3', 'e4m3'],
    ['ml_dtypes.float8_e8m0fnu', 'ue8m0'],
    ['F8_E8M0', 'ue8m0'],
    ['float6_e2m3fn', 'e2m3'],
    ['F4', 'e2m1'],
    ['torch.float4_e2m1fn_x2', 'e2m1'],
    ['BF16', 'bf16'],
    ['bfloat16', 'bf16'],
    ['np.float32', 'f32'],
    ['I8', 's8'],
    ['uint4', 'u4'],
  ] as const)('%s is %s', (text, format) => {
    expect(formatNamed(text)).toBe(format);
  });

  test('every spelling of every family names its format', () => {
    for (const format of formatNames) {
      for (const family of families) {
        const text = spelling(format, family);
        if (text !== null) expect(formatNamed(text), text).toBe(format);
      }
    }
  });

  test('a family that lacks the format has no spelling for it', () => {
    expect(spelling('s2f6', 'torch')).toBeNull();
    expect(spelling('e3m2', 'torch')).toBeNull();
    expect(spelling('tf32', 'safetensors')).toBeNull();
  });

  test('similar formats are told apart, and none is accepted in place of another', () => {
    for (const text of ['float8_e4m3', 'torch.float8_e4m3fnuz', 'F8_E5M2FNUZ', 'float8_e3m4', 'float8_e4m3b11fnuz']) {
      expect(formatNamed(text), text).toBeNull();
      expect(unknownFormat(text)).toMatchObject({ code: 'foreign-format' });
    }
    expect(unknownFormat('float8_e4m3').message).toBe(
      "'float8_e4m3' is not a PTX format: it has infinities and ends at 240; PTX has float8_e4m3fn, which ends at 448",
    );
  });

  test('lower-case f4 could mean either of two formats', () => {
    expect(() => requireFormat('f4')).toThrow('f32 in numpy and e2m1 in safetensors');
  });

  test('a misspelled name gets the nearest spelling as a suggestion', () => {
    expect(() => requireFormat('bfloat61')).toThrow("did you mean 'bfloat16'?");
    expect(() => requireFormat('float8_e4m3nf')).toThrow("did you mean 'float8_e4m3fn'?");
    expect(() => requireFormat('posit')).toThrow('known formats are f16, bf16');
  });
});
