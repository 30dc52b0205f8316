import { describe, expect, it } from 'vitest';
import { evaluate } from './evaluate.ts';
import {
  conversions,
  explainEvaluation,
  type FormatName,
  formats,
  nextNumber,
  numberText,
  numberValue,
  readNumber,
} from './numbers.ts';

const names = Object.keys(formats) as FormatName[];
const narrow = names.filter((name) => formats[name].width <= 8);

describe('explainEvaluation', () => {
  const explained = explainEvaluation('cvt.rn.satfinite.e4m3x2.f32', [0x43eb0000, 0x3fa66666]);

  it('gives the same operands as evaluate, with their lanes', () => {
    expect(explained.outputs).toMatchObject([
      {
        name: 'd',
        type: '.e4m3x2',
        bits: 0x7e3a,
        value: '{448, 1.25}',
        lanes: [{ high: 15, low: 8, value: '448' }, {}],
      },
    ]);
  });

  it('shows where rounding cuts off the bits of the source', () => {
    // As an f32, 1.3 is 0xa66666 * 2^-23. e4m3 keeps the four highest bits of this significand; the lowest of these
    // four has the weight 2^-3.
    expect(explained.conversions[1]?.explanation.weights).toEqual({
      significand: 0xa66666n,
      lowest: -23,
      lastPlace: -3,
    });
  });

  it.each([
    ['cvt.rn.f16.f32', 0x33800001, { significand: 0x800001n, lowest: -47, lastPlace: -24 }],
    ['cvt.rni.s8.f32', 0x43eb0000, { significand: 0xeb0000n, lowest: -15, lastPlace: 0 }],
    ['cvt.rn.f32.s32', 0xfffffffe, { significand: 2n, lowest: 0, lastPlace: -22 }],
    ['cvt.rn.f32.f64', 0x3ff0000000000001n, { significand: 0x10000000000001n, lowest: -52, lastPlace: -23 }],
    ['cvt.rn.f16.f32', 0, null],
    ['cvt.rn.f16.f32', 0x7f800000, null],
  ])('%s of 0x%s keeps the bits from the last place up', (mnemonic, bits, weights) => {
    expect(explainEvaluation(mnemonic, [bits]).conversions[0]?.explanation.weights).toEqual(weights);
  });

  it.each([
    ['cvt.rn.f32.u32', 5n, 0x40a00000],
    ['cvt.u32.u64', 5, 5],
  ])('%s takes bits as a number or a bigint, whatever their width', (mnemonic, bits, result) => {
    expect(explainEvaluation(mnemonic, [bits]).outputs[0]?.bits).toBe(result);
  });

  it('refuses what evaluate refuses', () => {
    expect(() => explainEvaluation('cvt.rn.e4m3.f32', [0])).toThrow();
    expect(() => explainEvaluation('cvt.rn.f16.f32', [-1])).toThrow('input 0 (a)');
  });
});

describe('conversions', () => {
  it('lists every cvt, all of which evaluate accepts', () => {
    const all = conversions();
    expect(all.length).toBeGreaterThan(900);
    for (const { mnemonic, inputs } of all)
      evaluate(
        mnemonic,
        inputs.map(() => 0),
      );
  });

  it('names formats, modifiers and inputs', () => {
    const found = conversions().find(({ mnemonic }) => mnemonic === 'cvt.rs.relu.satfinite.e2m1x4.f32');
    expect(found).toMatchObject({ from: 'f32', to: 'e2m1', lanes: 4, modifiers: ['rs', 'relu', 'satfinite'] });
    expect(found?.inputs.map(({ name }) => name)).toEqual(['a', 'b', 'e', 'f', 'rbits']);
  });

  it('keeps to a target', () => {
    const old = conversions({ target: 'sm_80' });
    expect(old.some(({ to }) => to === 'e4m3')).toBe(false);
  });
});

describe('nextNumber', () => {
  it.each(narrow)('walks %s in the order of its values', (name) => {
    const wrong: number[] = [];
    for (let bits = 0; bits < 2 ** formats[name].width; bits++) {
      const next = nextNumber(name, bits, true);
      if (next === null) continue;
      const back = nextNumber(name, next, false) ?? Number.NaN;
      const value = numberValue(name, bits);
      if (!(numberValue(name, next) > value) || numberValue(name, back) !== value) wrong.push(bits);
    }
    expect(wrong).toEqual([]);
  });

  it('steps over the padding of tf32, and up to infinity', () => {
    expect(nextNumber('tf32', 0x3f800000, true)).toBe(0x3f802000);
    expect(numberText('f16', nextNumber('f16', 0x7bff, true) ?? 0)).toBe('inf');
    expect(nextNumber('f16', 0x7c00, true)).toBeNull();
  });

  it('reaches every value of e4m3, and ends there', () => {
    let bits = readNumber('-448', 'e4m3').bits;
    let count = 1;
    for (let next = nextNumber('e4m3', bits, true); next !== null; next = nextNumber('e4m3', bits, true)) {
      bits = next;
      count++;
    }
    expect([numberText('e4m3', bits), count]).toEqual(['448', 253]);
  });
});

describe('readNumber', () => {
  it.each([
    ['470', 'f32', 0x43eb0000, false],
    ['0x43eb0000', 'f32', 0x43eb0000, false],
    ['0f3F800000', 'f16', 0x3c00, false],
    ['1.3', 'e4m3', 0x3a, true],
    ['-inf', 'f32', 0xff800000, false],
    ['-1', 's8', 0xff, false],
    ['0.5', 's2f6', 0x20, false],
  ] as const)('reads %s as %s', (text, format, bits, rounded) => {
    expect(readNumber(text, format)).toEqual({ bits, rounded });
  });

  it.each(['', 'four', '1e'])('refuses %j', (text) => {
    expect(() => readNumber(text, 'f32')).toThrow('is not a number');
  });
});
