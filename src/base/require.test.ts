/** A misspelled option is an error in every function of the library that takes options. */
import { expect, test } from 'vitest';
import { compareSemantics, convert, convertAsync, dequantize, quantize } from '../arrays.ts';
import { check } from '../check/check.ts';
import { Device } from '../device.ts';
import { evaluateDot } from '../dot-products.ts';
import { evaluate } from '../evaluate.ts';
import { explain } from '../explain.ts';
import { forms } from '../forms.ts';
import { conversions, explainEvaluation } from '../numbers.ts';

const values = Float32Array.of(1);
const calls: Readonly<Record<string, (options: object) => unknown>> = {
  check: (options) => check('', options),
  explain: (options) => explain('cvt', options),
  forms: (options) => forms(options),
  evaluate: (options) => evaluate('mov.b32', [1], options),
  evaluateDot: (options) => evaluateDot('mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64', { a: [], b: [] }, options),
  explainEvaluation: (options) => explainEvaluation('mov.b32', [1], options),
  conversions: (options) => conversions(options),
  convert: (options) => convert(values, { to: 'e4m3', ...options }),
  convertAsync: (options) => convertAsync(values, { to: 'e4m3', ...options }),
  quantize: (options) => quantize(values, { to: 'nvfp4', ...options }),
  dequantize: (options) => dequantize(quantize(values, { to: 'nvfp4' }), options),
  compareSemantics: (options) => compareSemantics(1, { to: 'e4m3', ...options }),
  'Device.create': (options) => Device.create(options),
};

test.each(Object.entries(calls))('%s', async (_, call) => {
  const misspelled = async (): Promise<unknown> => call({ tagret: 'sm_90' });
  await expect(misspelled()).rejects.toMatchObject({ code: 'bad-option', message: expect.stringContaining('tagret') });
});

test('the message suggests the most similar option', () => {
  const options: object = { tagret: 'sm_90' };
  expect(() => check('', options)).toThrow("check has no option 'tagret'; did you mean 'target'?");
});
