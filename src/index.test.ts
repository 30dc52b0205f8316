import { describe, expect, test } from 'vitest';
import {
  check,
  diagnosticRecord,
  evaluate,
  explain,
  explanationText,
  forms,
  PtxlabError,
  parse,
  print,
  renderGithub,
  renderPretty,
  renderPtxas,
  renderSarif,
  SourceText,
  type TargetName,
} from './index.ts';

const module = '.version 8.1\n.target sm_89\n.address_size 64\n.visible .entry k()\n{\n  ret;\n}\n';

describe('the public API', () => {
  test('check checks a module for a target chosen by the caller', () => {
    expect(check(module).diagnostics).toEqual([]);
    expect(check(module, { target: 'sm_90' }).requirements.target).toBe('sm_90');
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

  test('an error from evaluate names the rule that refuses the instruction', () => {
    const refuse = (mnemonic: string, target?: TargetName): string => {
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

  test('explain and forms take a target and a version by name', () => {
    const old = explain('cvt.f32.f32', { target: 'sm_10', version: '1.4' });
    expect(explanationText(old)).toContain('ubnormal');
    expect(old).not.toEqual(explain('cvt.f32.f32', { target: 'sm_90', version: '8.1' }));
    const ids = (version: '7.8' | '8.1'): number => forms({ opcode: 'cvt', target: 'sm_89', version }).length;
    expect(ids('7.8')).toBeLessThan(ids('8.1'));
    expect(forms({ opcode: 'cvt', isa: '7.8' })).toEqual(forms({ opcode: 'cvt', version: '7.8' }));
  });

  test.each<readonly [string, string, object]>([
    ['an unknown target', 'unknown-target', { target: 'sm_91' }],
    ['a target in capitals', 'unknown-target', { target: 'SM_90' }],
    ['an unknown version', 'unknown-version', { version: '8.9' }],
    ['a version that is a number', 'unknown-version', { version: 8.1 }],
  ])('%s is a typed error', (_, code, options) => {
    const calls = [
      () => check(module, options),
      () => evaluate('cvt.rn.f16.f32', [0], options),
      () => explain('cvt.rn.f16.f32', options),
      () => forms(options),
    ];
    for (const call of calls) expect(call).toThrow(expect.objectContaining({ name: 'PtxlabError', code }));
  });

  test.each([
    ['code', 'PTX2001'],
    ['instruction', 'bfind.u32'],
    ['literal', '0x38'],
    ['modifier', '.rn'],
    ['opcode', 'cvt'],
    ['refused', 'cvt.f16'],
    ['target', 'sm_90'],
    ['type', '.e4m3'],
  ])('an explanation of kind %s can be shown as text', (kind, text) => {
    const explained = explain(text);
    expect(explained.kind).toBe(kind);
    expect(explanationText(explained)).not.toBe('');
  });

  test('explanations are text without further options', () => {
    const text = explanationText(explain('cvt.rn.satfinite.e4m3x2.f32'));
    expect(text).toContain('e4m3');
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
    expect(explanationText(explain('cvt.f16'))).toContain('PTX2');
  });

  test('findings come in every format of the command line', () => {
    const source = new SourceText(module.replace('ret', 'rett'), 'a.ptx');
    const report = { source, diagnostics: check(source.text).diagnostics };
    expect(renderPretty(report)).toContain('a.ptx:6');
    expect(renderPtxas(report)).toContain('a.ptx, line 6');
    expect(renderGithub(report)).toContain('file=a.ptx');
    expect(JSON.parse(renderSarif([report], '1.0.0'))).toMatchObject({ version: '2.1.0' });
    expect(report.diagnostics.map((found) => diagnosticRecord(source, found))).toMatchObject([{ line: 6 }]);
  });

  test('explain, forms, parse and print', () => {
    expect(explain('cvt.rn.f16.f32').kind).toBe('instruction');
    expect(forms({ opcode: 'cvta' }).map((form) => form.id)).toEqual(['cvta']);
    expect(print(parse(module).items)).toBe(module);
  });
});
