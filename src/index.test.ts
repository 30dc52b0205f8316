import { describe, expect, test } from 'vitest';
import { check, evaluate, explain, forms, PtxlabError, parse, print } from './index.ts';

const module = '.version 8.1\n.target sm_89\n.address_size 64\n.visible .entry k()\n{\n  ret;\n}\n';

describe('the public API', () => {
  test('check judges a module for a target chosen by the caller', () => {
    expect(check(module).diagnostics).toEqual([]);
    expect(check(module, { target: 'sm_90' }).requirements.target).toBe('sm_90');
    expect(() => check(module, { target: 'sm_91' })).toThrow(PtxlabError);
  });

  test('evaluate takes bits and returns bits', () => {
    expect(evaluate('cvt.rn.satfinite.e4m3x2.f32', [0x3fa66666, 0xc3fa0000])).toEqual([0x3afe]);
    expect(evaluate('cvt.s64.s8', [0x80])).toEqual([0xffffffffffffff80n]);
  });

  test('evaluate flushes subnormals on old targets', () => {
    expect(evaluate('cvt.f32.f32', [0x00000001])).toEqual([0x00000001]);
    expect(evaluate('cvt.f32.f32', [0x80000001], { target: 'sm_10', isa: '1.4' })).toEqual([0x80000000]);
    expect(evaluate('cvt.f64.f32', [0x00000001], { target: 'sm_13', isa: '1.4' })).toEqual([0x36a0000000000000n]);
  });

  test('evaluate names the rule that it refuses by', () => {
    const refuse = (mnemonic: string, target?: string): string => {
      try {
        evaluate(mnemonic, [0], target === undefined ? {} : { target });
        return 'accepted';
      } catch (error) {
        return (error as PtxlabError).code;
      }
    };
    expect(refuse('cvt.f16.f32')).toBe('PTX2030');
    expect(refuse('cvt.rn.f16x2.e2m1x2', 'sm_120')).toBe('PTX4002');
    expect(refuse('bra')).toBe('NOT_EVALUATED');
  });

  test('explain, forms, parse and print', () => {
    expect(explain('cvt.rn.f16.f32').kind).toBe('instruction');
    expect(forms({ opcode: 'cvta' }).map((form) => form.id)).toEqual(['cvta']);
    expect(print(parse(module).items)).toBe(module);
  });
});
